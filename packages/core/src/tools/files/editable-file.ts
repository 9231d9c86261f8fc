import { isUtf8 } from "node:buffer";
import { ParleyError } from "@parley/base";
import type { FileState } from "./file-state.ts";
import { findNearestLines } from "./nearest-lines.ts";
import type { WriteTarget } from "./write-target.ts";

/** The longest text that is edited or put in, in UTF-16 units; in bytes, the largest file. */
export const MAX_EDITABLE = 256 * 1024;
const MAX_NAMED_LINES = 10;
const MAX_EXCERPT_LINES = 20;
const MAX_EXCERPT = 4_000;

/** Whether what stands in the file may be read without asking, so that answers may tell it. */
export function isOpen({ root, classes }: WriteTarget): boolean {
	return root !== undefined && !classes.includes("secret");
}

/** The text of a file that is there and can be edited; `maker` is the tool that makes files. */
export function editableText(
	{ mode, content, size }: FileState,
	{ path, maker }: { readonly path: string; readonly maker: string },
): string {
	const refuse = (why: string, code: "not_found" | "invalid_argument"): never => {
		throw new ParleyError(`cannot edit ${JSON.stringify(path)}: ${why}`, { code });
	};
	if (mode === undefined) return refuse(`there is no such file, ${maker} makes new ones`, "not_found");
	if (content === undefined) {
		return refuse(`it has ${size} bytes, at most ${MAX_EDITABLE} can be edited`, "invalid_argument");
	}
	if (content.includes(0)) return refuse("it is a binary file", "invalid_argument");
	// Bytes that are no text would not survive.
	if (!isUtf8(content)) return refuse("it is not UTF-8 text", "invalid_argument");
	return content.toString();
}

/** What of the text comes near to what is not in it, as the end of a message. */
export function nearest(text: string, wanted: string): string {
	if (text === "") return ", which is empty";
	const near = findNearestLines(text, wanted);
	if (near === undefined) return ", and no line of it comes near: read it again";
	const { first, last, lines, difference } = near;
	const excerpt = lines.slice(0, MAX_EXCERPT_LINES).join("\n").slice(0, MAX_EXCERPT).toWellFormed();
	const whole = excerpt.length === lines.join("\n").length ? "" : "\n[… cut …]";
	return `; ${difference}. Nearest are lines ${first} to ${last}:\n${excerpt}${whole}`;
}

/** `one place, line 3` */
export function places(lines: readonly number[]): string {
	return `${lines.length === 1 ? "one place" : `${lines.length} places`}, ${lineNumbers(lines)}`;
}

/** `lines 3, 5 and 7 more` */
export function lineNumbers(lines: readonly number[]): string {
	const named = [...new Set(lines)];
	const more = named.length - MAX_NAMED_LINES;
	const shown = named.slice(0, MAX_NAMED_LINES).join(", ");
	return `line${named.length === 1 ? "" : "s"} ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}
