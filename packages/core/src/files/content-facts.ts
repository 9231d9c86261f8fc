import { createHash } from "node:crypto";

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
export class ContentWatch {
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
	const told = await fileTypeFromBuffer(sample);
	if (told && !active.test(told.mime)) return told.mime;
	return text ? "text/plain" : unknownType;
}
