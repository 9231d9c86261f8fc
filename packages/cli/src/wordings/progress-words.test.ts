import { expect, test } from "vitest";
import { widthOf } from "../text/wrap.ts";
import { replyProgressWords } from "./progress-words.ts";

const writing = { type: "writing", name: "write_file", subject: "docs/a.md", length: 12_345 } as const;

test("describes the current thought or text of the model", () => {
	expect(replyProgressWords(undefined, 80)).toBeUndefined();
	expect(replyProgressWords({ type: "thinking", text: "" }, 80)).toBe("thinking…");
	expect(replyProgressWords({ type: "thinking", text: "One.\n\nTwo \u001b[31m" }, 80)).toBe(
		"thinking: One. Two \\u{1b}[31m",
	);
	expect(replyProgressWords(writing, 80)).toBe("writing write_file docs/a.md (12.3k characters)");
	expect(replyProgressWords({ ...writing, subject: undefined, length: 20 }, 80)).toBe("writing write_file");
});

test("limits the status line to the terminal, and shows the end of the thinking text", () => {
	const thought = `${"before ".repeat(30)}the end 漢字`;
	const words = replyProgressWords({ type: "thinking", text: thought }, 30) ?? "";
	expect(words).toMatch(/^thinking: ….*the end 漢字$/);
	expect(widthOf(words)).toBeLessThanOrEqual(30);
	const long = replyProgressWords({ ...writing, subject: "x".repeat(100) }, 50) ?? "";
	expect(widthOf(long)).toBeLessThanOrEqual(50);
	expect(long).toMatch(/… \(12\.3k characters\)$/);
});
