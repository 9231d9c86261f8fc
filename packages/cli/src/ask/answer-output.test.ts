import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { RunFigures } from "../run-figures.ts";
import { CapturedIo } from "../testing/captured-io.ts";
import { answered, event, modelCall, retrying, usageUpdated } from "../testing/events.ts";
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

function write(...events: readonly OzzieEvent[]): { out: string; error: string } {
	const io = new CapturedIo();
	const output = new AnswerOutput(io);
	const figures = new RunFigures();
	for (const one of events) output.write(one, figures.take(one));
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

test("who answered and at what cost stands on stderr, and so does why it took longer", () => {
	const events = [modelCall("start"), start, delta("hel"), end, modelCall("end"), retrying(4000, 1)];
	expect(
		write(...events, start, delta("hello"), end, usageUpdated(0.0421), answered("hello", "claude")),
	).toEqual({
		out: "hel\nhello\n",
		error:
			"the model is overloaded; trying again in 4 s, attempt 2\n" +
			"claude · 12.3k tokens in (10k cached), 1.2k out · $0.0421\n",
	});
});

test("budgets and compactions are told on stderr", () => {
	const spent = { scope: "session", period: "month", percent: 100, spent_usd: 5, limit_usd: 5 } as const;
	const compacted = {
		run_id: "run",
		level: "tool_results",
		tokens_before: 9_000,
		tokens_after: 500,
	} as const;
	const { out, error } = write(
		event("context.compacted", compacted),
		event("budget.reached", { ...spent, message: "the budget is spent" }),
	);
	expect(out).toBe("");
	expect(error).toBe(
		"what tools found earlier was left out for the model: about 9k tokens became 500\nthe budget is spent\n",
	);
});
