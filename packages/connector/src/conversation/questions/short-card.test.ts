import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { renderCardLines } from "../../testing/card-lines.ts";
import { chatDialect } from "../../testing/chat-dialect.ts";
import { answered, approval, closed, play, read, scene } from "../../testing/question-scene.ts";
import { markdownDialect } from "../../text/markdown-dialect.ts";
import { cardColumns, cardLines, cutLines } from "./short-card.ts";

const diff = (lines: number): string =>
	`--- /dev/null\n+++ notes.txt\n@@ -0,0 +1,${lines} @@\n${"+line\n".repeat(lines)}`;
const write = { tool: "write_file", arguments: { path: "notes.txt", content: "line" } };
const wrote = { label: "Allow write notes.txt?" };
const long = "A long explanation of a danger that fills more than the width of one card. ".repeat(3);
const again = { reply: { id: "run_1/1", place: 1, count: 1 } };

const corpus: Readonly<Record<string, OzzieEvent>> = {
	"a command": approval(),
	"a command for the session": approval({ allow_session: true }),
	"a command of many lines": approval({ arguments: { cmd: "echo one\n".repeat(40) } }),
	"a command behind empty lines": approval({ arguments: { cmd: `ls${"\n".repeat(200)}rm -rf .` } }),
	"a command in one long line": approval({ arguments: { cmd: `echo ${"word ".repeat(800)}` } }),
	"a command in wide characters": approval({ arguments: { cmd: "調べる".repeat(200) } }),
	"a command of emoji": approval({ arguments: { cmd: "👩‍👩‍👧‍👦".repeat(90) } }),
	"a command with fences": approval({ arguments: { cmd: "```\n".repeat(30) } }),
	"a change of one line": approval({ ...write, preview: diff(1) }, wrote),
	"a change of many lines": approval({ ...write, preview: diff(300) }, wrote),
	"a change in two places": approval(
		{ ...write, preview: "--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n" },
		wrote,
	),
	"a file with a long path": approval(
		{ ...write, preview: diff(1) },
		{ label: `Allow write ${"folder/".repeat(40)}a.txt?` },
	),
	"a label of which the end is not stored": approval(
		{ ...write, preview: diff(1) },
		{ label: `Allow write a${" ".repeat(5000)}and b?` },
	),
	"a tool with a long name": approval({ tool: "client_tool_".repeat(20), arguments: { a: 1, b: [2] } }),
	"a call with nested arguments": approval({ arguments: { a: { b: { c: ["d", { e: 1 }] } }, f: null } }),
	"a call without arguments": approval({ arguments: {} }, { label: "Allow list schedules?" }),
	"a call with other arguments": approval({ arguments: ["a", "b"] }),
	"a high risk": approval({ risk: "high", warnings: [long] }),
	"a call that is always required": approval({
		risk: "critical",
		warnings: ["reads or changes keys or passwords"],
	}),
	"an always required call with a long path and warnings": approval(
		{ ...write, risk: "critical", preview: diff(9), warnings: [long, long, long] },
		{ label: `Allow write ${"folder/".repeat(40)}a.txt?` },
	),
	"many warnings": approval({ warnings: Array.from({ length: 30 }, (_, index) => `${index} ${long}`) }),
	"many short warnings": approval({ warnings: Array.from({ length: 30 }, (_, index) => `warning ${index}`) }),
	"a note with line breaks": approval({ warnings: ["a\n".repeat(50)] }),
	"notes of an earlier gateway": approval({ notes: [long, long, long], warnings: undefined as never }),
	"a call of a task": approval({ task_id: "task_1" }),
	"a call of a reply": approval(again),
	"a call that is approved elsewhere": approval({ also_in: ["discord:1:2", "slack:T:C"] }),
	"a call without an end": approval({ expires_at: undefined as never }),
};

const ends: Readonly<Record<string, readonly OzzieEvent[]>> = {
	open: [],
	approved: [answered({})],
	denied: [answered({ value: false, cancelled: true, reason: long.repeat(3) })],
	changed: [answered({ arguments: { cmd: "npm run lint && ".repeat(30) } })],
	expired: [closed("expired")],
	failed: [closed(long)],
};

const small = (written: string): string => `-# ${written}`;
const dialects = { markdown: { ...markdownDialect, small }, chat: { ...chatDialect, small } };

test.each(Object.entries(corpus))("%s has a card of at most 8 lines in each state", (_, question) => {
	for (const [state, events] of Object.entries(ends)) {
		for (const dialect of Object.values(dialects)) {
			const platform = { ...scene.platform, dialect };
			const post = play([question, ...events], { ...scene, platform }).posts.at(-1);
			if (!post) throw new Error(`no card is shown when it is ${state}`);
			const lines = renderCardLines(post, platform);
			expect(lines.length, `${state}:\n${lines.join("\n")}`).toBeLessThanOrEqual(cardLines);
			expect(lines[0]).toContain("Approval");
		}
	}
});

test.each(Object.entries(corpus))(
	"%s is complete on its card, or the card says that it is cut",
	(_, question) => {
		const [post] = play([question]).posts;
		if (!post) throw new Error("no card is shown");
		const isPartial =
			post.text.includes("more characters") || post.text.includes("more warnings") || post.text.includes("…");
		expect(
			post.foot?.startsWith(isPartial ? "**Not complete here:** press Details" : "More in Details"),
		).toBe(true);
		expect(read(post)).toContain("[Details]");
	},
);

test("a card says that the end of a label is missing", () => {
	const label = `Allow write a${" ".repeat(5000)}and b?`;
	const [post] = play([approval({ ...write, preview: diff(1) }, { label })]).posts;
	expect(post?.text).toContain("Allow write a …");
	expect(post?.foot).toMatch(/^\*\*Not complete here:\*\*/u);
});

test("a text keeps the lines that fit, and counts all characters that it omits", () => {
	const uncut = (text: string) => ({ text, length: text.length });
	expect(cutLines(uncut("a\nb\nc\n"), 3)).toEqual({ text: "a\nb\nc", cut: false });
	expect(cutLines(uncut("a\nb\nc\nd"), 3)).toEqual({ text: "a\nb\n… 4 more characters", cut: true });
	expect(cutLines(uncut("x".repeat(cardColumns * 2)), 2)).toEqual({
		text: "x".repeat(cardColumns * 2),
		cut: false,
	});
	expect(cutLines(uncut("x".repeat(cardColumns * 3)), 2)).toEqual({
		text: `${"x".repeat(cardColumns)}\n… 160 more characters`,
		cut: true,
	});
	expect(cutLines({ text: "a", length: 5000 }, 4)).toEqual({ text: "a\n… 4,999 more characters", cut: true });
	expect(cutLines(uncut("a\nb"), 1)).toEqual({ text: "… 3 more characters", cut: true });
});
