import { markdownDialect } from "../../text/markdown-dialect.ts";
import { visibleWords } from "./visible.ts";

const byGrapheme = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Text of somebody else in one line, at most `most` UTF-16 code units of it. */
export function oneLine(text: string, most: number): string {
	const line = visibleWords(text.trim().replace(/\s+/gu, " "));
	if (line.length <= most) return line;
	let kept = "";
	for (const { segment } of byGrapheme.segment(line)) {
		if (kept.length + segment.length >= most) break;
		kept += segment;
	}
	return `${kept.trimEnd()}…`;
}

/** The same as Markdown in which nothing of it formats, links or begins a list. */
export function plain(text: string, most: number): string {
	const children = [{ type: "text" as const, value: oneLine(text, most) }];
	return markdownDialect.write([{ type: "paragraph", children }]);
}
