import { InvalidArgumentError } from "commander";

/** Reads an amount of days or seconds; what is too much the gateway says. */
export function readAmount(text: string): number {
	if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return Number(text);
	throw new InvalidArgumentError("it is a number");
}
