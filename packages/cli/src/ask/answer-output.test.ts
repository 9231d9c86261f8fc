import type { EventName, EventPayloads, OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { CapturedIo } from "../testing/captured-io.ts";
import { AnswerOutput } from "./answer-output.ts";

function event<Name extends EventName>(name: Name, payload: EventPayloads[Name]): OzzieEvent {
	// True because a name and its payload are given together.
	return { type: "event", event: name, payload, seq: 1 } as OzzieEvent;
}

const start = event("assistant.stream", { phase: "start", content: "", index: 0 });
const end = event("assistant.stream", { phase: "end", content: "", index: 0 });
const delta = (content: string): OzzieEvent =>
	event("assistant.stream", { phase: "delta", content, index: 0 });
const ended = (content: string): OzzieEvent =>
	event("assistant.message", { content, error: "", context: {} });
const call = { name: "run_command", call_id: "c" } as const;
const called = event("tool.call", { ...call, status: "started", arguments: { cmd: "ls" } });
const returned = event("tool.call", { ...call, status: "completed", result: "a.txt" });

function write(...events: readonly OzzieEvent[]): { out: string; error: string } {
	const io = new CapturedIo();
	const output = new AnswerOutput(io);
	for (const one of events) output.write(one);
	return { out: io.takeOut(), error: io.takeError() };
}

test("the answer goes to stdout and ends with a line break", () => {
	expect(write(start, delta("hello "), delta("world"), end, ended("hello world"))).toEqual({
		out: "hello world\n",
		error: "",
	});
});

test("each reply is a paragraph of its own, and tools are told on stderr", () => {
	const events = [start, delta("let me look"), end, called, returned, start, delta("done\n"), end];
	expect(write(...events, ended("done\n"))).toEqual({
		out: "let me look\ndone\n",
		error: "▸ run_command cmd: ls\n  ↳ run_command: a.txt\n",
	});
});

test("after a loss the answer is neither cut nor repeated", () => {
	expect(write(start, delta("hello wor"), ended("hello world")).out).toBe("hello world\n");
	expect(write(start, delta("hello"), start, delta("hello world"), ended("hello world")).out).toBe(
		"hello world\n",
	);
	expect(write(ended("hello world")).out).toBe("hello world\n");
});

test("an answer that begins anew says so on stderr", () => {
	expect(write(start, delta("hello"), start, delta("good day"), end)).toEqual({
		out: "hello\ngood day\n",
		error: "the reply begins again\n",
	});
});

test("a file gets the text as it is", () => {
	expect(write(start, delta("\u001b[1mbold"), end).out).toBe("\u001b[1mbold\n");
});
