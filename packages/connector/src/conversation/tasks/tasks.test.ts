import { isOzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { chatScene, reduceTimedEvents, type TimedEvent, written } from "../../testing/chat-scene.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import { tasks } from "./tasks.ts";

const id = "task_1aaaaaa";
const one = { task_id: id, title: "Tidy *up*" };
const part = { task_id: "task_2bbbbbb", title: "Look" };
const created: TimedEvent = [1, "task.created", { ...one, description: "…", parent_id: "" }];
const started: TimedEvent = [5, "task.started", one];
const partCreated: TimedEvent = [6, "task.created", { ...part, description: "…", parent_id: id }];
const asks = { reason: "A schema change", suspend_count: 1, token: "review_x1cccccc" };
const suspended: TimedEvent = [9, "task.suspended", { ...one, ...asks, plan_content: "1. a\n2. b" }];
const resumed: TimedEvent = [20, "task.resumed", one];

function progress(second: number, done: number, total: number, label: string): TimedEvent {
	const percentage = Math.floor((100 * done) / total);
	const steps = { current_step: done, total_steps: total, current_step_label: label, percentage };
	return [second, "task.progress", { task_id: id, ...steps }];
}

function completed(output_summary: string): TimedEvent {
	const took = { duration: 200_000_000_000, tokens_input: 1200, tokens_output: 34 };
	return [205, "task.completed", { ...one, output_summary, ...took }];
}

function failed(error: string, will_retry: boolean): TimedEvent {
	return [8, "task.failed", { ...one, error, retry_count: 0, will_retry }];
}

function cancelled(facts: { readonly reason: string; readonly by?: string }): TimedEvent {
	return [3, "task.cancelled", { task_id: id, ...facts }];
}

const card = "task task:task_1aaaaaa: **Tidy \\*up\\***";
const foot = "[Cancel]";
const over = "[Retry]";
const inThread = "task in thread";

interface Scenario {
	readonly name: string;
	readonly events: readonly TimedEvent[];
	readonly sees: readonly string[];
	readonly scene?: Scene;
}

function requested(by: string): TimedEvent {
	return [1, "task.created", { ...one, description: "…", parent_id: "", by }];
}

const inRoom: Scene = { ...chatScene, room: { platform: "discord", tenant: "1", channel: "5" } };
const noThreads: Scene = { ...chatScene, threads: false };
const typed: Scene = {
	...chatScene,
	platform: {
		...chatScene.platform,
		command: (name, { thread }) => `${thread === undefined ? "/bot " : "!"}${name}`,
	},
};

const scenarios: readonly Scenario[] = [
	{
		name: "a task gets a card, and a thread of its own",
		events: [created],
		sees: [
			`milestone ${card}\n🕓 Queued · requested {1 s}\n${foot}`,
			'milestone task thread "Tidy *up*" of task:task_1aaaaaa',
		],
	},
	{
		name: "a long title is cut to what a thread can be called",
		events: [[1, "task.created", { ...one, title: "word ".repeat(40), description: "", parent_id: "" }]],
		sees: [
			`milestone task task:task_1aaaaaa: **${"word ".repeat(29)}word…**\n🕓 Queued · requested {1 s}\n${foot}`,
			'milestone task thread "word word word word word word word word…" of task:task_1aaaaaa',
		],
	},
	{
		name: "its start is an edit of the card, which says since when it is at work",
		events: [created, started],
		sees: [`progress ${card}\n▶️ In progress · started {5 s}\n${foot}`],
	},
	{
		name: "a task without a plan shows no bar",
		events: [created, started, progress(6, 0, 1, "Tidy *up*")],
		sees: [],
	},
	{
		name: "a plan is a bar, and the step at work",
		events: [created, started, progress(6, 0, 3, "split")],
		sees: [`progress ${card}\n▶️ In progress · started {5 s}\n▱▱▱ 0 of 3 · now: split\n${foot}`],
	},
	{
		name: "a step that is done is told in the thread",
		events: [created, started, progress(6, 0, 3, "split"), progress(7, 1, 3, "test")],
		sees: [
			`progress ${card}\n▶️ In progress · started {5 s}\n▰▱▱ 1 of 3 · now: test\n${foot}`,
			`milestone ${inThread}: ☑️ Step 1 of 3 is done: split`,
		],
	},
	{
		name: "of several steps at once nobody guesses which they were, and the last of a plan ends the bar",
		events: [created, started, progress(6, 1, 3, "test"), progress(7, 3, 3, "release")],
		sees: [
			`progress ${card}\n▶️ In progress · started {5 s}\n▰▰▰ 3 of 3\n${foot}`,
			`milestone ${inThread}: ☑️ Step 3 of 3 is done`,
		],
	},
	{
		name: "progress that changes nothing people see is not shown",
		events: [created, started, progress(6, 1, 20, "test"), progress(7, 1, 20, "test")],
		sees: [],
	},
	{
		name: "a plan of many steps has a bar of ten",
		events: [created, started, progress(6, 13, 20, "test")],
		sees: [
			`progress ${card}\n▶️ In progress · started {5 s}\n▰▰▰▰▰▰▱▱▱▱ 13 of 20 · now: test\n${foot}`,
			`milestone ${inThread}: ☑️ Step 13 of 20 is done`,
		],
	},
	{
		name: "a suspended task shows its plan and the buttons that answer it, and nothing more is posted in the room",
		events: [created, started, suspended],
		sees: [
			`milestone ${card}\n⏸️ Waiting for your answer · started {5 s}\n${foot}`,
			`milestone ${inThread}: 📋 **Plan**\n\n1. a\n2. b`,
			`milestone ${inThread} review:review_x1cccccc: ⏸️ **Waiting for your answer**: A schema change\nPress **Approve** to continue, or **Revise** to request changes. You can also reply in this thread.\n[Approve][Revise]`,
		],
	},
	{
		name: "a question that was answered loses its buttons",
		events: [created, started, suspended, resumed],
		sees: [
			`milestone ${card}\n▶️ In progress · started {5 s}\n${foot}`,
			`milestone ${inThread} review:review_x1cccccc: ▶️ **Answered**: A schema change`,
			`milestone ${inThread}: ▶️ **Continued**`,
		],
	},
	{
		name: "a task that is cancelled while it waits closes its question",
		events: [created, started, suspended, [30, "task.cancelled", { task_id: id, reason: "No *need*" }]],
		sees: [
			`milestone ${card}\n⏹️ Cancelled after 25 s: No \\*need\\*\n${over}`,
			`milestone ${inThread} review:review_x1cccccc: ⏹️ **Closed**: A schema change`,
			`milestone ${inThread}: ⏹️ **Cancelled**: No \\*need\\*`,
		],
	},
	{
		name: "who cancelled it has a name",
		events: [created, cancelled({ reason: "cancelled by discord:1:42", by: "discord:1:42" })],
		sees: [`milestone ${card}\n⏹️ Cancelled by @42\n${over}`, `milestone ${inThread}: ⏹️ **Cancelled** by @42`],
	},
	{
		name: "who cancelled it is not whoever the reason claims",
		events: [created, cancelled({ reason: "cancelled by discord:1:42", by: "discord:1:7" })],
		sees: [`milestone ${card}\n⏹️ Cancelled by @7\n${over}`, `milestone ${inThread}: ⏹️ **Cancelled** by @7`],
	},
	{
		name: "a reason stands behind who gave it",
		events: [created, cancelled({ reason: "No need", by: "operator" })],
		sees: [
			`milestone ${card}\n⏹️ Cancelled by the operator: No need\n${over}`,
			`milestone ${inThread}: ⏹️ **Cancelled** by the operator: No need`,
		],
	},
	{
		name: "what an earlier gateway wrote names nobody",
		events: [created, cancelled({ reason: "cancelled by discord:1:42" })],
		sees: [`milestone ${card}\n⏹️ Cancelled\n${over}`, `milestone ${inThread}: ⏹️ **Cancelled**`],
	},
	{
		name: "the result is in the thread, and nothing more is posted in the room",
		events: [created, started, progress(6, 1, 2, "test"), completed("Three *modules*.")],
		sees: [
			"milestone task task:task_1aaaaaa: **Tidy \\*up\\***\n✅ Done after 3 min 20 s\n▰▱ 1 of 2\n(1,200 tokens in, 34 out)",
			`final ${inThread}: ✅ **Done**\n\nThree *modules*.\n(took 3 min 20 s · 1,200 tokens in, 34 out)`,
		],
	},
	{
		name: "an output that was cut says where the whole is",
		events: [created, started, completed("Much…")],
		sees: [
			"milestone task task:task_1aaaaaa: **Tidy \\*up\\***\n✅ Done after 3 min 20 s\n(1,200 tokens in, 34 out)",
			`final ${inThread}: ✅ **Done**\n\nMuch…\n(took 3 min 20 s · 1,200 tokens in, 34 out · complete result: /task show Tidy \\*up\\*)`,
		],
	},
	{
		name: "commands are as people type them in the thread",
		scene: typed,
		events: [created, started, completed("Much…")],
		sees: [expect.any(String), expect.stringContaining(" · complete result: !task show Tidy \\*up\\*)")],
	},
	{
		name: "where no thread can be, commands are as people type them in the room",
		scene: { ...typed, threads: false },
		events: [created, started, suspended],
		sees: [
			expect.any(String),
			expect.any(String),
			expect.stringContaining("You can also use `/bot task reply`."),
		],
	},
	{
		name: "a failure shows its cause on the card and in the thread",
		events: [created, started, failed("out of <ideas>\nreally", false)],
		sees: [
			`milestone ${card}\n❌ Failed after 3 s: out of \\<ideas> really\n${over}`,
			`error ${inThread}: ❌ Failed: out of \\<ideas> really`,
		],
	},
	{
		name: "a failure that is tried again is a milestone, and the card says so",
		events: [created, started, failed("overloaded", true)],
		sees: [
			`milestone ${card}\n🔁 Retrying soon: overloaded · started {5 s}\n${foot}`,
			`milestone ${inThread}: 🔁 **Failed** (attempt 2 follows): overloaded`,
		],
	},
	{
		name: "a task that is tried again counts from its first start, and its failure is forgotten",
		events: [created, started, failed("overloaded", true), [60, "task.started", one]],
		sees: [`progress ${card}\n▶️ In progress · started {5 s}\n${foot}`],
	},
	{
		name: "those who work for a task stand on its card, each below the one it works for",
		events: [
			created,
			started,
			partCreated,
			[6, "task.created", { task_id: "task_4", title: "Other", description: "", parent_id: id }],
			[6, "task.created", { task_id: "task_3", title: "Deep", description: "", parent_id: part.task_id }],
		],
		sees: [
			`progress ${card}\n▶️ In progress · started {5 s}\n\n- 🕓 Queued: Look\n  - 🕓 Queued: Deep\n- 🕓 Queued: Other\n${foot}`,
		],
	},
	{
		name: "the end of one who works for a task is told on the card alone",
		events: [
			created,
			started,
			partCreated,
			[7, "task.failed", { ...part, error: "no", retry_count: 0, will_retry: false }],
		],
		sees: [`progress ${card}\n▶️ In progress · started {5 s}\n\n- ❌ Failed: Look\n${foot}`],
	},
	{
		name: "of many who work for a task the newest are shown",
		events: [
			created,
			started,
			...Array.from({ length: 10 }, (_, index): TimedEvent => {
				return [
					6,
					"task.created",
					{ task_id: `task_w${index}`, title: `W${index}`, description: "", parent_id: id },
				];
			}),
		],
		sees: [
			`progress ${card}\n▶️ In progress · started {5 s}\n\n${[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `- 🕓 Queued: W${n}\n`).join("")}- and 2 earlier subtasks\n${foot}`,
		],
	},
	{
		name: "what one who works for a task asks is asked in the thread of that task",
		events: [created, started, partCreated, [9, "task.suspended", { ...part, ...asks, plan_content: "" }]],
		sees: [
			`progress ${card}\n▶️ In progress · started {5 s}\n⏸️ Waiting for your answer: Look\n\n- ⏸️ Waiting for your answer: Look\n${foot}`,
			`milestone ${inThread} review:review_x1cccccc: ⏸️ **Waiting for your answer**: A schema change\nPress **Approve** to continue, or **Revise** to request changes. You can also reply in this thread.\n[Approve][Revise]`,
		],
	},
	{
		name: "a worker that only its own conversation tells of joins the card",
		events: [
			created,
			started,
			[6, "internal.worker", { ...part, event: "started", parent_id: id, agent: "default" }],
			[7, "internal.worker", { task_id: part.task_id, event: "phase", phase: "acting" }],
			[8, "internal.worker", { task_id: part.task_id, event: "completed", output_summary: "four" }],
		],
		sees: [`progress ${card}\n▶️ In progress · started {5 s}\n\n- ✅ Done: Look\n${foot}`],
	},
	{
		name: "where no thread can be, the room hears all of it, with the name of the task",
		scene: noThreads,
		events: [created, started, completed("Three.")],
		sees: [
			"milestone task task:task_1aaaaaa: **Tidy \\*up\\***\n✅ Done after 3 min 20 s\n(1,200 tokens in, 34 out)",
			"final task: **Tidy \\*up\\***\n✅ **Done**\n\nThree.\n(took 3 min 20 s · 1,200 tokens in, 34 out)",
		],
	},
	{
		name: "where no thread can be, none is opened",
		scene: noThreads,
		events: [created],
		sees: [`milestone ${card}\n🕓 Queued · requested {1 s}\n${foot}`],
	},
	{
		name: "the end of a task notifies the person who requested it, with a link to its card",
		scene: inRoom,
		events: [requested("discord:1:42"), started, completed("Three.")],
		sees: [
			expect.any(String),
			`final ${inThread}: <@42> ✅ **Done**\n\nThree.\n(took 3 min 20 s · 1,200 tokens in, 34 out)\n[Open the card task:${id}]`,
		],
	},
	{
		name: "so does its failure",
		scene: inRoom,
		events: [requested("discord:1:42"), started, failed("no ideas", false)],
		sees: [expect.any(String), `error ${inThread}: <@42> ❌ Failed: no ideas\n[Open the card task:${id}]`],
	},
	{
		name: "a failure that is tried again is not its end, so it notifies no person",
		scene: inRoom,
		events: [requested("discord:1:42"), started, failed("overloaded", true)],
		sees: [expect.any(String), `milestone ${inThread}: 🔁 **Failed** (attempt 2 follows): overloaded`],
	},
	{
		name: "the requester of a task that another person cancels is notified",
		scene: inRoom,
		events: [requested("discord:1:42"), cancelled({ reason: "", by: "discord:1:7" })],
		sees: [
			expect.any(String),
			`milestone ${inThread}: <@42> ⏹️ **Cancelled** by @7\n[Open the card task:${id}]`,
		],
	},
	{
		name: "an own cancellation notifies no person",
		scene: inRoom,
		events: [requested("discord:1:42"), cancelled({ reason: "", by: "discord:1:42" })],
		sees: [expect.any(String), `milestone ${inThread}: ⏹️ **Cancelled** by @42\n[Open the card task:${id}]`],
	},
	{
		name: "the end of a worker notifies no person",
		scene: inRoom,
		events: [
			requested("discord:1:42"),
			started,
			partCreated,
			[7, "task.failed", { ...part, error: "no", retry_count: 0, will_retry: false }],
		],
		sees: [expect.stringMatching(/^progress /)],
	},
	...["operator", "slack:T1:U7", "discord:2:42"].map((by) => ({
		name: `${by} is no person of this server, so the end notifies no person`,
		scene: inRoom,
		events: [requested(by), started, completed("Three.")],
		sees: [expect.any(String), expect.stringMatching(/^final task in thread: ✅ /)],
	})),
	{
		name: "where no thread can be, the only post of the end notifies the requester",
		scene: { ...inRoom, threads: false },
		events: [requested("discord:1:42"), started, completed("Three.")],
		sees: [
			expect.any(String),
			`final task: <@42> **Tidy \\*up\\***\n✅ **Done**\n\nThree.\n(took 3 min 20 s · 1,200 tokens in, 34 out)\n[Open the card task:${id}]`,
		],
	},
	{
		name: "a task that nobody saw begin is not shown",
		events: [started, progress(6, 1, 2, "x"), suspended, completed("x")],
		sees: [],
	},
];

test.each(scenarios)("$name", ({ events, sees, scene = chatScene }) => {
	for (const [, event, payload] of events) {
		expect(isOzzieEvent({ type: "event", event, payload, session_id: "sess_1", seq: 1 })).toBe(true);
	}
	const { shown } = reduceTimedEvents(tasks, events, { scene });
	expect(shown.at(-1)?.map(written)).toEqual(sees);
});

test("no card shows an id, and each is found by the marker of earlier versions", () => {
	const { shown } = reduceTimedEvents(tasks, [created, suspended, resumed, completed("x")]);
	const cards = shown.flat().filter((one) => one.type === "show" && one.card !== undefined);
	expect(cards).toHaveLength(6);
	for (const one of cards) {
		expect(one).toHaveProperty("marker", expect.stringMatching(/^(?:task|question) id \w{6}$/u));
		expect(written(one).split(": ").slice(1).join(": ")).not.toMatch(/aaaaaa|cccccc/u);
	}
});
