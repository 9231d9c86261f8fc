import type { Control } from "@parley/connector";
import { expect, test } from "vitest";
import { draftOf, plainDrafts, smallLine } from "./drafts.ts";

const broken: Control = { type: "button", id: "x".repeat(300), label: "Stop", style: "danger" };
const link: Control = { type: "link", url: "https://a.example", label: "Open" };

test("there is always something to read", () => {
	expect(draftOf({ body: "" }).message.text).toBe("…");
	expect(draftOf({ body: "\u2060\n", instead: "a*b.png" }).message.text).toContain("b.png");
	expect(draftOf({ body: "", controls: [[link]] }).message.blocks).toHaveLength(2);
});

test("controls that Slack does not take are left out, and what they lead to is said", () => {
	const { message, spared } = draftOf({ body: "a", controls: [[broken, link]] });
	expect(message).toEqual({
		blocks: [{ type: "markdown", text: "a\n\nOpen: <https://a.example>" }],
		text: "a\n\nOpen: <https://a.example|https://a.example>",
	});
	expect(spared).toHaveLength(1);
});

test("a text that is too long is its beginning, with all of it in a file, and keeps its controls", () => {
	const body = `${"word ".repeat(4000)}end`;
	const { message, file, spared } = draftOf({ body, controls: [[link]] });
	expect(message.text.length).toBeLessThan(2600);
	expect(message.blocks.at(-1)?.type).toBe("actions");
	expect(file).toEqual({ name: "answer.md", content: body });
	expect(spared).toHaveLength(1);
});

test("the plainest blocks say the same, with the controls and then without", () => {
	const drafts = plainDrafts({ body: `**a**${smallLine("b")}`, controls: [[link]] });
	expect(drafts.map(({ text }) => text)).toEqual(["*a*\n\nb", "*a*\n\nb"]);
	const types = drafts.map(({ blocks }) => blocks.map(({ type }) => type));
	expect(types).toEqual([["section", "actions"], ["section"]]);
	expect(plainDrafts({ body: "" })).toEqual([]);
	expect(plainDrafts({ body: "long", plain: "short" }).map(({ text }) => text)).toEqual(["short"]);
});
