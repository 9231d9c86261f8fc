import { isOzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { reduceTimedEvents, type TimedEvent, written } from "../../testing/chat-scene.ts";
import { tasks } from "./tasks.ts";

const task = { task_id: "task_1aaaaaa", title: "Tidy" };
const begun: TimedEvent[] = [
	[1, "task.created", { ...task, description: "…", parent_id: "" }],
	[5, "task.started", task],
];
const part = { task_id: "task_2", title: "Look" };
const partCreated: TimedEvent = [6, "task.created", { ...part, description: "…", parent_id: task.task_id }];
const failure = { error: "no", retry_count: 0, will_retry: false };

function usage(tokens_input: number, cost_usd: number): { readonly usage: object } {
	const tokens = { tokens_output: 34, tokens_cache_read: 0, tokens_cache_write: 0 };
	return { usage: { tokens_input, ...tokens, cost_usd } };
}

function progress(more: object = {}): TimedEvent {
	const steps = { current_step: 0, total_steps: 3, current_step_label: "split", percentage: 0 };
	return [6, "task.progress", { task_id: task.task_id, ...steps, ...more }];
}

function suspended(more: object): TimedEvent {
	const asks = { reason: "May I?", suspend_count: 1, token: "review_x1cccccc", plan_content: "" };
	return [9, "task.suspended", { ...task, ...asks, ...more }];
}

function completed(more: object): TimedEvent {
	const took = { duration: 200_000_000_000, tokens_input: 1_200, tokens_output: 34 };
	return [205, "task.completed", { ...task, output_summary: "Three.", ...took, ...more }];
}

const rows: readonly (readonly [name: string, foot: string | undefined, events: readonly TimedEvent[]])[] = [
	["nothing before it has used something", undefined, [progress()]],
	[
		"what it has used so far, and what that costs",
		"1,200 tokens in, 34 out · $0.04",
		[progress(usage(1_200, 0.04213))],
	],
	[
		"a use that changes while the step does not",
		"20 tokens in, 34 out · <$0.01",
		[progress(), progress(usage(20, 0.00001))],
	],
	[
		"no price where it costs nothing, also when it goes on",
		"1,200 tokens in, 34 out",
		[suspended(usage(1_200, 0)), [10, "task.resumed", task]],
	],
	[
		"what is the task's, not what one who works for it has used",
		"1,200 tokens in, 34 out · $0.50",
		[progress(usage(1_200, 0.5)), partCreated, [7, "task.failed", { ...part, ...failure, ...usage(9, 0.1) }]],
	],
	[
		"the whole when it failed",
		"1,200 tokens in, 34 out · $2.50",
		[[8, "task.failed", { ...task, ...failure, ...usage(1_200, 2.5) }]],
	],
	[
		"the whole when it was cancelled",
		"1,200 tokens in, 34 out · $2.50",
		[[8, "task.cancelled", { task_id: task.task_id, reason: "", ...usage(1_200, 2.5) }]],
	],
	["tokens alone where no cost is told", "1,200 tokens in, 34 out", [completed({})]],
];

test.each(rows)("the card of a task shows %s", (_name, foot, events) => {
	for (const [, event, payload] of events) {
		expect(isOzzieEvent({ type: "event", event, payload, session_id: "sess_1", seq: 1 })).toBe(true);
	}
	const shown = reduceTimedEvents(tasks, [...begun, ...events]).shown.flat();
	const card = shown.findLast((one) => one.type === "show" && one.card === "task:task_1aaaaaa");
	expect(card).toMatchObject({ type: "show", ...(foot !== undefined && { foot }) });
	if (foot === undefined) expect(card).not.toHaveProperty("foot");
});

test("the end of a task shows tokens and cost in its thread, too", () => {
	const { shown } = reduceTimedEvents(tasks, [...begun, completed(usage(1_200, 0.5))]);
	expect(shown.at(-1)?.map(written)[1]).toContain("(took 3 min 20 s · 1,200 tokens in, 34 out · $0.50)");
});
