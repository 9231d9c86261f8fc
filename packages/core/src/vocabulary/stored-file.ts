import { createHash } from "node:crypto";
import { ParleyError } from "@parley/base";
import type { ImageType } from "./message.ts";
import { storedFileTexts } from "./texts.ts";

/** Public facts about a stored file. */
export interface FileFacts {
	readonly id: string;
	/** Display name: a plain name without directories, safe to show and to write. */
	readonly name: string;
	/** Type that was detected from the content, such as `image/png`. `application/octet-stream` if unknown. */
	readonly mediaType: string;
	readonly bytes: number;
}

/** Public and internal facts about a stored file. */
export interface StoredFile extends FileFacts {
	/** SHA-256 of the content, in hexadecimal. */
	readonly sha256: string;
	/** Milliseconds since the epoch. A file of a session does not expire before the session is deleted. */
	readonly expiresAt: number;
}

/** Returns only the public facts, as events and messages contain them. */
export function publicFileFacts({ id, name, mediaType, bytes }: FileFacts): FileFacts {
	return { id, name, mediaType, bytes };
}

/** A file of a message. After the start of the run, `path`, `shown` or `problem` states how the model gets the file. */
export interface Attachment extends FileFacts {
	/** Path of the copy for the model, relative to the working directory. */
	readonly path?: string;
	/** True if the model sees the image itself. */
	readonly shown?: true;
	/** Reason why the model gets neither a copy nor the image. */
	readonly problem?: string;
}

/** Whether it is still undecided how the model gets the file. */
export function isUndecided({ path, shown, problem }: Attachment): boolean {
	return path === undefined && !shown && problem === undefined;
}

/** Returns a text for the model with one line for each attachment of a message. */
export function attachmentLines(attachments: readonly Attachment[]): string {
	return attachments.map((attachment) => `[attached: ${describe(attachment)}]`).join("\n");
}

function describe({ name, mediaType, bytes, path, shown, problem }: Attachment): string {
	const facts = `${path ?? name}, ${mediaType}, ${sizeOf(bytes)}`;
	if (problem !== undefined) return storedFileTexts.notHere(facts, problem);
	if (path !== undefined || shown) return facts;
	return storedFileTexts.turnEnded(facts);
}

/** Formats a size for people and models. */
export function sizeOf(bytes: number): string {
	if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
	if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KiB`;
	return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

/** Formats a limit for people and models without rounding, for example `25 MiB`. */
export function exactSizeOf(bytes: number): string {
	const units = [
		["GiB", 2 ** 30],
		["MiB", 2 ** 20],
		["KiB", 2 ** 10],
	] as const;
	const unit = units.find(([, size]) => bytes >= size && bytes % size === 0);
	if (unit) return `${bytes / unit[1]} ${unit[0]}`;
	return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}

export interface FileLimits {
	/** Maximum bytes of one file. */
	readonly maxBytes: number;
	/** Maximum total bytes of all files. At least `leastCounted` bytes are charged for each file. */
	readonly quotaBytes: number;
	/** Milliseconds until a file that belongs to no message expires. */
	readonly retentionMs: number;
}

export const defaultFileLimits: FileLimits = {
	maxBytes: 32 * 1024 * 1024,
	quotaBytes: 1024 * 1024 * 1024,
	retentionMs: 7 * 24 * 60 * 60 * 1000,
};

/** Minimum bytes that the quota charges for a file, because of its row, its directory entry and its disk block. */
export const leastCounted = 4 * 1024;

export class FileTooLargeError extends ParleyError {
	constructor(maxBytes: number) {
		super(storedFileTexts.tooLarge(exactSizeOf(maxBytes)), { code: "resource_exhausted" });
	}
}

/** Returns the error for a tool result for which there is no space, even after the deletion of all removable results. */
export function noRoomForOutput(quotaBytes: number): ParleyError {
	return new ParleyError(storedFileTexts.noSpaceForResult(exactSizeOf(quotaBytes)), {
		code: "resource_exhausted",
	});
}

export function refuseOverQuota(bytes: number, { quotaBytes }: FileLimits): void {
	if (bytes <= quotaBytes) return;
	throw new ParleyError(storedFileTexts.noSpaceForFile(exactSizeOf(quotaBytes), exactSizeOf(leastCounted)), {
		code: "resource_exhausted",
	});
}

/** Prefix of the id of every stored result. The ids of other stored files begin with `file_`. */
export const outputPrefix = "output_";

/** Returns the name of the complete result of a tool call. The name is also the result's file id. */
export function outputName(sessionId: string, callId: string): string {
	const hash = createHash("sha256").update(`${sessionId} ${callId}`).digest("hex");
	return `${outputPrefix}${hash.slice(0, 26)}`;
}

/**
 * Whether a path that a model wrote is the name of a stored result. For a file in the working directory with this name,
 * the model can write `./output_…`.
 */
export function isOutputName(path: string): boolean {
	return /^output_[0-9a-f]{26}$/.test(path);
}

/** Patterns of the first bytes of an image, in hexadecimal: https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern */
const kinds: { readonly [Type in ImageType]: { readonly name: string; readonly begins: RegExp } } = {
	"image/png": { name: "PNG", begins: /^89504e470d0a1a0a/ },
	"image/jpeg": { name: "JPEG", begins: /^ffd8ff/ },
	"image/gif": { name: "GIF", begins: /^474946383[79]61/ },
	"image/webp": { name: "WebP", begins: /^52494646.{8}57454250/ },
};

/** Number of base64 characters for twelve bytes, which are enough to identify every type. */
const sampleLength = 16;

interface ImageData {
	readonly mediaType: ImageType;
	/** Base64. */
	readonly data: string;
}

/** Returns the reason why the first bytes of an image do not match its declared type, or undefined if they match. */
export function imageProblem({ mediaType, data }: ImageData): string | undefined {
	const { name, begins } = kinds[mediaType];
	const beginning = Buffer.from(data.slice(0, sampleLength), "base64").toString("hex");
	return begins.test(beginning) ? undefined : `not a ${name}`;
}
