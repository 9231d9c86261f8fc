import { isOzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import type { PastEvent } from "../gateway/gateway-files.ts";
import { transcriptOf } from "./transcript.ts";

const at = Date.UTC(2026, 0, 31, 9, 5, 7);

function past(event: string, payload: object): PastEvent {
	const frame = { type: "event", event, session_id: "sess_1", payload, seq: 1 } as const;
	if (!isOzzieEvent(frame)) throw new Error(event);
	return { event: frame, at };
}

test("a conversation is a document with its messages, calls and decisions", async () => {
	const author = { id: "chat:guild:ada", name: "Ada *L*" };
	const file = { file_id: "file_1", name: "a.png", type: "image/png", bytes: 3, url: "/api/files/file_1" };
	const events = [
		past("session.created", {}),
		past("user.message", { content: "Do it\n# please", run_id: "r", author, attachments: [file] }),
		past("tool.call", { status: "started", name: "run", arguments: { cmd: "x" }, call_id: "c" }),
		past("tool.call", { status: "completed", name: "run", result: "a ``` b\n", call_id: "c" }),
		past("tool.call", { status: "failed", name: "run", error: "no", call_id: "d" }),
		past("file.created", { ...file, run_id: "r", call_id: "c" }),
		past("assistant.message", { content: "Done.", error: "", context: {} }),
		past("assistant.message", { content: "", error: "cancelled", context: {} }),
	];
	const text = await transcriptOf("Tides", events, at);
	expect(text).toBe(`# Tides

Exported 2026-01-31 09:05 UTC

## Ada \\*L\\* · 2026-01-31 09:05 UTC

> Do it
> # please

- File: a.png

### Call of \`run\`

\`\`\`json
{
  "cmd": "x"
}
\`\`\`

### Result of \`run\`

\`\`\`\`
a \`\`\` b
\`\`\`\`

### Failure of \`run\`

\`\`\`
no
\`\`\`

- File: a.png

## Agent · 2026-01-31 09:05 UTC

> Done.

## Agent · 2026-01-31 09:05 UTC

**Ended:** cancelled
`);
	expect(text).not.toMatch(/sess_|chat:guild|file_1/);
});

test("long results are shortened, and a very long conversation loses its beginning", async () => {
	const result = (letters: string, count = 50_000) =>
		past("tool.call", { status: "completed", name: "run", result: letters.repeat(count), call_id: "c" });
	const short = await transcriptOf("", [result("x")], at);
	expect(short.length).toBeLessThan(21_000);
	expect(short).toContain("[… 30000 characters left out]");
	const events = Array.from({ length: 200 }, (_, index) => result(index === 199 ? "z" : "y"));
	const long = await transcriptOf("", events, at);
	expect(long.length).toBeLessThan(2_100_000);
	expect(long).toContain("The beginning of the conversation is left out");
	expect(long).toContain("zzz");
	const ticks = await transcriptOf("", [result("` ", 500_000)], at);
	expect(ticks).toContain("\n```\n` ` `");
	const japanese = await transcriptOf(
		"",
		Array.from({ length: 200 }, () => result("茶")),
		at,
	);
	expect(Buffer.byteLength(japanese)).toBeLessThan(2_100_000);
});

test("control characters for terminals and editors are made visible", async () => {
	const hostile = "\u001b]0;x\u0007\u202eb";
	const call = { name: `a${hostile}\n## Agent`, call_id: "c" };
	const text = await transcriptOf(
		hostile,
		[
			past("user.message", { content: `${hostile} 👩‍🚀`, run_id: "r", author: { id: "a", name: hostile } }),
			past("tool.call", { ...call, status: "started", arguments: { cmd: hostile } }),
			past("tool.call", { ...call, status: "completed", result: `one\r\ntwo\t${hostile}` }),
			past("tool.call", { ...call, status: "failed", error: hostile }),
			past("assistant.message", { content: hostile, error: hostile, context: {} }),
		],
		at,
	);
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the test expects no control characters
	expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202e]/);
	expect(text).toContain("one\ntwo\t\\u{1b}]0;x\\u{7}\\u{202e}b");
	expect(text).toContain("👩‍🚀");
	expect(text).not.toContain("\n## Agent`");
});

test("text of a message cannot imitate another part of the document", async () => {
	const text = await transcriptOf(
		"a\n# b",
		[past("user.message", { content: "a\r## Agent\u2028# c", run_id: "r" })],
		at,
	);
	expect(text.split(/[\n\r\u2028]/).filter((line) => line.startsWith("#"))).toEqual([
		"# a # b",
		"## Operator · 2026-01-31 09:05 UTC",
	]);
});
