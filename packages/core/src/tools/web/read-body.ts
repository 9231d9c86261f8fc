import type { Readable, Transform } from "node:stream";
import * as zlib from "node:zlib";
import { ParleyError } from "@parley/base";

/** What servers are told that they may pack a body with. `deflate` means two formats in practice, so nobody is asked for it. */
export const acceptedEncodings = "gzip, br, zstd";

/** The beginning of a body, unpacked. */
export interface Body {
	readonly bytes: Buffer;
	/** Whether there was more. */
	readonly cut: boolean;
}

/**
 * Reads a body up to `limit` bytes, counted as they come out of unpacking, so that a small body that unpacks into a
 * huge one costs no more than any other. Throws `unavailable` where it is damaged, cannot be unpacked, or ends early.
 */
export async function readBody(source: Readable, encoding: string, limit: number): Promise<Body> {
	// The stream is read to its end, its limit or its error below; what it reports when it is let go is of no interest.
	source.on("error", () => undefined);
	try {
		const unpacker = unpackerOf(encoding);
		if (!unpacker) return await collect(source, limit);
		source.once("error", (reason) => unpacker.destroy(reason));
		let empty = true;
		source.once("data", () => {
			empty = false;
		});
		return await collect(source.pipe(unpacker), limit).catch((reason) => {
			// Servers announce an encoding of nothing at all, too.
			if (empty && source.readableEnded) return { bytes: Buffer.alloc(0), cut: false };
			throw reason;
		});
	} catch (reason) {
		if (reason instanceof ParleyError) throw reason;
		throw new ParleyError("the page ended early or is damaged", { code: "unavailable", cause: reason });
	} finally {
		source.destroy();
	}
}

/** Copies into one buffer: a body may come as millions of chunks of one byte, each an object otherwise. */
async function collect(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<Body> {
	const bytes = Buffer.allocUnsafe(limit);
	let used = 0;
	for await (const chunk of chunks) {
		bytes.set(chunk.subarray(0, limit - used), used);
		used += chunk.length;
		if (used > limit) return { bytes, cut: true };
	}
	return { bytes: bytes.subarray(0, used), cut: false };
}

function unpackerOf(encoding: string): Transform | undefined {
	switch (encoding.trim().toLowerCase()) {
		case "":
		case "identity":
			return undefined;
		case "gzip":
		case "x-gzip":
			return zlib.createGunzip();
		case "deflate":
			return zlib.createInflate();
		case "br":
			return zlib.createBrotliDecompress();
		case "zstd":
			// What a browser must be able to unpack; more memory than that is nobody's page: https://www.rfc-editor.org/rfc/rfc9659
			return zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } });
		default:
			throw new ParleyError("the page is packed in a way that was not asked for", { code: "unavailable" });
	}
}
