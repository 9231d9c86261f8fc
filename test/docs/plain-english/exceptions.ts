import { readFileSync } from "node:fs";
import { parseJson } from "@parley/base";
import * as z from "zod";

const Exception = z.strictObject({
	/** A file or folder, relative to the root of the repository. */
	path: z.string().min(1),
	/** Part of the sentence, or a complete identifier. If undefined, the exception covers all findings at the path. */
	text: z.string().min(1).optional(),
	reason: z.string().min(1),
});
export type Exception = z.infer<typeof Exception>;

const file = new URL("exceptions.json", import.meta.url);

export function readExceptions(): Exception[] {
	return z.array(Exception).parse(parseJson(readFileSync(file, "utf8")));
}

export function isExceptedName(exceptions: readonly Exception[], file: string, name: string): boolean {
	return exceptions.some((one) => isAt(file, one.path) && (one.text === undefined || one.text === name));
}

export function isExcepted(exceptions: readonly Exception[], file: string, sentence: string): boolean {
	return exceptions.some(
		({ path, text }) => isAt(file, path) && (text === undefined || sentence.includes(text)),
	);
}

function isAt(file: string, path: string): boolean {
	return file === path || file.startsWith(`${path}/`);
}
