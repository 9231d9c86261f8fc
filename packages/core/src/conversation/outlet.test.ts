import { expect, test } from "vitest";
import type { Recorded, SessionEvent, TransientEvent } from "../vocabulary/event.ts";
import { Outlet } from "./outlet.ts";

const kept = (seq: number): Recorded => ({
	...{ transient: false, id: `evt_${seq}`, sessionId: "sess_1", seq, at: 0 },
	event: { type: "prompt.closed", token: `${seq}`, reason: "" },
});
const delta = (text: string): TransientEvent => ({ type: "text.delta", runId: "run_1", text });
const started: TransientEvent = { type: "text.started", runId: "run_1" };
const ended: TransientEvent = { type: "text.ended", runId: "run_1" };

/** Emitted events, as `3` for a recorded event and `x@3` for a delta. */
function listening(outlet: Outlet): string[] {
	const left: string[] = [];
	outlet.listen(({ transient, seq, event }: SessionEvent) => {
		if (!transient) left.push(`${seq}`);
		else left.push(`${event.type === "text.delta" ? event.text : event.type}@${seq}`);
	});
	return left;
}

test("a passing event leaves at once, or behind recorded ones that wait", () => {
	const outlet = new Outlet("sess_1", 4);
	const left = listening(outlet);
	outlet.pass(delta("a"));
	const five = outlet.reserve();
	outlet.pass(delta("b"));
	expect(left).toEqual(["a@4"]);
	five([kept(5)]);
	expect(left).toEqual(["a@4", "5", "b@5"]);
});

test("events leave in the order of the commands, whichever is durable first", () => {
	const outlet = new Outlet("sess_1", 0);
	const left = listening(outlet);
	const [first, second, third] = [outlet.reserve(), outlet.reserve(), outlet.reserve()];
	third([kept(4)]);
	outlet.pass(delta("a"));
	second([kept(3)]);
	expect(left).toEqual([]);
	first([kept(1), kept(2)]);
	expect(left).toEqual(["1", "2", "3", "4", "a@4"]);
	expect(outlet.seq).toBe(4);
});

test("a refused command does not delay others", () => {
	const outlet = new Outlet("sess_1", 0);
	const left = listening(outlet);
	const [refused, other] = [outlet.reserve(), outlet.reserve()];
	outlet.pass(delta("a"));
	other([kept(1)]);
	refused([]);
	expect(left).toEqual(["1", "a@1"]);
});

test("the open reply is the text sent so far", () => {
	const outlet = new Outlet("sess_1", 0);
	expect(outlet.reply).toBeUndefined();
	outlet.pass(started);
	const wait = outlet.reserve();
	outlet.pass(delta("hel"));
	expect(outlet.reply).toEqual({ runId: "run_1", text: "" });
	wait([]);
	outlet.pass(delta("lo"));
	expect(outlet.reply).toEqual({ runId: "run_1", text: "hello" });
	outlet.pass(started);
	expect(outlet.reply).toEqual({ runId: "run_1", text: "" });
	outlet.pass(ended);
	expect(outlet.reply).toBeUndefined();
});

test("a removed listener receives no more events", () => {
	const outlet = new Outlet("sess_1", 0);
	const told: number[] = [];
	const stop = outlet.listen(({ seq }) => told.push(seq));
	outlet.reserve()([kept(1)]);
	stop();
	outlet.reserve()([kept(2)]);
	expect(told).toEqual([1]);
});
