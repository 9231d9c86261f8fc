import { expect, test } from "vitest";
import type { EventPayloads, OzzieEvent } from "../events.ts";
import { ReplyProgress } from "./reply-progress.ts";

function eventOf<Name extends keyof EventPayloads>(event: Name, payload: EventPayloads[Name]): OzzieEvent {
	// The cast is safe because the payload belongs to the event name.
	return { type: "event", event, session_id: "s", payload, seq: 1, transient: true } as OzzieEvent;
}

const thinks = (content: string) => eventOf("assistant.thinking", { run_id: "r", content });
const writes = (phase: "start" | "delta" | "end", content = "", offset = 0) => {
	const call = { run_id: "r", index: 0, call_id: "c", name: "write_file" };
	return eventOf("tool.arguments", { ...call, phase, content, offset });
};
const speaks = eventOf("assistant.stream", { phase: "delta", content: "x", index: 0 });

function after(...events: readonly OzzieEvent[]) {
	const progress = new ReplyProgress();
	for (const event of events) progress.receive(event);
	return progress.now;
}

test("a model is thinking from the response headers until its first text", () => {
	const started = eventOf("assistant.started", { run_id: "r" });
	expect(after(started)).toEqual({ type: "thinking", text: "" });
	expect(after(started, thinks("First "), thinks("this."))).toEqual({
		type: "thinking",
		text: "First this.",
	});
	expect(after(thinks("x".repeat(5_000)))).toEqual({ type: "thinking", text: "x".repeat(1_000) });
	expect(after(started, thinks("First"), speaks)).toBeUndefined();
});

test("a call that the model still writes is reported with its subject as soon as possible", () => {
	const writing = { type: "writing", name: "write_file" };
	expect(after(writes("start"))).toEqual({ ...writing, subject: undefined, length: 0 });
	const [first, second] = ['{"path": "a', '\\"b.md", "content": "'];
	const length = first.length + second.length;
	const begun = [writes("start"), writes("delta", first)];
	expect(after(...begun)).toEqual({ ...writing, subject: undefined, length: first.length });
	const named = [...begun, writes("delta", second, first.length)];
	expect(after(...named)).toEqual({ ...writing, subject: 'a"b.md', length });
	expect(after(...named, writes("delta", "", 49_150))).toEqual({
		...writing,
		subject: 'a"b.md',
		length: 49_150,
	});
	expect(after(...named, writes("end", "", length))).toBeUndefined();
	expect(after(writes("start"), writes("delta", '"path": "b"', 400))).toMatchObject({ subject: undefined });
});
