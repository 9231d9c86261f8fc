import { InvalidArgumentError } from "commander";

/** Reads `--limit`: how many of something a gateway lists at once. */
export function readLimit(text: string): number {
	const limit = Number(text);
	if (/^\d{1,4}$/.test(text) && limit >= 1 && limit <= 1000) return limit;
	throw new InvalidArgumentError("it is a whole number from 1 to 1000");
}
