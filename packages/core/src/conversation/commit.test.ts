import { expect, test } from "vitest";
import type { Recorded, SessionEvent } from "../vocabulary/event.ts";
import type { TransientEvent } from "../vocabulary/transient-event.ts";
import { EventBus } from "./commit.ts";

const recorded = (seq: number): Recorded => ({
	...{ transient: false, id: `evt_${seq}`, sessionId: "sess_1", seq, at: 0 },
	event: { type: "prompt.closed", token: `${seq}`, reason: "" },
});
const delta = (text: string): TransientEvent => ({ type: "text.delta", runId: "run_1", text });
const started: TransientEvent = { type: "text.started", runId: "run_1" };
const ended: TransientEvent = { type: "text.ended", runId: "run_1" };

/**
 * Collects the emitted events: `3` for a recorded event, `x@3` for a delta, and the type before `@` for any other
 * transient event.
 */
function listening(bus: EventBus): string[] {
	const left: string[] = [];
	bus.listen(({ transient, seq, event }: SessionEvent) => {
		if (!transient) left.push(`${seq}`);
		else left.push(`${event.type === "text.delta" ? event.text : event.type}@${seq}`);
	});
	return left;
}

test("a transient event is sent at once, or after queued recorded events", () => {
	const bus = new EventBus("sess_1", 4);
	const left = listening(bus);
	bus.pass(delta("a"));
	const five = bus.reserve();
	bus.pass(delta("b"));
	expect(left).toEqual(["a@4"]);
	five([recorded(5)]);
	expect(left).toEqual(["a@4", "5", "b@5"]);
});

test("events are sent in the order of the commands, even if a later one is durable first", () => {
	const bus = new EventBus("sess_1", 0);
	const left = listening(bus);
	const [first, second, third] = [bus.reserve(), bus.reserve(), bus.reserve()];
	third([recorded(4)]);
	bus.pass(delta("a"));
	second([recorded(3)]);
	expect(left).toEqual([]);
	first([recorded(1), recorded(2)]);
	expect(left).toEqual(["1", "2", "3", "4", "a@4"]);
	expect(bus.seq).toBe(4);
});

test("a refused command does not delay others", () => {
	const bus = new EventBus("sess_1", 0);
	const left = listening(bus);
	const [refused, other] = [bus.reserve(), bus.reserve()];
	bus.pass(delta("a"));
	other([recorded(1)]);
	refused([]);
	expect(left).toEqual(["1", "a@1"]);
});

test("the open reply is the text sent so far", () => {
	const bus = new EventBus("sess_1", 0);
	expect(bus.reply).toBeUndefined();
	bus.pass(started);
	const wait = bus.reserve();
	bus.pass(delta("hel"));
	expect(bus.reply).toEqual({ runId: "run_1", text: "" });
	wait([]);
	bus.pass(delta("lo"));
	expect(bus.reply).toEqual({ runId: "run_1", text: "hello" });
	bus.pass(started);
	expect(bus.reply).toEqual({ runId: "run_1", text: "" });
	bus.pass(ended);
	expect(bus.reply).toBeUndefined();
});

test("a removed listener receives no events", () => {
	const bus = new EventBus("sess_1", 0);
	const delivered: number[] = [];
	const stop = bus.listen(({ seq }) => delivered.push(seq));
	bus.reserve()([recorded(1)]);
	stop();
	bus.reserve()([recorded(2)]);
	expect(delivered).toEqual([1]);
});
