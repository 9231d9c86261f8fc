import { expect, test } from "vitest";
import { event } from "../testing/events.ts";
import { RunActivity } from "./run-activity.ts";
import { Thinking } from "./thinking.ts";

const usage = { tokens_input: 10, tokens_cache_read: 0, tokens_cache_write: 0, cost_usd: 0 };
const call = (phase: "start" | "end", tokens_output: number, run_id = "run") =>
	event("internal.llm.call", {
		...usage,
		run_id,
		phase,
		tokens_output,
		model: "m",
		provider: "p",
		message_count: 1,
		duration: 0,
		error: "",
	});

test("measures time and tokens of a turn, with an estimate for the current call", () => {
	const activity = new RunActivity();
	activity.receive(call("start", 0, ""), 100);
	expect(activity.at(500)).toEqual({ elapsedMs: undefined, tokens: 0 });
	activity.receive(event("user.message", { content: "x", run_id: "run" }), 1_000);
	activity.receive(event("assistant.thinking", { run_id: "run", content: "12345678" }), 2_000);
	expect(activity.at(3_000)).toEqual({ elapsedMs: 2_000, tokens: 2 });
	activity.receive(call("end", 50), 4_000);
	expect(activity.at(4_000)).toEqual({ elapsedMs: 3_000, tokens: 50 });
	activity.receive(event("assistant.message", { content: "", error: "", context: {} }), 5_000);
	expect(activity.at(6_000)).toEqual({ elapsedMs: undefined, tokens: 0 });
});

test("returns the thinking of a reply once, before other output", () => {
	const thinking = new Thinking();
	const think = (content: string) => event("assistant.thinking", { run_id: "run", content });
	expect(thinking.receive(think("a "), 1_000)).toBeUndefined();
	expect(thinking.receive(think("b"), 2_000)).toBeUndefined();
	expect(thinking.receive(call("start", 0), 2_500)).toBeUndefined();
	const start = event("assistant.stream", { phase: "start", content: "", index: 0 });
	expect(thinking.receive(start, 5_000)).toEqual({ text: "a b", seconds: 4 });
	expect(thinking.receive(start, 6_000)).toBeUndefined();
});
