import type { Prompt, RecordedEvent } from "@parley/core";
import { expect, test } from "vitest";
import type { OzzieEvent } from "./codec.ts";
import { OnePrompt } from "./one-prompt.ts";

function prompt(token: string): Prompt {
	return {
		...{ token, runId: "run_1", type: "text", label: `say ${token}`, required: true, options: [] },
		...{ validation: "", placeholder: "", expiresAt: 0 },
	};
}

function recorded(seq: number, event: RecordedEvent, sessionId = "sess_a"): OzzieEvent {
	return { transient: false, id: `evt_${seq}`, sessionId, seq, at: 0, event };
}

const asked = (seq: number, token: string, sessionId?: string): OzzieEvent =>
	recorded(seq, { type: "prompt.requested", prompt: prompt(token) }, sessionId);
const answered = (seq: number, token: string): OzzieEvent =>
	recorded(seq, { type: "prompt.answered", token, value: "x", cancelled: false, by: "operator" });
const closed = (seq: number, token: string): OzzieEvent =>
	recorded(seq, { type: "prompt.closed", token, reason: "expired" });
const shown = (seq: number, token: string): OzzieEvent => ({
	...{ transient: true, sessionId: "sess_a", seq, event: { type: "prompt.shown", prompt: prompt(token) } },
});

test("of a session one question is seen at a time, in their order", () => {
	const one = new OnePrompt();
	expect(one.take(asked(1, "p"))).toEqual([asked(1, "p")]);
	expect(one.take(asked(2, "q"))).toEqual([]);
	expect(one.take(asked(3, "r"))).toEqual([]);
	expect(one.take(answered(4, "p"))).toEqual([answered(4, "p"), shown(4, "q")]);
	expect(one.take(closed(5, "q"))).toEqual([closed(5, "q"), shown(5, "r")]);
	expect(one.take(answered(6, "r"))).toEqual([answered(6, "r")]);
	expect(one.take(asked(7, "s"))).toEqual([asked(7, "s")]);
});

test("a question that is settled before its turn is never seen", () => {
	const one = new OnePrompt();
	one.take(asked(1, "p"));
	one.take(asked(2, "q"));
	expect(one.take(closed(3, "q"))).toEqual([closed(3, "q")]);
	expect(one.take(answered(4, "p"))).toEqual([answered(4, "p")]);
});

test("each session has its own, and what is no question passes", () => {
	const one = new OnePrompt();
	one.take(asked(1, "p"));
	expect(one.take(asked(1, "q", "sess_b"))).toEqual([asked(1, "q", "sess_b")]);
	const other = recorded(2, { type: "session.closed" });
	expect(one.take(other)).toEqual([other]);
});

test("a session that is told again begins anew", () => {
	const one = new OnePrompt();
	one.take(asked(1, "p"));
	one.take(asked(2, "q"));
	one.forget("sess_a");
	expect(one.take(shown(2, "p"))).toEqual([shown(2, "p")]);
	expect(one.take(shown(2, "q"))).toEqual([]);
});

test("of a session that was deleted nothing is remembered", () => {
	const one = new OnePrompt();
	one.take(asked(1, "p"));
	const deleted: OzzieEvent = {
		...{ transient: true, sessionId: "sess_a", seq: 1, event: { type: "session.deleted" } },
	};
	expect(one.take(deleted)).toEqual([deleted]);
	expect(one.take(asked(1, "q"))).toEqual([asked(1, "q")]);
});

test("an open question is repeated once, and found by its token until it is settled", () => {
	const one = new OnePrompt();
	one.take(asked(1, "p"));
	one.take(asked(2, "q"));
	expect(one.find("q")).toEqual({ sessionId: "sess_a", prompt: prompt("q") });
	expect(one.find("r")).toBeUndefined();
	expect([one.mayRepeat("p"), one.mayRepeat("p"), one.mayRepeat("q")]).toEqual([true, false, true]);
	one.take(answered(3, "p"));
	expect(one.find("p")).toBeUndefined();
	one.forget("sess_a");
	expect(one.find("q")).toBeUndefined();
	expect(one.mayRepeat("q")).toBe(true);
});
