import { expect, test } from "vitest";
import { type LineSlice, sliceLines } from "./line-slice.ts";

function slice(
	text: string | Buffer,
	wanted: Partial<Parameters<typeof sliceLines>[1]>,
	size = 3,
): Promise<LineSlice> {
	const bytes = Buffer.from(text);
	async function* chunks(): AsyncGenerator<Buffer> {
		for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
	}
	return sliceLines(chunks(), { first: 1, lines: 100, bytes: 1000, ...wanted });
}

test("lines are counted right however the chunks fall", async () => {
	const lines = Array.from({ length: 30 }, (_, index) => `${"x".repeat(index % 7)}${index + 1}\n`);
	for (let size = 1; size < 40; size += 1) {
		for (let first = 1; first <= 30; first += 3) {
			const { text, next } = await slice(lines.join(""), { first, lines: 5 }, size);
			expect(text).toBe(lines.slice(first - 1, first + 4).join(""));
			expect(next).toBe(first + 5 > 30 ? undefined : first + 5);
		}
	}
});

test("a last line without an end is a line", async () => {
	expect(await slice("a\nb", { first: 2 })).toMatchObject({ text: "b", next: undefined });
	expect(await slice("a\nb", { lines: 1 })).toMatchObject({ text: "a\n", next: 2 });
});

test("beyond the end the number of lines is told", async () => {
	expect(await slice("a\nb\n", { first: 3 })).toMatchObject({ text: "", total: 2 });
	expect(await slice("a\nb", { first: 9 })).toMatchObject({ text: "", total: 2 });
	expect(await slice("", {})).toMatchObject({ text: "", total: 0 });
});

test("the limit of bytes cuts after a whole line", async () => {
	expect(await slice("aaa\nbbb\nccc\n", { bytes: 9 })).toMatchObject({
		text: "aaa\nbbb\n",
		next: 3,
		cut: false,
	});
	expect(await slice("aaa\nbbb\nccc\n", { bytes: 8 })).toMatchObject({ text: "aaa\nbbb\n", next: 3 });
	expect(await slice("aaa\nbbb\nccc\n", { bytes: 12 })).toMatchObject({
		text: "aaa\nbbb\nccc\n",
		next: undefined,
	});
	expect(await slice("aaa\nbbb\nccc\n", { first: 2, bytes: 5 })).toMatchObject({ text: "bbb\n", next: 3 });
});

test("a line longer than the limit is cut between characters", async () => {
	expect(await slice("é".repeat(10), { bytes: 5 })).toMatchObject({ text: "éé", next: 2, cut: true });
});

test("bytes that are no text are replaced", async () => {
	expect((await slice(Buffer.from([0x61, 0xff, 0, 0x62]), {})).text).toBe("a\u{fffd}\u{fffd}b");
});

test("no more is read than is needed", async () => {
	let read = 0;
	async function* endless(): AsyncGenerator<Buffer> {
		for (;;) {
			read += 1;
			yield Buffer.from("line\n");
		}
	}
	expect(await sliceLines(endless(), { first: 3, lines: 2, bytes: 1000 })).toMatchObject({
		text: "line\nline\n",
		next: 5,
	});
	expect(read).toBe(5);
});
