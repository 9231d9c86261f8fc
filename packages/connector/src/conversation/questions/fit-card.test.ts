import { expect, test } from "vitest";
import { scene } from "../../testing/question-scene.ts";
import { fitCard, fitsPost } from "./fit-card.ts";

test("a card of many paragraphs fits a post: it keeps its subject and its result", () => {
	const many = Array.from({ length: 30 }, (_, index) => `Paragraph ${index} ${"of them ".repeat(15)}.`);
	const { text, cut } = fitCard(scene.platform, "A foot.", () => ["**Heading**", ...many, "The result."]);
	expect(fitsPost(scene.platform, `${text}\n\nA foot.`)).toBe(true);
	expect(text).toMatch(/^\*\*Heading\*\*\n\nParagraph [12]\d .*The result\.$/s);
	expect(cut).toBe(true);
});

test("a card that fits is complete", () => {
	expect(fitCard(scene.platform, "A foot.", () => ["One.", "Two."])).toEqual({
		text: "One.\n\nTwo.",
		cut: false,
	});
});
