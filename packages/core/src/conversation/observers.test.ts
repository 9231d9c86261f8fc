import { expect, test } from "vitest";
import type { SessionEvent } from "../vocabulary/event.ts";
import { Observers } from "./observers.ts";

const passing: SessionEvent = {
	transient: true,
	sessionId: "sess_1",
	seq: 1,
	event: { type: "text.delta", runId: "run_1", text: "a" },
};
const recorded: SessionEvent = {
	transient: false,
	id: "evt_1",
	sessionId: "sess_1",
	seq: 2,
	at: 0,
	event: { type: "prompt.closed", token: "a", reason: "" },
};

test("an observer of recorded events receives no transient ones", () => {
	const observers = new Observers();
	const seen: string[] = [];
	const stop = observers.add(({ event }, owner) => seen.push(`${owner}: ${event.type}`));
	observers.addRecorded(({ event }, owner) => seen.push(`${owner}, recorded: ${event.type}`));
	for (const event of [passing, recorded]) observers.notify(event, "o");
	expect(seen.splice(0)).toEqual(["o: text.delta", "o: prompt.closed", "o, recorded: prompt.closed"]);
	stop();
	for (const event of [passing, recorded]) observers.notify(event, "o");
	expect(seen).toEqual(["o, recorded: prompt.closed"]);
});
