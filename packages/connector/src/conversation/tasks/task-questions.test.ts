import { expect, test } from "vitest";
import { chatScene, reduceTimedEvents, type TimedEvent, written } from "../../testing/chat-scene.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import { tasks } from "./tasks.ts";

const task = { task_id: "task_1aaaaaa", title: "Tidy" };
const part = { task_id: "task_2", title: "Look" };
const partCreated: TimedEvent = [
	6,
	"task.created",
	{ ...part, description: "…", parent_id: task.task_id, by: "discord:1:7" },
];
const asks = { reason: "May I?", suspend_count: 1, token: "review_x1cccccc", plan_content: "" };
const resumed: TimedEvent = [20, "task.resumed", task];
const room: Scene = { ...chatScene, room: { platform: "discord", tenant: "1", channel: "5" } };

function posts(events: readonly TimedEvent[], { by = "discord:1:42", scene = room } = {}): string[] {
	const created: TimedEvent = [1, "task.created", { ...task, description: "…", parent_id: "", by }];
	const { shown } = reduceTimedEvents(tasks, [created, [5, "task.started", task], ...events], { scene });
	return (shown.at(-1) ?? []).slice(1).map((one) => written(one).split("\n")[0] ?? "");
}

function suspended(more: object = {}): TimedEvent {
	return [9, "task.suspended", { ...task, ...asks, ...more }];
}

const thread = "milestone task in thread";
const open = "review:review_x1cccccc: ⏸️ **Waiting for your answer**: May I?";

test("a plan that waits for an answer notifies the person who requested the task, once", () => {
	expect(posts([suspended({ plan_content: "1. a" })])).toEqual([
		`${thread}: <@42> 📋 **Plan**`,
		`${thread} ${open}`,
	]);
});

test("a question without a plan has the same result, also a question of a worker and each later question", () => {
	const asking = [`${thread} review:review_x1cccccc: <@42> ⏸️ **Waiting for your answer**: May I?`];
	expect(posts([suspended()])).toEqual(asking);
	expect(posts([partCreated, suspended(part)])).toEqual(asking);
	expect(posts([suspended({ token: "review_0" }), resumed, suspended()])).toEqual(asking);
});

test("an answered question notifies no person again", () => {
	expect(posts([suspended(), resumed])).toEqual([
		`${thread} review:review_x1cccccc: ▶️ **Answered**: May I?`,
		`${thread}: ▶️ **Continued**`,
	]);
});

test.each(["operator", "slack:T1:U7", "discord:2:42"])(
	"%s is not a person of this server, so a question notifies no person",
	(by) => {
		expect(posts([suspended({ plan_content: "1. a" })], { by })).toEqual([
			`${thread}: 📋 **Plan**`,
			`${thread} ${open}`,
		]);
	},
);

test("the first post in a room without threads notifies the requester", () => {
	expect(posts([suspended({ plan_content: "1. a" })], { scene: { ...room, threads: false } })).toEqual([
		"milestone task: <@42> **Tidy**",
		`milestone task ${open}`,
	]);
});
