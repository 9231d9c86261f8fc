import { expect, test } from "vitest";
import type { CardState } from "../platform/posting.ts";
import { reduceTimedEvents, type TimedEvent } from "../testing/chat-scene.ts";
import {
	answered,
	approval,
	closed,
	elicitation,
	play,
	reminded,
	tokenOf,
	writes,
} from "../testing/question-scene.ts";
import { tasks } from "./tasks/tasks.ts";

const no = { value: false };
const second = { token: tokenOf(2) };

test.each([
	["an approved call", [approval(), answered({})], ["waiting", "done"]],
	["a denied call", [approval(), answered(no)], ["waiting", "failed"]],
	["a call without an answer", [approval(), closed("expired")], ["waiting", "closed"]],
	["a reminder", [approval(), reminded()], ["waiting", "waiting"]],
	["an answered question", [elicitation({}), answered({ value: "red" })], ["waiting", "done"]],
	["a skipped question", [elicitation({}), answered({ cancelled: true })], ["waiting", "closed"]],
	[
		"several approved calls",
		[...writes(["a", "b"]), answered({}), answered(second)],
		["waiting", "waiting", "done"],
	],
	[
		"several calls of which one was denied",
		[...writes(["a", "b"]), answered(no), answered(second)],
		["waiting", "waiting", "failed"],
	],
	[
		"several calls of which one has no answer",
		[...writes(["a", "b"]), answered({}), closed("expired", undefined, second.token)],
		["waiting", "waiting", "closed"],
	],
] as const)("the card of %s shows its states", (_, events, states) => {
	expect(play(events).posts.map(({ state }) => state)).toEqual(states);
});

const task = { task_id: "task_1aaaaaa", title: "Tidy" };
const asks = { reason: "May I?", suspend_count: 1, token: "review_x1cccccc", plan_content: "" };
const spent = { duration: 1, tokens_input: 1, tokens_output: 1 };

const lastOfTask: readonly (readonly [TimedEvent, readonly (CardState | undefined)[]])[] = [
	[
		[9, "task.suspended", { ...task, ...asks }],
		["waiting", "waiting"],
	],
	[
		[9, "task.completed", { ...task, output_summary: "Three.", ...spent }],
		["done", undefined],
	],
	[
		[9, "task.failed", { ...task, error: "no", retry_count: 0, will_retry: false }],
		["failed", undefined],
	],
	[
		[9, "task.failed", { ...task, error: "no", retry_count: 0, will_retry: true }],
		["warning", undefined],
	],
	[
		[9, "task.cancelled", { ...task, reason: "", by: "operator" }],
		["closed", undefined],
	],
];

test.each(lastOfTask)("the card of a task shows the state after %j", (last, states) => {
	const begun: TimedEvent[] = [
		[1, "task.created", { ...task, description: "…", parent_id: "" }],
		[5, "task.started", task],
	];
	const { shown } = reduceTimedEvents(tasks, [...begun, last]);
	const statesOf = (index: number) =>
		shown.at(index)?.flatMap((operation) => (operation.type === "show" ? [operation.state] : []));
	expect(statesOf(0)).toEqual(["working"]);
	expect(statesOf(-1)).toEqual(states);
});
