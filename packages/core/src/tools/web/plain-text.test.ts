import { expect, test } from "vitest";
import { plainText } from "./page-text.ts";

test("text is preserved, with line breaks where blocks end", () => {
	expect(
		plainText(
			"<!doctype html><html><head><title>A &amp; B</title><style>p { x }</style></head><body>" +
				"<script>if (a < b) alert('<p>')</script><h1>Head</h1><p>One <b>bold</b>\t word.</p><!-- no --><p>Two</p>" +
				"<ul><li>x<li>y</ul></body></html>",
		),
	).toBe("A & B\n\nHead\n\nOne bold word.\n\nTwo\n\nx\ny");
});

test("entities are decoded, and text that only looks like one is preserved", () => {
	expect(plainText("&lt;b&gt; &#228;&#xe4; &mdash; &unknown; &#0; &#9999999; &amp;lt; AT&T")).toBe(
		"<b> ää — &unknown; &#0; &#9999999; &lt; AT&T",
	);
});

test("text without markup stays text", () => {
	expect(plainText("a < b, c <3, d <- e")).toBe("a < b, c <3, d <- e");
	expect(plainText("before <!-- never closed")).toBe("before");
	expect(plainText("before <p never closed")).toBe("before");
	expect(plainText("before <script>never closed")).toBe("before");
	expect(plainText("")).toBe("");
});

test.each([
	"<",
	"<a",
	"<!--",
	"</",
	"<script ",
	"<script>",
	"<svg><style>",
	"&",
	"&#",
	"&amp",
	"<p>x",
	" ",
	"\n",
	"<a b='",
	"<b></b>",
])("%j, repeated a million times, is read in linear time", (piece) => {
	const time = (length: number): number => {
		const html = piece.repeat(Math.ceil(length / piece.length));
		const start = process.cpuUsage();
		plainText(html);
		const { user, system } = process.cpuUsage(start);
		return (user + system) / 1_000;
	};
	// An algorithm with quadratic time would take minutes.
	expect(time(1_000_000)).toBeLessThan(3_000);
});
