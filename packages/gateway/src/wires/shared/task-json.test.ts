import type { TaskFacts } from "@parley/core";
import { methods } from "@parley/protocol";
import { expect, test } from "vitest";
import { decodeStatuses, encodeListedTask, encodeTask } from "./task-json.ts";

const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, cost: 5 };

const facts: TaskFacts = {
	id: "task_1",
	sessionId: "sess_1",
	ownSessionId: "sess_2",
	parentId: undefined,
	stepOf: undefined,
	retryOf: undefined,
	title: "Refactor auth",
	description: "Split it",
	state: "pending",
	priority: "high",
	tools: ["git"],
	agent: "default",
	model: undefined,
	autonomy: "supervised",
	dependsOn: ["task_0"],
	submittedBy: "operator",
	progress: { current: 0, total: 1, label: "Refactor auth", percentage: 0 },
	plan: undefined,
	review: undefined,
	suspendCount: 0,
	retryCount: 0,
	output: "",
	error: "",
	usage,
	createdAt: 0,
	updatedAt: 1_000,
	startedAt: undefined,
	endedAt: undefined,
};
const all = { token: (token: string) => token };

const shown = {
	id: "task_1",
	title: "Refactor auth",
	status: "pending",
	progress: { current_step: 0, total_steps: 1, current_step_label: "Refactor auth", percentage: 0 },
	description: "Split it",
	session_id: "sess_1",
	conversation: "sess_2",
	parent_id: "",
	priority: "high",
	tools: ["git"],
	agent: "default",
	autonomy: "supervised",
	depends_on: ["task_0"],
	owner: "operator",
	suspend_count: 0,
	retry_count: 0,
	output: "",
	error: "",
	created_at: "1970-01-01T00:00:00.000Z",
	updated_at: "1970-01-01T00:00:01.000Z",
	usage: {
		tokens_input: 1,
		tokens_output: 2,
		tokens_cache_read: 3,
		tokens_cache_write: 4,
		cost_usd: 0.000_000_005,
	},
};

test("a task has all known fields, and no field for unknown facts", () => {
	expect(encodeTask(facts, all)).toEqual(shown);
	const full: TaskFacts = {
		...facts,
		state: "suspended",
		model: "m",
		retryOf: "task_9",
		parentId: "task_8",
		plan: [{ title: "look", state: "in_progress" }],
		review: { token: "review_1", callId: "call_1", reason: "schema", content: "a table" },
		startedAt: 2_000,
		endedAt: 3_000,
	};
	const encoded = encodeTask(full, all);
	expect(encoded).toEqual({
		...shown,
		status: "suspended",
		model: "m",
		retry_of: "task_9",
		parent_id: "task_8",
		plan: [{ title: "look", status: "in_progress" }],
		suspension: { reason: "schema", plan_content: "a table", token: "review_1" },
		started_at: "1970-01-01T00:00:02.000Z",
		completed_at: "1970-01-01T00:00:03.000Z",
	});
	expect(methods.check_task.result.parse(encoded)).toEqual(encoded);
	expect(encodeTask(full, { token: () => undefined }).suspension).toEqual({
		reason: "schema",
		plan_content: "a table",
	});
});

test("a list has the start of long texts, and no plans", () => {
	const long: TaskFacts = {
		...facts,
		description: `${"d".repeat(499)}👩‍🚀`,
		output: "o".repeat(501),
		error: "e".repeat(500),
		plan: [{ title: "look", state: "pending" }],
		review: { token: "review_1", callId: "call_1", reason: "r", content: "c".repeat(32_000) },
	};
	const encoded = encodeListedTask(long, all);
	expect(encoded).toMatchObject({
		description: `${"d".repeat(499)}…`,
		output: `${"o".repeat(500)}…`,
		error: "e".repeat(500),
		suspension: { plan_content: `${"c".repeat(500)}…`, token: "review_1" },
	});
	expect(encoded.plan).toBeUndefined();
});

test("a task that waits for its workers is shown as running", () => {
	expect(encodeTask({ ...facts, state: "waiting" }, all).status).toBe("running");
	expect(decodeStatuses(["running", "failed", "running"])).toEqual(["running", "waiting", "failed"]);
});
