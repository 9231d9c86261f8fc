import { readAllowedHost } from "@parley/core";
import * as z from "zod";
import { allowedTexts } from "../texts/config/values.ts";

/** Maximum amount in US dollars. A larger amount is probably a typing error. */
const maxDollars = 1_000_000;

/** Returns the schema of a string that is not empty. `allowed` is the message of the schema's errors. */
export function string(allowed: string): z.ZodString {
	return z.string({ error: allowed }).min(1, { error: allowed });
}

export function list(
	allowed: string,
	isAllowed: (text: string) => boolean = () => true,
): z.ZodArray<z.ZodString> {
	return z.array(string(allowed).refine(isAllowed, { error: allowed }), {
		error: allowedTexts.listOf({ item: allowed }),
	});
}

export function hosts(): z.ZodArray<z.ZodString> {
	return list(allowedTexts.commandHost, (text) => readAllowedHost(text) !== undefined);
}

export function choice<const T extends readonly string[]>(values: T): z.ZodEnum<{ [V in T[number]]: V }> {
	return z.enum(values, { error: values.join(", ") });
}

export function dollars(): z.ZodNumber {
	const error = allowedTexts.dollars({ max: maxDollars });
	return z.number({ error }).min(0, { error }).max(maxDollars, { error });
}

export function integer(min: number, max: number): z.ZodInt {
	const error = allowedTexts.integer({ min, max });
	return z.int({ error }).min(min, { error }).max(max, { error });
}
