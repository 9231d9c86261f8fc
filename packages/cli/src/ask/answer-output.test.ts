import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { CapturedIo } from "../testing/captured-io.ts";
import { answered, event, listed, modelCall, retrying, usageUpdated } from "../testing/events.ts";
import { RunMetricsCollector } from "../wordings/model-rows.ts";
import { AnswerOutput } from "./answer-output.ts";

const start = event("assistant.stream", { phase: "start", content: "", index: 0 });
const end = event("assistant.stream", { phase: "end", content: "", index: 0 });
const delta = (content: string): OzzieEvent =>
	event("assistant.stream", { phase: "delta", content, index: 0 });
const ended = (content: string): OzzieEvent =>
	event("assistant.message", { content, error: "", context: {} });
const call = { name: "run_command", call_id: "c" } as const;
const called = event("tool.call", { ...call, status: "started", arguments: { cmd: "ls" } });
const returned = event("tool.call", { ...call, status: "completed", result: "a.txt" });

const modelFailed = event("internal.llm.call", {
	run_id: "run",
	phase: "end",
	model: "claude",
	provider: "anthropic",
	message_count: 1,
	tokens_input: 0,
	tokens_output: 0,
	tokens_cache_read: 0,
	tokens_cache_write: 0,
	cost_usd: 0,
	duration: 1,
	error: "the model is overloaded",
});

function write(...events: readonly OzzieEvent[]): { out: string; error: string } {
	return writeTo(new CapturedIo(), ...events);
}

function writeToTerminal(...events: readonly OzzieEvent[]): { out: string; error: string } {
	const io = new CapturedIo();
	Object.assign(io.stdout, { isTTY: true });
	return writeTo(io, ...events);
}

function writeTo(io: CapturedIo, ...events: readonly OzzieEvent[]): { out: string; error: string } {
	const output = new AnswerOutput(io);
	const metrics = new RunMetricsCollector();
	for (const one of events) output.write(one, metrics.receive(one));
	return { out: io.drainOut(), error: io.drainError() };
}

test("prints the answer to stdout with a line break at the end", () => {
	expect(write(start, delta("hello "), delta("world"), end, ended("hello world"))).toEqual({
		out: "hello world\n",
		error: "",
	});
});

test("prints each reply as a paragraph, and tool calls on stderr", () => {
	const events = [start, delta("let me look"), end, called, returned, start, delta("done\n"), end];
	expect(write(...events, ended("done\n"))).toEqual({
		out: "let me look\ndone\n",
		error: "▸ run_command cmd: ls\n  ↳ run_command: a.txt\n",
	});
});

test("prints the list of steps on stderr instead of its tool call, then the changed steps", () => {
	const todo = { name: "todo", call_id: "t" } as const;
	const began = event("tool.call", { ...todo, status: "started", arguments: { items: [] } });
	const done = event("tool.call", { ...todo, status: "completed", result: "listed" });
	const first = [began, listed("in_progress", "pending"), done];
	const events = [...first, listed("completed", "in_progress"), start, delta("done"), end, ended("done")];
	expect(write(...events)).toEqual({ out: "done\n", error: "▸ Look\n· Change\n✓ Look\n▸ Change\n" });
	const failed = event("tool.call", { ...todo, status: "failed", error: "too many items" });
	expect(write(failed).error).toContain("too many items");
});

test("prints the complete answer once after a lost connection", () => {
	expect(write(start, delta("hello wor"), ended("hello world")).out).toBe("hello world\n");
	expect(write(start, delta("hello"), start, delta("hello world"), ended("hello world")).out).toBe(
		"hello world\n",
	);
	expect(write(ended("hello world")).out).toBe("hello world\n");
});

test("reports on stderr that an answer starts again", () => {
	const events = [start, delta("hello"), start, delta("good day"), end, ended("good day")];
	expect(writeToTerminal(...events)).toEqual({
		out: "hello\ngood day\n",
		error: "the reply starts again\n",
	});
	expect(write(...events)).toEqual({ out: "good day\n", error: "the reply starts again\n" });
});

test("writes unchanged text to a file", () => {
	const events = [start, delta("\u001b[1mbold"), end, ended("\u001b[1mbold")];
	expect(write(...events).out).toBe("\u001b[1mbold\n");
	expect(writeToTerminal(...events).out).not.toContain("\u001b");
});

test("writes no text of an interrupted reply to a file", () => {
	const events = [start, delta("hello wo"), end, modelFailed, retrying(1000, 1)];
	const again = [start, delta("good "), delta("day"), end, modelCall("end"), ended("good day")];
	expect(write(...events).out).toBe("");
	expect(write(...events, ...again).out).toBe("good day\n");
	expect(write(start, delta("first"), end, modelCall("end"), called, ...events, ...again).out).toBe(
		"first\ngood day\n",
	);
	expect(writeToTerminal(...events, ...again).out).toBe("hello wo\ngood day\n");
});

test("writes each reply to a file when it is complete, and the rest at the end", () => {
	expect(write(start, delta("hel"), delta("lo"), end).out).toBe("");
	expect(write(start, delta("hello"), end, modelCall("end")).out).toBe("hello\n");
	expect(write(start, delta("hello"), end, called).out).toBe("hello\n");
	const io = new CapturedIo();
	const output = new AnswerOutput(io);
	output.write(start);
	output.write(delta("hel"));
	output.close();
	expect(io.drainOut()).toBe("hel\n");
});

test("prints the model, the cost and retries on stderr", () => {
	const events = [modelCall("start"), start, delta("hel"), end, modelFailed, retrying(4000, 1)];
	expect(
		write(...events, start, delta("hello"), end, usageUpdated(0.0421), answered("hello", "claude")),
	).toEqual({
		out: "hello\n",
		error:
			"the model is overloaded; trying again in 4 s, attempt 2\n" +
			"claude · 12.3k tokens in (10k cached), 1.2k out · $0.04\n",
	});
});

test("prints budgets and compactions on stderr", () => {
	const spent = { scope: "session", period: "month", percent: 100, spent_usd: 5, limit_usd: 5 } as const;
	const compacted = {
		run_id: "run",
		level: "tool_results",
		tokens_before: 9_000,
		tokens_after: 500,
		error: "",
	} as const;
	const { out, error } = write(
		event("context.compacted", compacted),
		event("budget.reached", { ...spent, message: "the budget is spent" }),
	);
	expect(out).toBe("");
	expect(error).toBe(
		"earlier tool results were removed from the context of the model: about 9k tokens reduced to 500\nthe budget is spent\n",
	);
});

test("prints a failed attempt of a step on stderr, and whether it is retried", () => {
	const step = {
		skill_name: "deploy",
		run_id: "run",
		call_id: "",
		step_id: "ship",
		step_title: "Ship it",
		model: "m",
		task_id: "task_1",
		attempt: 1,
		output: "",
		reason: "",
		duration: 1,
	};
	const failed = (will_retry: boolean): OzzieEvent =>
		event("skill.step.completed", { ...step, error: "criteria not met", will_retry });
	const passed = event("skill.step.completed", { ...step, error: "", will_retry: false });
	expect(write(failed(true), failed(false), passed).error).toBe(
		"! Ship it: criteria not met; trying again\n! Ship it: criteria not met\n",
	);
});
