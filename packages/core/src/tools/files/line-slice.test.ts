import { expect, test } from "vitest";
import { type LineSlice, sliceLines } from "./read-file.ts";

function slice(
	text: string | Buffer,
	requested: Partial<Parameters<typeof sliceLines>[1]>,
	size = 3,
): Promise<LineSlice> {
	const bytes = Buffer.from(text);
	async function* chunks(): AsyncGenerator<Buffer> {
		for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
	}
	return sliceLines(chunks(), { first: 1, column: 1, lines: 100, characters: 1000, ...requested });
}

test("lines are counted correctly for all chunk boundaries", async () => {
	const lines = Array.from({ length: 30 }, (_, index) => `${"x".repeat(index % 7)}${index + 1}\n`);
	for (let size = 1; size < 40; size += 1) {
		for (let first = 1; first <= 30; first += 3) {
			const { text, next } = await slice(lines.join(""), { first, lines: 5 }, size);
			expect(text).toBe(lines.slice(first - 1, first + 4).join(""));
			expect(next).toEqual(first + 5 > 30 ? undefined : { line: first + 5 });
		}
	}
});

test("a last line without an end is a line", async () => {
	expect(await slice("a\nb", { first: 2 })).toMatchObject({ text: "b", next: undefined });
	expect(await slice("a\nb", { lines: 1 })).toMatchObject({ text: "a\n", next: { line: 2 } });
});

test("beyond the end the result has the number of lines", async () => {
	expect(await slice("a\nb\n", { first: 3 })).toMatchObject({ text: "", total: 2 });
	expect(await slice("a\nb", { first: 9 })).toMatchObject({ text: "", total: 2 });
	expect(await slice("", {})).toMatchObject({ text: "", total: 0 });
});

test("the limit of characters cuts after a whole line", async () => {
	const text = "aaa\nbbb\nccc\n";
	const two = { text: "aaa\nbbb\n", next: { line: 3 } };
	expect(await slice(text, { characters: 9 })).toMatchObject(two);
	expect(await slice(text, { characters: 8 })).toMatchObject(two);
	expect(await slice(text, { characters: 12 })).toMatchObject({ text, next: undefined });
	expect(await slice(text, { first: 2, characters: 5 })).toMatchObject({ text: "bbb\n", next: { line: 3 } });
});

test("a line longer than the limit is read in parts that join to the complete line", async () => {
	const line = "é😀x".repeat(10);
	for (let characters = 2; characters < 12; characters += 1) {
		for (let size = 1; size < 12; size += 1) {
			let [first, column, text] = [2, 1, ""];
			for (let pages = 0; pages < 50 && first < 3; pages += 1) {
				const page = await slice(`a\n${line}\nb\n`, { first, column, characters }, size);
				text += page.text;
				expect(page.text.isWellFormed()).toBe(true);
				expect(page.text.length).toBeLessThanOrEqual(characters);
				({ line: first, column = 1 } = page.next ?? { line: 3 });
			}
			expect(text.slice(0, line.length + 1)).toBe(`${line}\n`);
		}
	}
});

test("a column beyond the end of its line is the end of the line", async () => {
	expect(await slice("ab\ncd\n", { column: 9 })).toMatchObject({ text: "\ncd\n", next: undefined });
});

test("bytes that are not text are replaced", async () => {
	expect((await slice(Buffer.from([0x61, 0xff, 0, 0x62]), {})).text).toBe("a\u{fffd}\u{fffd}b");
});

test("only the necessary part is read", async () => {
	let read = 0;
	async function* endless(): AsyncGenerator<Buffer> {
		for (;;) {
			read += 1;
			yield Buffer.from("line\n");
		}
	}
	expect(await sliceLines(endless(), { first: 3, column: 1, lines: 2, characters: 1000 })).toMatchObject({
		text: "line\nline\n",
		next: { line: 5 },
	});
	expect(read).toBe(5);
});
