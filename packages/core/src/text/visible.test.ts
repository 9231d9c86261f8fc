import { expect, test } from "vitest";
import { mixedScriptNotes, visible, visibleLines } from "./visible.ts";

/** Returns the text for which `visible` returned `shown`. */
function seenThrough(shown: string): string {
	return shown.replaceAll(/\\u\{([0-9a-f]+)\}/g, (_, hex: string) =>
		String.fromCodePoint(Number.parseInt(hex, 16)),
	);
}

test("ordinary text of any language is shown unchanged", () => {
	for (const text of ["ls -la | grep 'x'", "größe", "日本語", "printf 'a\\n\\u0041'", "😀"]) {
		expect(visible(text)).toBe(text);
	}
});

test.each([
	["right-to-left override", "a\u{202e}b", "a\\u{202e}b"],
	["isolate", "\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"],
	["zero-width space", "r\u{200b}m", "r\\u{200b}m"],
	["zero-width joiner", "r\u{200d}m", "r\\u{200d}m"],
	["byte order mark", "\u{feff}ls", "\\u{feff}ls"],
	["soft hyphen", "a\u{ad}b", "a\\u{ad}b"],
	["terminal escape", "\u{1b}[2K", "\\u{1b}[2K"],
	["carriage return", "evil\rgood", "evil\\u{d}good"],
	["new line", "a\nb", "a\\u{a}b"],
	["tab", "a\tb", "a\\u{9}b"],
	["delete and C1", "\u{7f}\u{9b}", "\\u{7f}\\u{9b}"],
	["no-break space", "rm\u{a0}-rf", "rm\\u{a0}-rf"],
	["ideographic space", "a\u{3000}b", "a\\u{3000}b"],
	["line separator", "a\u{2028}b", "a\\u{2028}b"],
	["variation selector", "a\u{fe0f}", "a\\u{fe0f}"],
	["tag character", "a\u{e0041}", "a\\u{e0041}"],
	["Hangul filler", "a\u{3164}b", "a\\u{3164}b"],
	["braille blank", "a\u{2800}b", "a\\u{2800}b"],
	["private use", "a\u{e000}b", "a\\u{e000}b"],
	["lone surrogate", "a\u{d800}b", "a\\u{d800}b"],
	["an escape that was typed", "echo \\u{202e}", "echo \\u{5c}u{202e}"],
])("%s is made visible", (_name, text, shown) => {
	expect(visible(text)).toBe(shown);
	expect(seenThrough(shown)).toBe(text);
});

test("shown text is unambiguous", () => {
	const pieces = [
		"\\",
		"u",
		"{",
		"}",
		"5c",
		"a",
		"\n",
		"\u{202e}",
		"\\u{a}",
		"é",
		"\u{d800}",
		"😀",
		"\u{200b}",
	];
	for (let seed = 1; seed <= 2000; seed += 1) {
		let state = seed;
		const next = (): number => {
			state = (state * 48271) % 2147483647;
			return state;
		};
		const text = Array.from({ length: 8 }, () => pieces[next() % pieces.length]).join("");
		expect(seenThrough(visible(text))).toBe(text);
		expect(visible(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
	}
});

test("a preview keeps its lines and tabs", () => {
	expect(visibleLines("a\tb\n+\u{202e}c\r\n")).toBe("a\tb\n+\\u{202e}c\\u{d}\n");
});

test("words of mixed scripts are reported, and words of one script are not", () => {
	expect(mixedScriptNotes("curl p\u{430}ypal.com")).toEqual([
		'mixes letters of different scripts: "p\u{430}ypal"',
	]);
	expect(mixedScriptNotes("echo привет hello")).toEqual([]);
	expect(mixedScriptNotes("ls -la")).toEqual([]);
	expect(mixedScriptNotes("curl https://good.example\u{2215}evil \u{ff52}m")).toEqual([
		'contains characters that look like others: "\u{2215}", "\u{ff52}"',
	]);
});
