import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { submit, untilEnd } from "./task-client.ts";
import { verifiesOn } from "./verifies.ts";

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const count = expect.any(Number);
const usage = {
	...{ tokens_input: count, tokens_output: count, tokens_cache_read: 0, tokens_cache_write: 0 },
	cost_usd: 0,
};

verifiesOn(
	"ozzie",
	["task.flow", "task.events", "task.progress", "task.reply", "task.silent"],
	"the document's flow: submitted, planned, suspended, replied to, completed",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		const description = [
			...["plan: > look | change | test", "plan: x look | > change | test"],
			...[
				"review: A schema change <<< A `roles` table",
				"plan: x look | x change | x test",
				"say: 3 modules",
			],
		].join("\n");
		const task_id = await submit(client, description, { title: "Refactor auth" });
		const suspended = await client.event("task.suspended");
		await client.call("reply_task", { task_id, status: "approved", feedback: "Proceed" });
		await client.event("task.completed");
		await using later = await OzzieClient.connect(gateway.url);
		await later.call("open_session", { session_id: session, after_seq: 0 });
		const received = [await later.event("task.created"), ...(await untilEnd(later, task_id))];
		const named = { task_id, title: "Refactor auth" };
		const progress = (
			[current_step, total_steps]: readonly [number, number],
			current_step_label: string,
			percentage: number,
			...statuses: readonly string[]
		) => {
			const titles = ["look", "change", "test"];
			const plan = statuses.map((status, index) => ({ title: titles[index], status }));
			const state = { current_step, total_steps, current_step_label, percentage, usage };
			return {
				event: "task.progress",
				payload: { task_id, ...state, ...(plan.length > 0 && { plan }) },
			};
		};
		expect(received.map(({ event, payload }) => ({ event, payload }))).toEqual([
			{ event: "task.created", payload: { ...named, description, parent_id: "", by: "operator" } },
			{ event: "task.started", payload: named },
			progress([0, 1], "Refactor auth", 0),
			progress([0, 3], "look", 0, "in_progress", "pending", "pending"),
			progress([1, 3], "change", 33, "completed", "in_progress", "pending"),
			{
				event: "task.suspended",
				payload: {
					...{ ...named, reason: "A schema change", suspend_count: 1 },
					...{ plan_content: "A `roles` table", token: expect.stringMatching(/^review_/), usage },
				},
			},
			{ event: "task.resumed", payload: named },
			progress([3, 3], "test", 100, "completed", "completed", "completed"),
			{
				event: "task.completed",
				payload: {
					...{ ...named, output_summary: expect.stringContaining("3 modules") },
					...{ duration: count, tokens_input: count, tokens_output: count, usage },
				},
			},
		]);
		expect(received[5]?.payload["token"]).toBe(suspended.payload["token"]);
		const { duration, tokens_input } = received.at(-1)?.payload ?? {};
		expect(Number.isInteger(duration)).toBe(true);
		expect(tokens_input).not.toBe(0);
		const stored = await fetch(`${gateway.url}/api/events?session=${session}&type=assistant.message`);
		await expect(stored.text()).resolves.toBe("[]");
	},
);

verifiesOn(
	"ozzie",
	["task.submit", "task.implicit", "task.default-tools", "task.check", "task.progress"],
	"a task reports its title, its progress and its result",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const submitted = await client.call("submit_task", { title: "  Greet  ", description: "say: hi" });
		expect(submitted).toEqual({
			...{ task_id: expect.stringMatching(/^task_[0-9a-z]{26}$/), status: "submitted" },
		});
		const created = await client.event("session.created");
		const id = String(submitted["task_id"]);
		const received = await untilEnd(client, id);
		const steps = received.filter(({ event }) => event === "task.progress");
		expect(steps.map(({ payload }) => [payload["percentage"], payload["total_steps"]])).toEqual([
			[0, 1],
			[100, 1],
		]);
		expect(await client.call("check_task", { task_id: id })).toEqual({
			...{ id, title: "Greet", status: "completed", description: "say: hi" },
			progress: { current_step: 1, total_steps: 1, current_step_label: "Greet", percentage: 100 },
			...{ session_id: created.session_id, conversation: expect.stringMatching(/^sess_/), parent_id: "" },
			...{
				priority: "normal",
				tools: ["run_command", "git", "query_memories"],
				agent: "default",
				autonomy: "supervised",
			},
			...{ depends_on: [], owner: "operator", suspend_count: 0, retry_count: 0 },
			...{ output: "[offline] hi", error: "" },
			...{ created_at: time, updated_at: time, started_at: time, completed_at: time },
			usage: {
				...{ tokens_input: count, tokens_output: 3, tokens_cache_read: 0, tokens_cache_write: 0 },
				cost_usd: 0,
			},
		});
	},
);

verifiesOn("ozzie", ["task.reply", "task.reply-once"], "replies of people reach the model once", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	const task_id = await submit(client, ["review: First?", "review: Second?"]);
	const first = await client.event("task.suspended");
	const checked = await client.call("check_task", { task_id });
	expect(checked).toMatchObject({
		status: "suspended",
		suspension: { reason: "First?", plan_content: "First?", token: first.payload["token"] },
	});
	for (const status of ["denied", "", null]) {
		expect(await client.refusal("reply_task", { task_id, status })).toMatch(/^invalid params: status: /);
	}
	const wrong = { task_id, status: "approved", token: "review_other" };
	expect(await client.refusal("reply_task", wrong)).toMatch(/^not available: token: /);
	const token = first.payload["token"];
	const revise = { task_id, status: "revise", feedback: "with fewer tables", token };
	expect(await client.call("reply_task", revise)).toEqual({ task_id, status: "replied" });
	await client.event("task.resumed");
	const second = await client.event("task.suspended");
	expect(second.payload).toMatchObject({ suspend_count: 2, reason: "Second?" });
	expect(await client.refusal("reply_task", revise)).toMatch(/^not available: token: /);
	await client.call("reply_task", { task_id, status: "approved" });
	await client.event("task.completed");
	expect(await client.refusal("reply_task", { task_id, status: "approved" })).toMatch(
		/^not available: task \S+ is completed/,
	);
	const { conversation } = checked;
	const results = await fetch(`${gateway.url}/api/events?session=${conversation}&type=tool.call`);
	expect(await results.text()).toContain("with fewer tables");
});

verifiesOn(
	"ozzie",
	["task.prompt", "task.autonomous"],
	"approvals of a task are requested in its session",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		const task_id = await submit(client, ["review: May I?", "run: echo hi"], {
			...{ tools: ["run_command"], autonomy: "autonomous" },
		});
		const prompt = await client.event("prompt.request");
		expect(prompt).toMatchObject({
			session_id: session,
			payload: { type: "confirm", context: { task_id, tool: "run_command", arguments: { cmd: "echo hi" } } },
		});
		await client.call("prompt_response", { token: prompt.payload["token"], value: true });
		const ended = await client.event("task.completed");
		expect(ended.payload["output_summary"]).toMatch(/returned:\nhi$/);
		expect(await client.call("check_task", { task_id })).toMatchObject({
			autonomy: "autonomous",
			suspend_count: 0,
		});
		const { conversation } = await client.call("check_task", { task_id });
		const calls = await fetch(`${gateway.url}/api/events?session=${conversation}&type=tool.call`);
		expect(await calls.json()).toContainEqual(
			expect.objectContaining({
				payload: expect.objectContaining({ status: "failed", name: "request_review" }),
			}),
		);
	},
);

verifiesOn(
	"ozzie",
	["task.validated", "task.unknown"],
	"invalid requests are refused, each with the reason",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const right = { title: "t", description: "say: hi", tools: [] };
		const wrong: readonly (readonly [object, RegExp])[] = [
			[{ title: " " }, /^invalid params: title: must not be empty$/],
			[{ title: 5 }, /^invalid params: title: must be a string$/],
			[{ title: "t".repeat(201) }, /^invalid params: title: must have at most 200 characters$/],
			[{ description: undefined }, /^invalid params: description: is missing: it must be a string$/],
			[{ description: "\n" }, /^invalid params: description: must not be blank$/],
			[
				{ description: "d".repeat(32_001) },
				/^invalid params: description: must have at most 32000 characters$/,
			],
			[{ tools: ["fly"] }, /^invalid params: tools: there is no tool "fly"; available: .*run_command/],
			[
				{ tools: Array.from({ length: 51 }, () => "git") },
				/^invalid params: tools: must have at most 50 entries$/,
			],
			[{ priority: "urgent" }, /^invalid params: priority: must be one of low, normal, high$/],
			[{ autonomy: "full" }, /^invalid params: autonomy: must be one of supervised, autonomous$/],
			[{ agent: "nobody" }, /^invalid params: agent not found: nobody/],
			[{ model: "nothing" }, /^invalid params: /],
			[
				{ depends_on: ["task_none"] },
				/^invalid params: depends_on: "task_none" is not a task of this session: use an id that list_tasks returns$/,
			],
			[
				{ depends_on: Array.from({ length: 21 }, () => "task_1") },
				/^invalid params: depends_on: must have at most 20/,
			],
		];
		for (const [wish, error] of wrong) {
			expect(await client.refusal("submit_task", { ...right, ...wish })).toMatch(error);
		}
		expect(await client.request("list_tasks")).toMatchObject({ payload: [] });
		const status = "approved";
		for (const method of ["check_task", "cancel_task", "reply_task", "retry_task"]) {
			const refused = await client.refusal(method, { task_id: "../sess_1", status });
			expect(refused, method).toBe("task not found: ../sess_1");
			expect(await client.refusal(method, { status }), method).toMatch(/^invalid params: task_id: /);
		}
		for (const params of [{ before: "task_none" }, { parent_id: "task_none" }]) {
			expect(await client.refusal("query_tasks", params)).toBe("task not found: task_none");
		}
	},
);

verifiesOn("ozzie", ["task.keys", "task.retry"], "a request with a key runs once", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const wish = { title: "t", description: "review: May I?", tools: [], key: "k1" };
	const submitted = await client.call("submit_task", wish);
	expect(await client.call("submit_task", wish)).toEqual(submitted);
	expect(await client.refusal("submit_task", { ...wish, title: "u" })).toMatch(/^invalid params: key "k1"/);
	const task_id = String(submitted["task_id"]);
	await client.event("task.suspended");
	for (const [method, params] of [
		["reply_task", { task_id, status: "approved", key: "k2" }],
		["cancel_task", { task_id, key: "k3" }],
		["retry_task", { task_id, key: "k4" }],
	] as const) {
		const answered = await client.call(method, params);
		expect(await client.call(method, params)).toEqual(answered);
		if (method === "reply_task") await client.event("task.completed");
		if (method === "cancel_task") expect(answered).toEqual({ task_id, status: "completed" });
		if (method !== "retry_task") continue;
		expect(answered).toEqual({ task_id: expect.not.stringContaining(task_id), status: "submitted" });
		expect(await client.call("check_task", { task_id: answered["task_id"] })).toMatchObject({
			...{ retry_of: task_id, title: "t", description: "review: May I?", tools: [] },
		});
		await client.event("task.suspended");
		expect(await client.refusal("retry_task", { task_id: answered["task_id"] })).toMatch(
			/^not available: task \S+ is suspended/,
		);
	}
});
