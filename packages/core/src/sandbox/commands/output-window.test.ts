import { expect, test } from "vitest";
import { OutputWindow } from "./command-runs.ts";

function windowOf(maxBytes: number, ...chunks: readonly (string | Buffer)[]): string {
	const window = new OutputWindow(maxBytes);
	for (const chunk of chunks) window.write(Buffer.from(chunk));
	return window.text();
}

test("output that fits is returned unchanged", () => {
	expect(windowOf(10, "abc", "defghij")).toBe("abcdefghij");
	expect(windowOf(10)).toBe("");
});

test("the middle of longer output is left out with a marker that counts it", () => {
	expect(windowOf(10, "0123456789", "abcdefghij")).toBe("01234\n[… 10 bytes left out …]\nfghij");
	expect(windowOf(4, "abcdefg")).toBe("ab\n[… 3 bytes left out …]\nfg");
});

test("the tail is correct for all chunk boundaries", () => {
	const text = Array.from({ length: 500 }, (_, index) => `${index},`).join("");
	for (const size of [1, 2, 3, 7, 16, 63, 64, 65, 1000]) {
		const chunks = text.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
		const expected = `${text.slice(0, 32)}\n[… ${text.length - 64} bytes left out …]\n${text.slice(-32)}`;
		expect(windowOf(64, ...chunks), `chunks of ${size}`).toBe(expected);
	}
});

test("a character that is split between chunks is joined again", () => {
	const bytes = Buffer.from("aé漢😀z");
	const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
	expect(windowOf(100, ...single)).toBe("aé漢😀z");
});

test("the cut never falls inside a character", () => {
	const text = "aé漢😀".repeat(40);
	for (let maxBytes = 1; maxBytes < 60; maxBytes += 1) {
		const cut = windowOf(maxBytes, text);
		expect(cut).not.toContain("\u{fffd}");
		const [head = "", tail = ""] = cut.split(/\n\[… \d+ bytes left out …\]\n/);
		expect(text.startsWith(head)).toBe(true);
		expect(text.endsWith(tail)).toBe(true);
		const left = Number(/… (\d+) bytes/.exec(cut)?.[1]);
		expect(Buffer.byteLength(head) + Buffer.byteLength(tail) + left).toBe(Buffer.byteLength(text));
	}
});

test("NUL and invalid UTF-8 are replaced and still kept within the limit", () => {
	expect(windowOf(100, Buffer.from([0x61, 0, 0xff, 0x62]))).toBe("a\u{fffd}\u{fffd}b");
	expect(windowOf(100, Buffer.from([0x61, 0xe6, 0xbc]))).toBe("a\u{fffd}");
	const noise = windowOf(1000, Buffer.alloc(5000, 0xff));
	expect(Buffer.byteLength(noise)).toBeLessThan(1050);
});

test("after 8 MiB the stream is counted but not stored", () => {
	const window = new OutputWindow(100);
	const chunk = Buffer.alloc(1024 * 1024, "a");
	for (let written = 0; written < 8; written += 1) window.write(chunk);
	window.write(Buffer.alloc(1024 * 1024, "z"));
	expect(window.text()).toBe(
		`${"a".repeat(50)}\n[… ${9 * 1024 * 1024 - 100} bytes left out …]\n${"a".repeat(50)}`,
	);
});
