import { InvalidArgumentError } from "commander";
import { commandLineTexts } from "../texts/command-line.ts";

/** Reads `--limit`, the maximum number of listed items: 1 to 1000. */
export function readLimit(text: string): number {
	const limit = Number(text);
	if (/^\d{1,4}$/.test(text) && limit >= 1 && limit <= 1000) return limit;
	throw new InvalidArgumentError(commandLineTexts.invalidLimit);
}

/** Reads a number that is not negative, such as `2` or `0.5`. The gateway or the command checks its range. */
export function readAmount(text: string): number {
	if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return Number(text);
	throw new InvalidArgumentError(commandLineTexts.invalidNumber);
}
