import { expect, test } from "vitest";
import { type MethodName, methods } from "./methods.ts";

function issueOf(method: MethodName, params: object) {
	return methods[method].params.safeParse(params).error?.issues[0];
}

function refusedAt(method: MethodName, params: object): unknown {
	return issueOf(method, params)?.path.join(".");
}

test("null means absent for every optional parameter, and defaults apply", () => {
	const nulls = { session_id: null, after_seq: null, join: null, title: null, key: null };
	const opened = methods.open_session.params.parse(nulls);
	expect(Object.values(opened).filter((value) => value !== undefined)).toEqual([]);
	expect(methods.load_messages.params.parse({ limit: null })).toEqual({ limit: 10 });
	expect(methods.list_sessions.params.parse({})).toEqual({ limit: 50 });
	expect(methods.usage.params.parse({ since: null, by: null })).toEqual({ by: "day" });
	expect(methods.prompt_response.params.parse({ token: "t", value: null }).value).toBeUndefined();
});

test("a prompt answer distinguishes cancelled false from absent", () => {
	expect(methods.prompt_response.params.parse({ token: "t", cancelled: false }).cancelled).toBe(false);
	expect(methods.prompt_response.params.parse({ token: "t" }).cancelled).toBeUndefined();
});

test.each<[MethodName, object, string]>([
	["send_message", {}, "content"],
	["send_message", { content: null }, "content"],
	["send_message", { content: " \n\t" }, "content"],
	["send_message", { content: "a".repeat(1_048_577) }, "content"],
	["send_message", { content: "hi", key: "k".repeat(129) }, "key"],
	["steer", {}, "content"],
	["steer", { content: " " }, "content"],
	["set_model", {}, "model"],
	["set_model", { model: " " }, "model"],
	["set_model", { model: "m".repeat(201) }, "model"],
	["usage", { since: "2026-1-1" }, "since"],
	["usage", { until: "2026-02-30" }, "until"],
	["usage", { by: "hour" }, "by"],
	["usage", { session_id: "" }, "session_id"],
	["set_budget", { period: "day", limit_usd: 1 }, "scope"],
	["set_budget", { scope: "gateway", period: "week", limit_usd: 1 }, "period"],
	["set_budget", { scope: "gateway", period: "day" }, "limit_usd"],
	["open_session", { title: "t".repeat(201) }, "title"],
	["open_session", { external_key: "e".repeat(257) }, "external_key"],
	["open_session", { session_id: "s".repeat(129) }, "session_id"],
	["open_session", { after_seq: -1 }, "after_seq"],
	["open_session", { after_seq: 1.5 }, "after_seq"],
	["load_messages", { limit: 51 }, "limit"],
	["load_messages", { limit: 0 }, "limit"],
	["cancel_turn", { run_id: "" }, "run_id"],
	["list_prompts", { limit: 0 }, "limit"],
	["list_prompts", { token: "" }, "token"],
	["secret_page", {}, "token"],
	["set_place", { place: "discord:1", profile: { sessions: "mine" } }, "profile.sessions"],
	["prompt_response", { token: "" }, "token"],
	["prompt_response", { token: "t", values: ["a", 1] }, "values.1"],
	["submit_task", { description: "d" }, "title"],
	["submit_task", { title: " \n", description: "d" }, "title"],
	["submit_task", { title: "t".repeat(201), description: "d" }, "title"],
	["submit_task", { title: "t" }, "description"],
	["submit_task", { title: "t", description: " " }, "description"],
	["submit_task", { title: "t", description: "d".repeat(32_001) }, "description"],
	["submit_task", { title: "t", description: "d", tools: "git" }, "tools"],
	["submit_task", { title: "t", description: "d", tools: [""] }, "tools.0"],
	["submit_task", { title: "t", description: "d", tools: Array.from({ length: 51 }, () => "git") }, "tools"],
	["submit_task", { title: "t", description: "d", priority: "urgent" }, "priority"],
	["submit_task", { title: "t", description: "d", agent: "" }, "agent"],
	["submit_task", { title: "t", description: "d", model: " " }, "model"],
	["submit_task", { title: "t", description: "d", autonomy: "none" }, "autonomy"],
	[
		"submit_task",
		{ title: "t", description: "d", depends_on: Array.from({ length: 21 }, () => "task_1") },
		"depends_on",
	],
	["check_task", {}, "task_id"],
	["cancel_task", { task_id: "t", reason: "r".repeat(1_001) }, "reason"],
	["reply_task", { task_id: "t" }, "status"],
	["reply_task", { task_id: "t", status: "denied" }, "status"],
	["reply_task", { task_id: "t", status: "revise", feedback: "f".repeat(32_001) }, "feedback"],
	["reply_task", { task_id: "t", status: "revise", token: "" }, "token"],
	["query_tasks", { status: "waiting" }, "status"],
	["query_tasks", { status: [] }, "status"],
	["query_tasks", { limit: 1_001 }, "limit"],
	["query_tasks", { limit: 0 }, "limit"],
	["retry_task", { task_id: "" }, "task_id"],
	["resume", { sessions: [] }, "sessions"],
	["resume", { sessions: Array.from({ length: 101 }, () => ({ session_id: "s" })) }, "sessions"],
	["resume", { sessions: [{ session_id: "" }] }, "sessions.0.session_id"],
])("%s refuses %j at %s", (method, params, path) => {
	expect(refusedAt(method, params)).toBe(path);
});

test.each([-0.01, 1_000_001, Number.NaN, Number.POSITIVE_INFINITY, "5", "none"])(
	"a budget of %j is refused",
	(limit_usd) => {
		expect(issueOf("set_budget", { scope: "gateway", period: "day", limit_usd })).toMatchObject({
			path: ["limit_usd"],
			message: "must be an amount in US dollars from 0 to 1000000, null or configured",
		});
	},
);

test.each<[MethodName, object, string]>([
	["usage", { since: "2026-1-1" }, "must be a day (UTC) such as 2026-01-31"],
	["usage", { since: 20_260_101 }, "must be a day (UTC) such as 2026-01-31"],
	["usage", { until: "2026-02-30" }, "must be a day (UTC) such as 2026-01-31"],
	["usage", { by: "hour" }, "must be one of day, model, session"],
	["set_budget", { period: "day", limit_usd: 1 }, "must be gateway or session"],
	["set_budget", { scope: "gateway", period: "week", limit_usd: 1 }, "must be day or month"],
	[
		"set_budget",
		{ scope: "gateway", period: "day" },
		"must be an amount in US dollars from 0 to 1000000, null or configured",
	],
])("%s reports the valid form of %j: %s", (method, params, message) => {
	expect(issueOf(method, params)?.message).toBe(message);
});

test("a query of tasks takes one status or several", () => {
	const { params } = methods.query_tasks;
	expect(params.parse({ status: "failed" })).toEqual({ status: ["failed"], limit: 50 });
	expect(params.parse({ status: ["failed", "running"] }).status).toEqual(["failed", "running"]);
	expect(issueOf("query_tasks", { status: "late" })?.message).toBe(
		"must be one or several of pending, running, suspended, completed, failed, cancelled",
	);
});

test.each([0, 0.000_000_001, 1_000_000, null, "configured"])("a budget can be %j", (limit_usd) => {
	const params = { scope: "gateway", period: "day", limit_usd } as const;
	expect(methods.set_budget.params.parse(params)).toEqual(params);
});

test("the longest allowed strings pass", () => {
	const longest = { title: "t".repeat(200), external_key: "e".repeat(256), session_id: "s".repeat(128) };
	expect(methods.open_session.params.safeParse(longest).success).toBe(true);
	expect(methods.send_message.params.safeParse({ content: "a".repeat(1_048_576) }).success).toBe(true);
});

test("spaces around a model's name are ignored", () => {
	expect(methods.set_model.params.parse({ model: " fast\n" })).toEqual({ model: "fast" });
});
