import { Readable } from "node:stream";
import * as zlib from "node:zlib";
import { expect, test } from "vitest";
import { readBody } from "./get-page.ts";

const limit = 100_000;
const text = "seven words of some text that repeats. ".repeat(500);
const packers = {
	gzip: zlib.gzipSync,
	"x-gzip": zlib.gzipSync,
	deflate: zlib.deflateSync,
	br: (data: Buffer | string) =>
		zlib.brotliCompressSync(data, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
	zstd: zlib.zstdCompressSync,
} as const;
const names = Object.keys(packers) as (keyof typeof packers)[];

function inChunks(bytes: Buffer, size = 1_000): Readable {
	const count = Math.ceil(bytes.length / size);
	return Readable.from(
		Array.from({ length: count }, (_, n) => bytes.subarray(n * size, (n + 1) * size)),
		{ objectMode: false },
	);
}

test.each(names)("%s is unpacked", async (encoding) => {
	const source = inChunks(packers[encoding](text), 7);
	const { bytes, cut } = await readBody(source, ` ${encoding.toUpperCase()} `, limit);
	expect([bytes.toString(), cut]).toEqual([text, false]);
	expect(source.destroyed).toBe(true);
});

test("uncompressed content is read unchanged, up to the limit", async () => {
	for (const encoding of ["", "identity"]) {
		expect((await readBody(inChunks(Buffer.from(text)), encoding, limit)).bytes.toString()).toBe(text);
	}
	const exact = await readBody(inChunks(Buffer.alloc(limit, "a")), "", limit);
	expect([exact.bytes.length, exact.cut]).toEqual([limit, false]);
	const over = await readBody(inChunks(Buffer.alloc(limit + 1, "a")), "", limit);
	expect([over.bytes.length, over.cut]).toEqual([limit, true]);
	const empty = await readBody(Readable.from([]), "gzip", limit);
	expect([empty.bytes.length, empty.cut]).toEqual([0, false]);
});

test.each(names)("a bomb of %s costs no more than the limit", async (encoding) => {
	const packed = packers[encoding](Buffer.alloc(50 * 1024 * 1024));
	expect(packed.length).toBeLessThan(60_000);
	const source = inChunks(packed, 16_000);
	const { bytes, cut } = await readBody(source, encoding, limit);
	expect([bytes.length, cut]).toEqual([limit, true]);
	expect(source.destroyed).toBe(true);
});

test("a body that never ends is read up to the limit", async () => {
	const endless = Readable.from(
		(function* () {
			for (;;) yield Buffer.alloc(1, "a");
		})(),
	);
	expect(await readBody(endless, "", 5_000)).toMatchObject({ cut: true });
	expect(endless.destroyed).toBe(true);
});

test.each(names)("damaged or cut off %s is reported", async (encoding) => {
	const packed = packers[encoding](text);
	const damaged = Buffer.from(packed);
	damaged.fill(0xff, 2, 12);
	const fault = { code: "unavailable", message: "the page ended early or is damaged: try again later" };
	await expect(readBody(inChunks(damaged), encoding, limit)).rejects.toMatchObject(fault);
	await expect(readBody(inChunks(packed.subarray(0, -10)), encoding, limit)).rejects.toMatchObject(fault);
});

test("an error of the source is reported, compressed or not", async () => {
	const broken = (): Readable =>
		Readable.from(
			(async function* () {
				yield zlib.gzipSync(text).subarray(0, 20);
				throw new Error("reset");
			})(),
		);
	for (const encoding of ["", "gzip"]) {
		await expect(readBody(broken(), encoding, limit)).rejects.toMatchObject({ code: "unavailable" });
	}
});

test.each(["gzip, gzip", "compress", "aes128gcm", "exi"])("%s is refused", async (encoding) => {
	const source = inChunks(Buffer.from(text));
	await expect(readBody(source, encoding, limit)).rejects.toMatchObject({
		message: "the page has an encoding that was not requested: use another page",
	});
	expect(source.destroyed).toBe(true);
});

test("zstd that requires more memory than pages may use is refused", async () => {
	const wide = zlib.zstdCompressSync(Buffer.alloc(17 * 1024 * 1024), {
		params: { [zlib.constants.ZSTD_c_windowLog]: 27 },
	});
	await expect(readBody(inChunks(wide), "zstd", limit)).rejects.toMatchObject({ code: "unavailable" });
});
