import { expect, test } from "vitest";
import { readableText } from "./readable-text.ts";

const url = "https://example.com/docs/page";
const paragraphs = Array.from(
	{ length: 8 },
	(_, n) =>
		`<p>Paragraph ${n} says something worth reading, at some length, with commas, and a full stop.</p>`,
).join("");

test("the text of an article is read without its surroundings", () => {
	const text = readableText(
		`<html><head><title>The  title</title></head><body><nav><a href="/a">Home</a></nav>
		<article><h2>First</h2>${paragraphs}<pre><code>let x = 1;\n</code></pre></article>
		<footer>Imprint</footer></body></html>`,
		url,
	);
	expect(text).toMatch(/^# The title\n\n/);
	expect(text).toContain("## First");
	expect(text).toContain("Paragraph 7");
	expect(text).toContain("```\nlet x = 1;\n```");
	expect(text).not.toContain("Home");
	expect(text).not.toContain("Imprint");
});

test("an index is read completely, with absolute links", () => {
	const items = Array.from({ length: 30 }, (_, n) => `<li><a href="../item/${n}">Item ${n}</a></li>`).join(
		"",
	);
	const text = readableText(`<body><ul>${items}</ul><p>Short.</p></body>`, url);
	expect(text).toContain("[Item 29](https://example.com/item/29)");
	expect(text).toContain("Short.");
});

test("no part of the page runs, and invisible parts are omitted", () => {
	const text = readableText(
		`<body onload="globalThis.ran = true"><script>globalThis.ran = true</script><p>Seen
		<a href="javascript:alert(1)">script</a> <a href="data:text/html,x">data</a> <img src=x alt="A cat">
		<img src="data:image/png;base64,AAAA" onerror="globalThis.ran = true"></p>
		<p hidden>hidden</p><div aria-hidden="true">unheard</div><template>template</template>
		<iframe src="https://evil.test/"></iframe><style>p { color: red }</style></body>`,
		url,
	);
	expect(text).toBe("Seen script data A cat");
	expect(globalThis).not.toHaveProperty("ran");
});

test("the cells of tables are separated", () => {
	const text = readableText("<table><tr><th>a<th>b</tr><tr><td>1<td><p>2<p>3</tr></table>", url);
	expect(text).toMatch(/\| a \| b \|\n\| 1 \| 2 {1,2}3 \|/);
});

test("a page without a root, or without content, is read", () => {
	expect(readableText("just <b>text</b>", url)).toBe("just **text**");
	expect(readableText("", url)).toBe("");
	expect(readableText("<html><body></body></html>", url)).toBe("");
});

test("a page that is too deep or has too many attributes is not parsed", () => {
	expect(readableText(`${"<div>".repeat(250)}x`, url)).toBeUndefined();
	const attributes = Array.from({ length: 150 }, (_, n) => `a${n}=1`).join(" ");
	expect(readableText(`<p ${attributes}>x</p>`, url)).toBeUndefined();
	expect(readableText(`${"<div>".repeat(150)}x`, url)).toBe("x");
});
