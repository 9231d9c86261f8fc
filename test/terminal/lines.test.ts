import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
	expect(error).toMatch(/^session: sess_x+\nparley: the input has ended, so the open question is declined\n/);
});

test("text of a pipe sends no image that it names", async ({ setup }) => {
	writeFileSync(join(setup.work, "private.png"), "");
	const { out, error } = await pipe(setup, ["chat"], "say: see @private.png\n");
	expect(out).toContain("[offline] see @private.png");
	expect(error).not.toContain("cannot upload");
});

test("a line of a pipe that begins with an exclamation mark is a message, and runs nothing", async ({
	setup,
}) => {
	const { out } = await pipe(setup, ["chat"], "!touch piped\n");
	expect(out).toContain("› !touch piped\n[offline] ");
	expect(existsSync(join(setup.work, "piped"))).toBe(false);
});

test("ask writes the bare answer to a pipe and reads the message from one", async ({ setup }) => {
	const { out, error, code } = await pipe(setup, ["ask", "-"], "say: hello\n");
	expect({ out, code }).toEqual({ out: "[offline] hello\n\n", code: 0 });
	expect(error).toMatch(/^session: sess_x+\n\n$/);
});

test("ask appends the text on stdin to the words", async ({ setup }) => {
	const args = ["ask", "--output-format", "stream", "say: explain"];
	const { out, code } = await pipe(setup, args, "first\nsecond\n");
	const frames: { readonly event?: string; readonly payload?: { readonly content: string } }[] = out
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	const sent = frames.find(({ event }) => event === "user.message");
	expect({ content: sent?.payload?.content, code }).toEqual({
		content: "say: explain\n\nfirst\nsecond",
		code: 0,
	});
});

test("ask --continue continues the last session of the directory", async ({ setup }) => {
	const counts = async () => {
		const { out } = await pipe(setup, ["sessions", "--json"]);
		const sessions: { readonly message_count: number }[] = JSON.parse(out);
		return sessions.map((one) => one.message_count);
	};
	await pipe(setup, ["ask", "say: one"]);
	const [newest, ...older] = await counts();
	const { code } = await pipe(setup, ["ask", "-c", "say: two"]);
	expect({ code, newest }).toEqual({ code: 0, newest: 2 });
	expect(await counts()).toEqual([4, ...older]);
	const both = await pipe(setup, ["ask", "-c", "--profile", "default", "say: two"]);
	expect(both).toMatchObject({ code: 2 });
});

test("a chat without a message leaves no session", async ({ setup }) => {
	const count = async () => {
		const { out } = await pipe(setup, ["sessions", "--json"]);
		const sessions: readonly object[] = JSON.parse(out);
		return sessions.length;
	};
	const before = await count();
	const { code, error } = await pipe(setup, ["chat"], "");
	expect({ code, error }).toEqual({ code: 0, error: expect.stringMatching(/^session: sess_x+\n/) });
	expect(await count()).toBe(before);
	await pipe(setup, ["chat"], "say: hello\n");
	expect(await count()).toBe(before + 1);
});

test("ask --print writes only the answer", async ({ setup }) => {
	expect(await pipe(setup, ["ask", "-p", "say: hello"])).toEqual({
		out: "[offline] hello\n\n",
		error: "\n",
		code: 0,
	});
});

test("ask --print reports a call that it could not approve", async ({ setup }) => {
	const { out, error, code } = await pipe(setup, ["ask", "-p", "run: echo hi"]);
	expect({ out, code }).toEqual({ out: expect.stringContaining("run_command failed"), code: 3 });
	expect(error).toMatch(/^parley: denied: Allow run echo hi\? \(.*\)\n\n$/);
});

test("ask --output-format json writes only the result", async ({ setup }) => {
	const { out, error, code } = await pipe(setup, ["ask", "--output-format", "json", "say: hi"]);
	expect(JSON.parse(out)).toMatchObject({ content: "[offline] hi", error: "" });
	expect({ lines: out.trim().split("\n").length, code }).toEqual({ lines: 1, code: 0 });
	expect(error).toMatch(/^session: sess_x+\n\n$/);
});

test("ask without a terminal denies calls that require approval", async ({ setup }) => {
	const { out, error, code } = await pipe(setup, ["ask", "run: echo hi"], "");
	expect(code).toBe(3);
	expect(out).toContain("[offline] run_command failed:");
	expect(error).toContain(
		"denied: Allow run echo hi? (no person can answer here; -y approves tool calls in advance)",
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
