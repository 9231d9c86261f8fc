import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { OwnRun } from "./ask.ts";

function userMessage(runId: string): OzzieEvent {
	return { type: "event", event: "user.message", payload: { content: "", run_id: runId }, seq: 1 };
}

function ended(content: string): OzzieEvent {
	return { type: "event", event: "assistant.message", payload: { content, error: "", context: {} }, seq: 1 };
}

test("returns the events after the message if the run starts immediately", () => {
	const run = new OwnRun({ status: "sent", run_id: "mine" });
	expect([ended("old"), userMessage("mine"), ended("mine")].map((event) => run.owns(event))).toEqual([
		false,
		true,
		true,
	]);
});

test("waits for the end of all earlier runs", () => {
	const run = new OwnRun({ status: "sent", run_id: "mine", queued_position: 2 });
	const events = [
		ended("old"),
		userMessage("mine"),
		userMessage("later"),
		ended("first"),
		ended("second"),
		ended("mine"),
	];
	expect(events.map((event) => run.owns(event))).toEqual([false, false, false, false, false, true]);
	expect(run.before).toBe(0);
});
