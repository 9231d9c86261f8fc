import type { FileFacts } from "./file-facts.ts";

/** A file that came with a message, and what became of it for the model once the run has begun to work. */
export interface Attachment extends FileFacts {
	/** Where it was put, relative to the working directory. */
	readonly path?: string;
	/** The model sees it. */
	readonly shown?: true;
	/** Why neither is so. */
	readonly problem?: string;
}

/** Whether it has not been handed over yet. */
export function isOpen({ path, shown, problem }: Attachment): boolean {
	return path === undefined && !shown && problem === undefined;
}

/** What the model is told of what came with a message: one line each. */
export function attachmentLines(attachments: readonly Attachment[]): string {
	return attachments.map((attachment) => `[attached: ${toldOf(attachment)}]`).join("\n");
}

function toldOf({ name, mediaType, bytes, path, shown, problem }: Attachment): string {
	const facts = `${path ?? name}, ${mediaType}, ${sizeOf(bytes)}`;
	if (problem !== undefined) return `${facts}; not here: ${problem}`;
	if (path !== undefined || shown) return facts;
	return `${facts}; not here: the turn ended before it was handed over`;
}

/** For people and models. */
export function sizeOf(bytes: number): string {
	if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
	if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KiB`;
	return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
