import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, rm } from "node:fs/promises";

export interface ContentFacts {
	readonly bytes: number;
	/** SHA-256 of the content in lower-case hexadecimal. */
	readonly sha256: string;
	readonly mediaType: string;
}

/**
 * Maximum first bytes of content from which the media type is detected. In an office document, these bytes usually
 * contain the ZIP entry that names the document type.
 */
export const sampleBytes = 64 * 1024;
const unknownType = "application/octet-stream";
/**
 * Pattern of the types that browsers run or render. Content of these types gets `text/plain`, or `unknownType`
 * if it is not text.
 */
const active = /^text\/|[/+]xml$|html|svg|javascript/;

/** Computes the facts of content that arrives in chunks. Stores only the beginning of the content. */
class ContentWatch {
	readonly #hash = createHash("sha256");
	readonly #decoder = new TextDecoder("utf-8", { fatal: true });
	readonly #sample: Uint8Array[] = [];
	#sampled = 0;
	#bytes = 0;
	#text = true;

	add(chunk: Uint8Array): void {
		this.#hash.update(chunk);
		this.#bytes += chunk.length;
		if (this.#sampled < sampleBytes) {
			const part = chunk.slice(0, sampleBytes - this.#sampled);
			this.#sample.push(part);
			this.#sampled += part.length;
		}
		this.#text &&= !chunk.includes(0) && this.#decodes(chunk);
	}

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
			// The decoder throws only for invalid UTF-8.
			return false;
		}
	}
}

/** Returns the media type of content from its beginning. `text`: whether the entire content is text. */
export async function mediaTypeOf(sample: Buffer, text: boolean): Promise<string> {
	// Imported when the first file arrives, because most gateways start without files.
	const { fileTypeFromBuffer } = await import("file-type");
	const detected = await fileTypeFromBuffer(sample);
	if (detected && !active.test(detected.mime)) return detected.mime;
	return text ? "text/plain" : unknownType;
}

interface WriteOptions {
	/** Permissions of the file. Default: readable and writable only for the user of the gateway process. */
	readonly mode?: number;
	/** Receives the number of bytes of each piece before the piece is written. May throw. */
	readonly admit?: (bytes: number) => void;
}

/**
 * Writes content to a new file and returns the facts of the content. Throws if the path is in use. The content
 * is synced to the disk before the promise resolves. If writing fails, the file is deleted.
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
			watch.add(chunk);
			await file.writeFile(chunk);
		}
		await file.sync();
		return await watch.facts();
	} catch (reason) {
		await rm(path, { force: true });
		throw reason;
	}
}

/**
 * Maximum bytes of a file name. Most file systems allow 255 bytes, so there is room for the number of a copy.
 */
const maxNameBytes = 200;
const fallback = "file";

/** Characters that Windows does not allow in names, or that mislead people, such as direction marks. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}<>:"|?*]/gu;
/**
 * Pattern of the file names that Windows reserves:
 * https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file#naming-conventions
 */
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?=\.|$)/i;

/**
 * Returns a safe file name for an untrusted name: no directories, no leading dot, no invisible characters, no reserved
 * name, at most 200 bytes of UTF-8. Keeps a short file extension. Returns `file` if no character is left.
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

/** Returns the name for the nth file with the name `name`, from 1: `report.pdf`, `report-2.pdf`, … */
export function nthName(name: string, n: number): string {
	const { stem, ending } = split(name);
	return n === 1 ? name : `${stem}-${n}${ending}`;
}

function shortened(name: string): string {
	const { stem, ending } = split(name);
	const room = maxNameBytes - Buffer.byteLength(ending);
	return `${within(stem, room)}${ending}`;
}

/** Cuts a text to `room` bytes of UTF-8, between characters. */
function within(text: string, room: number): string {
	let beginning = "";
	let bytes = 0;
	for (const character of text) {
		bytes += Buffer.byteLength(character);
		if (bytes > room) return beginning.trimEnd();
		beginning += character;
	}
	return beginning;
}

function split(name: string): { readonly stem: string; readonly ending: string } {
	const ending = /(?<=.)(?:\.tar)?\.[^. ]{1,16}$/u.exec(name)?.[0] ?? "";
	return { stem: name.slice(0, name.length - ending.length), ending };
}
