import { expect, test } from "vitest";
import { hideToken } from "./hidden-tokens.ts";

const place = { transient: true, sessionId: "sess_1", seq: 1 } as const;
const prompt = {
	token: "prompt_secret",
	kind: "text",
	label: "Who?",
	runId: "run_1",
	callId: "c1",
} as const;

test("a token that answers a prompt is replaced by the same name each time", () => {
	const shown = hideToken({ ...place, event: { type: "prompt.shown", prompt } } as never);
	const closed = hideToken({
		...place,
		event: { type: "prompt.closed", token: prompt.token, reason: "x" },
	} as never);
	const suspended = hideToken({
		...place,
		event: { type: "task.suspended", taskId: "task_1", token: prompt.token },
	} as never);
	const hidden = JSON.stringify([shown, closed, suspended]);
	expect(hidden).not.toContain("prompt_secret");
	const names = [...hidden.matchAll(/hidden_[0-9a-f]{16}/g)].map(([name]) => name);
	expect(names).toHaveLength(3);
	expect(new Set(names).size).toBe(1);
	expect(hidden).toContain("Who?");
});

test("other events are unchanged", () => {
	const event = { ...place, event: { type: "text.delta", text: "token" } } as never;
	expect(hideToken(event)).toBe(event);
});
