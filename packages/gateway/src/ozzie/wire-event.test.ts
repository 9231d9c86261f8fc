import type { TransientEvent } from "@parley/core";
import { expect, test } from "vitest";
import { isWireEvent } from "./wire-event.ts";

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
