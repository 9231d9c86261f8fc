import type { Prompt, RecordedEvent, SessionEvent } from "@parley/core";
import { expect, test } from "vitest";
import { PromptQueue } from "./prompt-queue.ts";

function prompt(token: string): Prompt {
	return {
		token,
		runId: "run_1",
		type: "text",
		label: `say ${token}`,
		required: true,
		options: [],
		validation: "",
		placeholder: "",
		expiresAt: 0,
	};
}

function recorded(event: RecordedEvent, sessionId = "sess_a"): SessionEvent {
	return { transient: false, id: "evt_1", sessionId, seq: 1, at: 0, event };
}

const requested = (token: string, sessionId?: string): SessionEvent =>
	recorded({ type: "prompt.requested", prompt: prompt(token) }, sessionId);
const answered = (token: string): SessionEvent =>
	recorded({ type: "prompt.answered", token, value: "x", cancelled: false, by: "operator" });
const closed = (token: string): SessionEvent => recorded({ type: "prompt.closed", token, reason: "expired" });
const shown = (token: string): SessionEvent => ({
	transient: true,
	sessionId: "sess_a",
	seq: 1,
	event: { type: "prompt.shown", prompt: prompt(token) },
});
const deleted: SessionEvent = {
	transient: true,
	sessionId: "sess_a",
	seq: 1,
	event: { type: "session.deleted" },
};

function dueOf(queue: PromptQueue): string[] {
	return queue.due().map(({ sessionId, prompt: { token } }) => `${sessionId} ${token}`);
}

test("a session shows one prompt at a time, in order", () => {
	const queue = new PromptQueue();
	expect([requested("p"), requested("q"), requested("r")].map((event) => queue.receive(event))).toEqual([
		true,
		false,
		false,
	]);
	expect(dueOf(queue)).toEqual([]);
	expect(queue.receive(answered("p"))).toBe(true);
	expect(dueOf(queue)).toEqual(["sess_a q"]);
	expect(dueOf(queue)).toEqual([]);
	expect(queue.receive(closed("q"))).toBe(true);
	expect(dueOf(queue)).toEqual(["sess_a r"]);
	queue.receive(answered("r"));
	expect(dueOf(queue)).toEqual([]);
	expect(queue.receive(requested("s"))).toBe(true);
});

test("prompts that one commit closes are never shown, even if the first one was shown", () => {
	const queue = new PromptQueue();
	for (const token of ["p", "q", "r", "s"]) queue.receive(requested(token));
	queue.receive(answered("p"));
	queue.receive(answered("q"));
	queue.receive(closed("s"));
	expect(dueOf(queue)).toEqual(["sess_a r"]);
});

test("each session has its own queue, and other events pass", () => {
	const queue = new PromptQueue();
	queue.receive(requested("p"));
	expect(queue.receive(requested("q", "sess_b"))).toBe(true);
	expect(queue.receive(recorded({ type: "session.closed" }))).toBe(true);
});

test("a session that is delivered again starts with an empty queue", () => {
	const queue = new PromptQueue();
	queue.receive(requested("p"));
	queue.receive(requested("q"));
	queue.forget("sess_a");
	expect([queue.receive(shown("p")), queue.receive(shown("q"))]).toEqual([true, false]);
});

test("the replay of a session shows its next prompt at the end", () => {
	const queue = new PromptQueue();
	queue.pause("sess_a");
	for (const event of [requested("p"), requested("q"), requested("r"), answered("p")]) queue.receive(event);
	expect(dueOf(queue)).toEqual([]);
	queue.receive(answered("q"));
	queue.resume("sess_a");
	expect(dueOf(queue)).toEqual(["sess_a r"]);
});

test("a deleted session leaves no prompts", () => {
	const queue = new PromptQueue();
	queue.receive(requested("p"));
	expect(queue.receive(deleted)).toBe(true);
	expect(queue.receive(requested("q"))).toBe(true);
});

test("an open prompt is repeated once, and found by its token until it is closed", () => {
	const queue = new PromptQueue();
	queue.receive(requested("p"));
	queue.receive(requested("q"));
	expect(queue.find("q")).toEqual({ sessionId: "sess_a", prompt: prompt("q") });
	expect(queue.find("r")).toBeUndefined();
	expect([queue.mayRepeat("p"), queue.mayRepeat("p"), queue.mayRepeat("q")]).toEqual([true, false, true]);
	queue.receive(answered("p"));
	expect(queue.find("p")).toBeUndefined();
	queue.forget("sess_a");
	expect(queue.find("q")).toBeUndefined();
	expect(queue.mayRepeat("q")).toBe(true);
});
