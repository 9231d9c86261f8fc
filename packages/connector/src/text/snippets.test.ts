import { expect, test } from "vitest";
import { parseText } from "./parse-text.ts";
import { withoutLongCode } from "./snippets.ts";

const long = Array.from({ length: 61 }, (_, n) => `line ${n}`).join("\n");
const fence = (lang: string, code: string) => `\`\`\`${lang}\n${code}\n\`\`\``;

test("long code becomes snippets that the text names, and short code stays in the text", () => {
	const text = ["Here:", fence("ts", long), fence("js", "a();"), fence("", "x".repeat(3001)), "Done."];
	const { document, snippets } = withoutLongCode(parseText(text.join("\n\n")));
	expect(snippets).toEqual([
		{ name: "code-1.ts", language: "typescript", content: long },
		{ name: "code-2.txt", language: "text", content: "x".repeat(3001) },
	]);
	expect(document.blocks.map(({ type }) => type)).toEqual([
		...["paragraph", "paragraph", "code", "paragraph", "paragraph"],
	]);
	expect(JSON.stringify(document.blocks[1])).toContain("code-1.ts (61 lines)");
});

test("a text without long code, and code in a list, stay as they are", () => {
	const list = `- item\n\n  ${fence("ts", long).replaceAll("\n", "\n  ")}`;
	for (const text of ["Hello", fence("py", "1"), list]) {
		const document = parseText(text);
		expect(withoutLongCode(document)).toEqual({ document, snippets: [] });
	}
});

test("a text has at most five files", () => {
	const { snippets } = withoutLongCode(parseText(Array(7).fill(fence("sql", long)).join("\n\n")));
	expect(snippets.map(({ name }) => name)).toEqual([1, 2, 3, 4, 5].map((n) => `code-${n}.sql`));
});
