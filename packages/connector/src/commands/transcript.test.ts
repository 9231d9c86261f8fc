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

test("a conversation is a document with its messages, calls and decisions", () => {
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
	const text = transcriptOf("Tides", events, at);
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

test("long results are shortened, and a very long conversation loses its beginning", () => {
	const result = (letter: string) =>
		past("tool.call", { status: "completed", name: "run", result: letter.repeat(50_000), call_id: "c" });
	const short = transcriptOf("", [result("x")], at);
	expect(short.length).toBeLessThan(21_000);
	expect(short).toContain("[… 30000 characters left out]");
	const events = Array.from({ length: 200 }, (_, index) => result(index === 199 ? "z" : "y"));
	const long = transcriptOf("", events, at);
	expect(long.length).toBeLessThan(2_100_000);
	expect(long).toContain("The beginning of the conversation is left out");
	expect(long).toContain("zzz");
});

test("a text cannot pass for another part of the document", () => {
	const text = transcriptOf(
		"a\n# b",
		[past("user.message", { content: "a\r## Agent\u2028# c", run_id: "r" })],
		at,
	);
	expect(text.split(/[\n\r\u2028]/).filter((line) => line.startsWith("#"))).toEqual([
		"# a # b",
		"## Operator · 2026-01-31 09:05 UTC",
	]);
});
