import type { TransientEvent } from "@parley/core";
import { expect, test } from "vitest";
import { isWireEvent, weightOf } from "./wire-event.ts";

const passing = (event: TransientEvent) => ({ transient: true, sessionId: "sess_1", seq: 7, event }) as const;

test("what a run tells of its replies and calls beyond the document has no word on this wire", () => {
	const replied = { type: "model.replied", runId: "run_1", content: [], stop: "end_turn" } as const;
	const progress = { type: "tool.progress", runId: "run_1", callId: "call_1", text: "a\n" } as const;
	expect([replied, progress].map((event) => isWireEvent(passing(event)))).toEqual([false, false]);
	expect(isWireEvent(passing({ type: "text.delta", runId: "run_1", text: "a" }))).toBe(true);
	const event = { type: "session.created" } as const;
	const kept = { transient: false, id: "evt_1", sessionId: "sess_1", seq: 1, at: 0, event } as const;
	expect(isWireEvent(kept)).toBe(true);
});

test("of long arguments the beginning is shown, then one event for each 16,384 characters", () => {
	const delta = (offset: number, length: number) => {
		const call = { runId: "run_1", index: 0, callId: "call_1", name: "write_file" };
		return isWireEvent(passing({ type: "arguments.delta", ...call, json: "x".repeat(length), offset }));
	};
	expect([delta(0, 5), delta(32_767, 5), delta(32_768, 5)]).toEqual([true, true, false]);
	expect([delta(49_150, 1), delta(49_150, 2), delta(49_152, 16_383)]).toEqual([false, true, false]);
	const size = 2 * 1024 * 1024;
	const shown = Array.from({ length: size / 64 }, (_, at) => delta(at * 64, 64)).filter(Boolean);
	expect(shown).toHaveLength(32_768 / 64 + (size - 32_768) / 16_384);
});

test("slow readers do first without what only shows that the model is at work", () => {
	const call = { runId: "run_1", index: 0, callId: "call_1", name: "write_file" };
	const weights = [
		passing({ type: "thinking.delta", runId: "run_1", text: "a" }),
		passing({ type: "arguments.delta", ...call, json: "a", offset: 0 }),
		passing({ type: "text.delta", runId: "run_1", text: "a" }),
		passing({ type: "arguments.started", ...call }),
		passing({ type: "text.ended", runId: "run_1" }),
	].map((event) => isWireEvent(event) && weightOf(event));
	expect(weights).toEqual(["minor", "minor", "droppable", "required", "required"]);
});
