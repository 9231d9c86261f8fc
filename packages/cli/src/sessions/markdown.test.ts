import { expect, test } from "vitest";
import type { SessionFacts } from "../client/find-session.ts";
import type { ShownEvent } from "../client/past-events.ts";
import { toMarkdown } from "./export.ts";

const session: SessionFacts = {
	id: "sess_1",
	title: "A *plan*\u001b[2J",
	state: "idle",
	profile: "default",
	cost_usd: 0.0123,
	created_at: "2026-01-01T00:00:00.000Z",
	updated_at: "2026-01-01T00:01:00.000Z",
	message_count: 2,
	token_usage: { input: 1234, output: 56 },
	root_dir: "/a`b",
};

function shownEvent(type: string, payload: object): ShownEvent {
	return { id: "e", session_id: "sess_1", type, timestamp: "2026-01-01T00:00:01.000Z", payload, seq: 1 };
}

const tokens = { tokens_input: 1200, tokens_output: 50, tokens_cache_read: 0, tokens_cache_write: 0 };

test("writes a session with its details, messages and tool calls", () => {
	const metrics = { ...tokens, cost_usd: 0.0123 };
	const events = [
		shownEvent("session.created", {}),
		shownEvent("user.message", {
			content: "Do it\n\nplease",
			run_id: "r",
			author: { id: "u", name: "Ada_L" },
		}),
		shownEvent("tool.call", { status: "started", name: "run", arguments: { cmd: "x" }, call_id: "c" }),
		shownEvent("prompt.request", {
			type: "confirm",
			label: "Allow [x]?",
			required: true,
			options: [],
			default: null,
			placeholder: "",
			validation: "",
			context: {},
		}),
		shownEvent("prompt.response", { value: true, cancelled: false, by: "operator" }),
		shownEvent("tool.call", { status: "completed", name: "run", result: "done\n", call_id: "c" }),
		shownEvent("tool.call", { status: "failed", name: "run", error: "no", call_id: "d" }),
		shownEvent("usage.updated", { run_id: "r", run: metrics, session: metrics }),
		shownEvent("assistant.message", { content: "Done.", error: "", context: { model: "m", usage: tokens } }),
		shownEvent("assistant.message", { content: "", error: "cancelled", context: {} }),
		shownEvent("event.of.tomorrow", { x: 1 }),
	];
	expect(toMarkdown(session, events)).toBe(`# A \\*plan\\*\\\\u{1b}\\[2J

- Id: \`sess_1\`
- Created: 2026-01-01T00:00:00.000Z
- Last message: 2026-01-01T00:01:00.000Z
- Directory: \`\`/a\`b\`\`
- Agent: \`default\`
- Usage: 2 messages, 1,234 input tokens, 56 output tokens, $0.01

## Ada\\_L · 2026-01-01T00:00:01.000Z

> Do it
>
> please

### Calls \`run\`

\`\`\`json
{
  "cmd": "x"
}
\`\`\`

**Asked:** Allow \\[x\\]?

**Answered:** yes (operator)

**\`run\` returned:**

\`\`\`text
done
\`\`\`

**\`run\` failed:**

\`\`\`text
no
\`\`\`

## Parley · 2026-01-01T00:00:01.000Z · m · 1,200 + 50 tokens · $0.01

> Done.

## Parley · 2026-01-01T00:00:01.000Z

**Ended:** cancelled
`);
});

test("escapes text that would end its quote or fence", () => {
	const evil = "```\n# Parley said\n~~~~\n````\n> not\n\u202e\u001b[31m";
	const events = [
		shownEvent("user.message", { content: evil, run_id: "r" }),
		shownEvent("tool.call", { status: "completed", name: "a`b", result: evil, call_id: "c" }),
	];
	const lines = toMarkdown(session, events).split("\n");
	const quote = lines.slice(lines.findIndex((line) => line.startsWith("## You")) + 2);
	expect(quote.slice(0, 6).every((line) => line.startsWith(">"))).toBe(true);
	const open = lines.indexOf("`````text");
	expect(lines.indexOf("`````", open + 1)).toBe(open + 7);
	expect(lines).toContain("**``a`b`` returned:**");
	for (const hidden of ["\u001b", "\u202e"]) expect(lines.join("\n")).not.toContain(hidden);
});

test("names the session of a fork, and does not mark its messages", () => {
	const fork = [
		shownEvent("session.created", { forked_from: { session_id: "sess_0", at: 1 } }),
		shownEvent("user.message", { content: "Hi", run_id: "r", imported: true }),
		shownEvent("assistant.message", { content: "Hello!", error: "", context: {}, imported: true }),
	];
	const text = toMarkdown(session, fork);
	expect(text).toContain("*Fork of sess\\_0 up to message 1*");
	expect(text).toContain("## You · 2026");
	expect(text).toContain("## Parley · 2026");
});

test("marks imported messages, and leaves out empty ones", () => {
	const document = toMarkdown(session, [
		shownEvent("user.message", { content: "", run_id: "r", imported: true }),
		shownEvent("assistant.message", { content: "Hello!", error: "", context: {}, imported: true }),
	]);
	expect(document).toContain("## Parley (imported) · 2026-01-01T00:00:01.000Z\n\n> Hello!");
	expect(document).not.toContain("You (imported)");
});
