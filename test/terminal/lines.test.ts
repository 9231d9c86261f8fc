import { expect } from "vitest";
import { pipe } from "./piped.ts";
import { test } from "./terminal-test.ts";

test("without a terminal every line is a message, or the answer to the question before it", async ({
	setup,
}) => {
	const lines = ["say: one", "run: echo two", "y", "secret: key", "hunter2", "ask: Who?"];
	const { out, error, code } = await pipe(setup, ["chat"], `${lines.join("\n")}\n`);
	expect(code).toBe(0);
	expect(out).toMatch(
		/› say: one\n\[offline\] one\n.*› run: echo two\n.*Allow run echo two\?.*✓ yes.*↳ .*two\n/s,
	);
	expect(out).toMatch(/✓ \(hidden\).*\? Who\?.*✗ no answer/s);
	expect(out).not.toContain("hunter2");
	expect(out).not.toContain("\u001b");
	expect(error).toMatch(/^session: sess_x+\nparley: the input has ended, so the question stays open\n/);
});

test("ask writes the bare answer to a pipe and reads the message from one", async ({ setup }) => {
	const { out, error, code } = await pipe(setup, ["ask", "-"], "say: hello\n");
	expect({ out, code }).toEqual({ out: "[offline] hello\n\n", code: 0 });
	expect(error).toMatch(/^session: sess_x+\n\n$/);
});

test("ask without a terminal denies calls that require approval", async ({ setup }) => {
	const { out, error, code } = await pipe(setup, ["ask", "run: echo hi"], "");
	expect(code).toBe(3);
	expect(out).toContain("[offline] run_command failed:");
	expect(error).toContain(
		"denied: Allow run echo hi? (there is no terminal; -y approves tool calls in advance)",
	);
});

test("ask --json writes one object per line, the result last", async ({ setup }) => {
	const { out, code } = await pipe(setup, ["ask", "--json", "say: hi"], "");
	const lines: { readonly event?: string }[] = out
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	expect(code).toBe(0);
	expect(lines.at(-1)).toEqual({
		...{ session_id: `sess_${"x".repeat(26)}`, content: "[offline] hi", error: "", model: "offline" },
		usage: {
			tokens_input: expect.any(Number),
			tokens_output: 3,
			tokens_cache_read: 0,
			tokens_cache_write: 0,
		},
		cost_usd: 0,
	});
	expect(lines.map(({ event }) => event)).toEqual(
		expect.arrayContaining(["user.message", "assistant.stream", "assistant.message"]),
	);
});
