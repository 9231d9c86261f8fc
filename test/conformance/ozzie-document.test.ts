import { expect, test } from "vitest";
import { document } from "./document.ts";
import { requirements } from "./requirements.ts";

test("every sentence of the document with a promise has requirements, and each has its scenario", () => {
	const defined = new Set<string>(Object.keys(requirements));
	for (const { section, says: sentence, requirements } of document) {
		expect(requirements.length, `${section}: ${sentence}`).toBeGreaterThan(0);
		expect(
			requirements.filter((id) => !defined.has(id)),
			sentence,
		).toEqual([]);
	}
	const sentences = document.map(({ says: sentence }) => sentence);
	expect(new Set(sentences).size).toBe(sentences.length);
});

test("every requirement that cites the document is cited by a sentence of it", () => {
	const cited = new Set<string>(document.flatMap(({ requirements }) => requirements));
	const fromDocument = Object.entries(requirements).filter(
		([, { source, wires }]) => source.startsWith("document") && wires.ozzie === "kept",
	);
	expect(fromDocument.map(([id]) => id).filter((id) => !cited.has(id))).toEqual([]);
});
