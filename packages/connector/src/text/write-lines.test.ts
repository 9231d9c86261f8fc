import { expect, test } from "vitest";
import { chatDialect } from "../testing/chat-dialect.ts";
import { parseText } from "./parse-text.ts";

function written(markdown: string): string {
	return chatDialect.write(parseText(markdown).blocks);
}

test("each platform has its own marks", () => {
	expect(written("## A **b**\n\n**c** _d_ ~~e~~ `f<g>` [h & i](https://j.example/?k=1&l=2)\n\n---")).toBe(
		"*A b*\n\n*c* _d_ ~e~ `f&lt;g&gt;` <https://j.example/?k=1&amp;l=2|h &amp; i>\n\n———",
	);
});

test("text has no mentions and no formatting", () => {
	expect(written("<!channel> \\*a\\*")).toBe("&lt;!channel&gt; \u2060*\u2060a\u2060*\u2060");
});

test("lists nest by their indent and continue their numbers", () => {
	expect(written("9. a\n10. b\n    - [x] c\n    - d\n\n      e")).toBe(
		"9. a\n10. b\n    • ☑ c\n    • d\n      e",
	);
});

test("code in a list keeps its own indent, and begins on its own line", () => {
	expect(written("- ```\n    a\n  b\n  ```\n- c\n\n  ```\n  d\n  ```")).toBe(
		"• \n```\n  a\nb\n```\n• c\n```\nd\n```",
	);
});

test("each line of a quote is marked, also lines of code", () => {
	expect(written("> a\n>\n> ```\n> b\n> ```\n> > c")).toBe("> a\n> \n> ```\n> b\n> ```\n> \n> > c");
});
