import { chanceOf } from "@parley/base";
import { seededIds } from "@parley/base/testing";
import { expect, test } from "vitest";
import { type Replaced, type Replacement, replaceTexts } from "./edit.ts";

type Pair = readonly [string, string];

function replace(text: string, pairs: readonly Pair[], maxLength = 1_000): Replaced {
	const edits = pairs.map(([oldText, newText]) => ({ oldText, newText }));
	return replaceTexts(text, edits, maxLength);
}

test.each<[string, Pair[], string, number[]]>([
	["one two", [["two", "2"]], "one 2", [1]],
	[
		"a\nb\nc\n",
		[
			["c", "3"],
			["a", "1"],
		],
		"1\nb\n3\n",
		[1, 3],
	],
	[
		"ab",
		[
			["a", "b"],
			["b", "a"],
		],
		"ba",
		[1, 1],
	],
	[
		"abcd",
		[
			["ab", ""],
			["cd", "x"],
		],
		"x",
		[1, 1],
	],
	[
		"one\n",
		[
			["one", "two"],
			["\n", "\nthree\n"],
		],
		"two\nthree\n",
		[1, 1],
	],
	[
		"x y",
		[
			["x", "$& $1"],
			["y", "$$"],
		],
		"$& $1 $$",
		[1, 1],
	],
	["\u{feff}one\r\ntwo\r\n", [["one\ntwo", "1\n2"]], "\u{feff}1\r\n2\r\n", [1]],
	["a\nb\n", [["a\r\nb", "x\r\ny"]], "x\ny\n", [1]],
])("%j with %j becomes %j", (text, pairs, expected, lines) => {
	expect(replace(text, pairs)).toEqual({ kind: "edited", text: expected, lines });
});

test.each<[string, Pair[], Replaced]>([
	["a", [["b", "c"]], { kind: "not-one", edit: 1, lines: [] }],
	[
		"a\nb\na",
		[
			["b", "c"],
			["a", "d"],
		],
		{ kind: "not-one", edit: 2, lines: [1, 3] },
	],
	["aaa", [["aa", "b"]], { kind: "not-one", edit: 1, lines: [1, 1] }],
	// Edits are applied to the original text, so the second edit does not find `b`.
	[
		"a",
		[
			["a", "b"],
			["b", "c"],
		],
		{ kind: "not-one", edit: 2, lines: [] },
	],
	[
		"abc",
		[
			["bc", "x"],
			["ab", "y"],
		],
		{ kind: "overlap", one: 1, other: 2 },
	],
	[
		"abc",
		[
			["c", "x"],
			["abc", "y"],
			["a", "z"],
		],
		{ kind: "overlap", one: 2, other: 3 },
	],
	[
		"abc",
		[
			["a", "x"],
			["a", "x"],
		],
		{ kind: "overlap", one: 1, other: 2 },
	],
	[
		"abc",
		[
			["ab", "x"],
			["bc", "x"],
			["d", "x"],
		],
		{ kind: "not-one", edit: 3, lines: [] },
	],
	["ab", [["a", "b".repeat(1_000)]], { kind: "too-long" }],
	["a\r\nb\nc", [["a\nb", "x"]], { kind: "not-one", edit: 1, lines: [] }],
])("%j with %j is refused", (text, pairs, expected) => {
	expect(replace(text, pairs)).toEqual(expected);
});

test("one edit may use the space that another edit frees", () => {
	const text = `${"a".repeat(999)}b`;
	const pair: Pair = ["a".repeat(999), ""];
	expect(replace(text, [pair, ["b", "c".repeat(1_000)]])).toMatchObject({ kind: "edited" });
	expect(replace(text, [pair, ["b", "c".repeat(1_001)]])).toEqual({ kind: "too-long" });
});

/** Replaces one place at a time, as a reference implementation. */
function naively(text: string, edits: readonly Replacement[]): Replaced["kind"] | { readonly text: string } {
	const used: (Replacement | undefined)[] = Array.from({ length: text.length });
	let overlaps = false;
	for (const edit of edits) {
		const places = [...text].flatMap((_, at) => (text.startsWith(edit.oldText, at) ? [at] : []));
		const [start] = places;
		if (start === undefined || places.length > 1) return "not-one";
		for (let at = start; at < start + edit.oldText.length; at++) {
			overlaps ||= used[at] !== undefined;
			used[at] = edit;
		}
	}
	if (overlaps) return "overlap";
	const result = [...text].map((unit, at) => {
		const edit = used[at];
		if (!edit) return unit;
		return edit === used[at - 1] ? "" : edit.newText;
	});
	return { text: result.join("") };
}

test("the result equals sequential edits, in any order of the list", () => {
	const ids = seededIds(20);
	const below = (limit: number): number => Math.floor(chanceOf(ids) * limit);
	const textOf = (length: number): string => Array.from({ length }, () => "abcdefgh\n"[below(9)]).join("");
	const counts = { edited: 0, "not-one": 0, overlap: 0, "too-long": 0 };
	for (let round = 0; round < 3_000; round++) {
		const text = textOf(1 + below(30));
		const edits = Array.from({ length: 1 + below(4) }, () => {
			const start = below(text.length);
			const oldText = below(20) === 0 ? textOf(3) : text.slice(start, start + 1 + below(6));
			return { oldText, newText: textOf(below(5)) };
		});
		const result = replaceTexts(text, edits, 1_000);
		counts[result.kind]++;
		const outcome = result.kind === "edited" ? { text: result.text } : result.kind;
		expect(outcome, JSON.stringify({ text, edits })).toEqual(naively(text, edits));
		const reversed = replaceTexts(text, edits.toReversed(), 1_000);
		expect(reversed.kind === "edited" ? { text: reversed.text } : reversed.kind).toEqual(outcome);
		if (result.kind !== "edited" || !text.includes("\n")) continue;
		const returns = replaceTexts(text.replaceAll("\n", "\r\n"), edits, 1_000);
		expect(returns).toMatchObject({ text: result.text.replaceAll("\n", "\r\n") });
	}
	// The random cases produced each kind of result often enough.
	expect(Math.min(counts.edited, counts["not-one"], counts.overlap)).toBeGreaterThan(200);
});
