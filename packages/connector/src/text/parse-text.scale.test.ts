import { expect, test } from "vitest";
import { fc } from "../../../../test/properties.ts";
import { parseText } from "./parse-text.ts";

const runs = process.env["PARLEY_TEST_SCALE"] === undefined ? 1_000 : 10_000;

const pieces = fc.array(
	fc.oneof(
		{
			weight: 6,
			arbitrary: fc.constantFrom("It", "is", "done", "é", "本", "e\u0301", "x1", "2", "HTTP", "www", "k"),
		},
		{ weight: 4, arbitrary: fc.constantFrom(" ", " ", "\n", "\n\n", ". ", ", ", ": ", "? ") },
		{
			weight: 2,
			arbitrary: fc.constantFrom(".", ")", "(", "'", '"', "%", ":", "!", "…", "—", "“", "  ", "\n\n\n"),
		},
		fc.constantFrom(
			"#",
			"-",
			"+",
			"*",
			"_",
			"`",
			"~",
			"|",
			"<",
			">",
			"[",
			"]",
			"\\",
			"&amp;",
			"@",
			"/",
			"\t",
			"=",
			"\r",
		),
	),
	{ maxLength: 12 },
);

test("plain text has the same result as with the parser", () => {
	let compared = 0;
	fc.assert(
		fc.property(pieces, (words) => {
			const markdown = words.join("");
			// A horizontal rule below the text selects the Markdown parser, and does not change the other blocks.
			const allBlocks = parseText(`${markdown}\n\n***`).blocks;
			if (!/^[\p{L}\p{M}\p{N}\s.,:;!?'"()%…—“]*$/u.test(markdown)) return;
			expect(parseText(markdown).blocks).toEqual(allBlocks.slice(0, -1));
			compared += 1;
		}),
		{ numRuns: runs },
	);
	expect(compared).toBeGreaterThan(runs / 5);
});
