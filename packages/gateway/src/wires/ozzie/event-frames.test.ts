import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { frameText } from "../../transport/frame-writer.ts";
import { encodeOzzieEvent, type OzzieEvent } from "./codec.ts";
import { EventFrames } from "./event-frames.ts";

function delta(sessionId: string, seq: number, text: string): OzzieEvent {
	return { transient: true, sessionId, seq, event: { type: "text.delta", runId: "run_1", text } };
}

test("each delta is the frame of the codec, independent of earlier events", () => {
	const frames = new EventFrames(new ManualClock());
	const closed: OzzieEvent = {
		transient: false,
		id: "evt_1",
		sessionId: "sess_a",
		seq: 4,
		at: 0,
		event: { type: "session.closed" },
	};
	const events = [
		...[delta("sess_a", 3, "one"), delta("sess_a", 3, '"content":""'), delta("sess_b", 3, "two")],
		...[delta("sess_a", 3, ""), closed, delta("sess_a", 4, "ünd \u2028 \ud800"), delta("sess_b", 3, "\\")],
	];
	for (const event of events) {
		expect(frames.frame(event)).toEqual(frameText(JSON.stringify(encodeOzzieEvent(event))));
	}
});

test("the frame of an event is encoded once", () => {
	const frames = new EventFrames(new ManualClock());
	const event = delta("sess_a", 3, "one");
	expect(frames.frame(event)).toBe(frames.frame(event));
});
