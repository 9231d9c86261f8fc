import { readFileSync } from "node:fs";
import { parseJson } from "@parley/base";
import * as z from "zod";

const Exception = z.strictObject({
	/** A file or a folder, relative to the root. */
	path: z.string().min(1),
	/** Part of the sentence. Without it all sentences at the path are excepted. */
	text: z.string().min(1).optional(),
	reason: z.string().min(1),
});
export type Exception = z.infer<typeof Exception>;

const file = new URL("exceptions.json", import.meta.url);

export function readExceptions(): Exception[] {
	return z.array(Exception).parse(parseJson(readFileSync(file, "utf8")));
}

export function isExcepted(exceptions: readonly Exception[], file: string, sentence: string): boolean {
	return exceptions.some(
		({ path, text }) =>
			(file === path || file.startsWith(`${path}/`)) && (text === undefined || sentence.includes(text)),
	);
}
