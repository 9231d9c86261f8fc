import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, rm } from "node:fs/promises";

/** What a content tells of itself. */
export interface ContentFacts {
	readonly bytes: number;
	/** Hexadecimal. */
	readonly sha256: string;
	readonly mediaType: string;
}

/** Enough of an office document, which is an archive, to hold the entry that tells its kind. */
export const sampleBytes = 64 * 1024;
const unknownType = "application/octet-stream";
/** What a browser would run or render, were it told so. Kept as the plain text that it is. */
const active = /^text\/|[/+]xml$|html|svg|javascript/;

/** Looks at a content as it comes, piece by piece, and holds no more of it than its beginning. */
class ContentWatch {
	readonly #hash = createHash("sha256");
	readonly #decoder = new TextDecoder("utf-8", { fatal: true });
	readonly #sample: Uint8Array[] = [];
	#sampled = 0;
	#bytes = 0;
	#text = true;

	take(chunk: Uint8Array): void {
		this.#hash.update(chunk);
		this.#bytes += chunk.length;
		if (this.#sampled < sampleBytes) {
			const part = chunk.slice(0, sampleBytes - this.#sampled);
			this.#sample.push(part);
			this.#sampled += part.length;
		}
		this.#text &&= !chunk.includes(0) && this.#decodes(chunk);
	}

	/** Ends it. */
	async facts(): Promise<ContentFacts> {
		const text = this.#text && this.#decodes(undefined);
		const mediaType = await mediaTypeOf(Buffer.concat(this.#sample), text);
		return { bytes: this.#bytes, sha256: this.#hash.digest("hex"), mediaType };
	}

	#decodes(chunk: Uint8Array | undefined): boolean {
		try {
			this.#decoder.decode(chunk, { stream: chunk !== undefined });
			return true;
		} catch {
			// The only fault that a decoder finds: this is no UTF-8.
			return false;
		}
	}
}

/** What kind of content begins like this; `text`: whether all of it is text. */
export async function mediaTypeOf(sample: Buffer, text: boolean): Promise<string> {
	// Loaded with the first file: most gateways start without one.
	const { fileTypeFromBuffer } = await import("file-type");
	const detected = await fileTypeFromBuffer(sample);
	if (detected && !active.test(detected.mime)) return detected.mime;
	return text ? "text/plain" : unknownType;
}

interface WriteOptions {
	/** For this user alone unless told. */
	readonly mode?: number;
	/** May throw before each piece is written, told how large it is. */
	readonly admit?: (bytes: number) => void;
}

/**
 * Writes a content to a file that was not there, as fast as the disk takes it: durable and whole when it resolves,
 * nothing of it is left when it rejects.
 */
export async function writeContent(
	path: string,
	content: AsyncIterable<Uint8Array>,
	{ mode = 0o600, admit }: WriteOptions = {},
): Promise<ContentFacts> {
	const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
	await using file = await open(path, flags, mode);
	const watch = new ContentWatch();
	try {
		for await (const chunk of content) {
			admit?.(chunk.length);
			watch.take(chunk);
			await file.writeFile(chunk);
		}
		await file.sync();
		return await watch.facts();
	} catch (reason) {
		await rm(path, { force: true });
		throw reason;
	}
}

/** Leaves room for what a copy is told apart by; most file systems take 255. */
const maxBytes = 200;
const fallback = "file";

/** What shells, file systems or people would read as something else: also beyond ASCII, controls and direction marks. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}<>:"|?*]/gu;
/** https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file#naming-conventions */
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?=\.|$)/i;

/**
 * A plain file name from what somebody calls a file: no directories, nothing hidden or invisible, no name that a system
 * keeps for itself, at most 200 bytes of UTF-8 with the ending kept; `file` where nothing is left.
 */
export function safeFileName(text: string): string {
	const base = text.split(/[/\\]/).at(-1) ?? "";
	const plain = base
		.normalize("NFC")
		.replaceAll(unsafe, "")
		.replaceAll(/\p{Zs}+/gu, " ")
		.replace(/^[. ]+/, "")
		.replace(/[. ]+$/, "");
	const free = reserved.test(plain) ? `_${plain}` : plain;
	return shortened(free) || fallback;
}

/** The name for the nth file that wants it, from 1: `report.pdf`, `report-2.pdf`, … */
export function nthName(name: string, n: number): string {
	const { stem, ending } = split(name);
	return n === 1 ? name : `${stem}-${n}${ending}`;
}

function shortened(name: string): string {
	const { stem, ending } = split(name);
	const room = maxBytes - Buffer.byteLength(ending);
	return `${within(stem, room)}${ending}`;
}

/** As many whole characters as fit. */
function within(text: string, room: number): string {
	let kept = "";
	let bytes = 0;
	for (const character of text) {
		bytes += Buffer.byteLength(character);
		if (bytes > room) return kept.trimEnd();
		kept += character;
	}
	return kept;
}

/** An ending longer than any that tells something is part of the name. */
function split(name: string): { readonly stem: string; readonly ending: string } {
	const ending = /(?<=.)(?:\.tar)?\.[^. ]{1,16}$/u.exec(name)?.[0] ?? "";
	return { stem: name.slice(0, name.length - ending.length), ending };
}
