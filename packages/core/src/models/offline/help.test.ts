import { expect, test } from "vitest";
import { offlineCommandTexts, offlineHelp } from "./texts.ts";

test("the help names every command with an example, and fits a terminal of 80 columns", () => {
	const lines = offlineHelp.split("\n");
	for (const [word, { example, meaning }] of Object.entries(offlineCommandTexts)) {
		expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^ {2}${word}: .* {2,}\\S`)));
		expect(offlineHelp).toContain(`${word}: ${example} `);
		expect(offlineHelp).toContain(meaning);
	}
	expect(lines.filter((line) => line.length > 80)).toEqual([]);
});
