import { logLevels } from "@parley/base";
import * as z from "zod";
import { authModes } from "../auth/auth-mode.ts";
import { parseEndpoint } from "../transport/address.ts";

/** Who answers: `offline` is a model inside the gateway, which needs no key. */
const providers = ["offline"] as const;

/** The errors of this schema say what is allowed; whoever prints them adds what was found, and where. */
export const configSchema = z
	.strictObject({
		$schema: string("the address of this schema").describe("Where editors find what is allowed here."),
		listen: list("HOST:PORT, for instance 127.0.0.1:7777 or [::1]:7777; port 0 takes a free one", isEndpoint)
			.min(1, { error: "at least one HOST:PORT" })
			.describe(
				"Where to listen: HOST:PORT, IPv6 in brackets, port 0 for a free one. 127.0.0.1:7777 unless told.",
			),
		data: string("a directory").describe("Where conversations, tokens and logs live. Relative to this file."),
		root: list("a directory").describe(
			"Directories that tools may touch. Relative to this file. The directory of the start unless told.",
		),
		provider: choice(providers).describe(
			"Who answers. offline needs no key and no network, and is the default.",
		),
		model: string("the name of a model").describe("Which of the provider's models answers."),
		auth: choice(authModes).describe(
			"Who needs a token: all but this user's own programs (local, the default), everybody (token), nobody (none).",
		),
		logLevel: choice(logLevels).describe("How much is written to standard error. info unless told."),
		systemPromptFile: string("a file").describe("Markdown to use instead of the built-in system prompt."),
		allowedHosts: list("a host name or address, with or without :PORT", isHost).describe(
			"Further names by which clients may call the gateway, each with or without a port.",
		),
	})
	.partial();

/** One source's settings: what is not set there is left out. */
export type Settings = z.infer<typeof configSchema>;

export type Provider = (typeof providers)[number];

function string(allowed: string): z.ZodString {
	return z.string({ error: allowed }).min(1, { error: allowed });
}

function list(allowed: string, isAllowed: (text: string) => boolean = () => true): z.ZodArray<z.ZodString> {
	return z.array(string(allowed).refine(isAllowed, { error: allowed }), { error: `a list, each ${allowed}` });
}

function choice<const T extends readonly string[]>(values: T): z.ZodEnum<{ [V in T[number]]: V }> {
	return z.enum(values, { error: values.join(", ") });
}

function isEndpoint(text: string): boolean {
	return parseEndpoint(text) !== undefined;
}

function isHost(text: string): boolean {
	return isEndpoint(text) || isEndpoint(`${text}:80`);
}
