import { ManualClock } from "@parley/base/testing";
import { type Budgets, billionths } from "@parley/core";
import { calls as callsTool, ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { submit, untilEnd } from "./task-client.ts";
import { verifiesOn } from "./verifies.ts";

/** Model table. Every scripted reply uses 10 input tokens and 5 output tokens, which cost two cents. */
const table = {
	models: [
		{
			...{ id: "scripted-1", provider: "scripted", context_window: 100_000, max_output: 1_000 },
			prices: { input: 1_000, output: 2_000 },
		},
	],
};
const oneCall = {
	...{ tokens_input: 10, tokens_output: 5, tokens_cache_read: 0, tokens_cache_write: 0 },
	cost_usd: 0.02,
};
const calls = (count: number) => ({
	...{ tokens_input: 10 * count, tokens_output: 5 * count, tokens_cache_read: 0, tokens_cache_write: 0 },
	cost_usd: expect.closeTo(0.02 * count, 10),
});

function start(replies: number, budgets?: Budgets, clock = new ManualClock()): Promise<TestGateway> {
	const model = new ScriptedModel(...Array.from({ length: replies }, () => [says("well")]));
	const data = { "models.json": JSON.stringify(table) };
	// With a budget, the gateway only calls models with a known price.
	const config = { model: "scripted-1", ...(budgets && { budgets }) };
	return TestGateway.start({ model, data, clock, config });
}

async function talk(client: OzzieClient): Promise<string> {
	await client.call("send_message", { content: "go" });
	const { payload } = await client.event("assistant.message");
	return String(payload["error"]);
}

verifiesOn(
	"ozzie",
	["usage.updated"],
	"the end of a run reports the usage of the run and of its session",
	async () => {
		await using gateway = await start(2);
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		for (const count of [1, 2]) {
			const { run_id } = await client.call("send_message", { content: "go" });
			const { payload } = await client.event("usage.updated");
			expect(payload).toEqual({ run_id, run: oneCall, session: calls(count) });
			await client.event("assistant.message", { error: "" });
		}
	},
);

verifiesOn("ozzie", ["task.usage"], "each event of a task's state reports its usage", async () => {
	const model = new ScriptedModel(
		[callsTool("c1", "plan", { steps: [{ title: "look", state: "in_progress" }] })],
		[callsTool("c2", "request_review", { reason: "May I?", content: "this" })],
		[says("well")],
		[callsTool("c3", "request_review", { reason: "May I?", content: "that" })],
	);
	const data = { "models.json": JSON.stringify(table) };
	await using gateway = await TestGateway.start({ model, data });
	await using client = await OzzieClient.connect(gateway.url);
	const session = await client.open();
	const done = await submit(client, "go");
	await client.event("task.suspended");
	await client.call("reply_task", { task_id: done, status: "approved" });
	await client.event("task.completed");
	const stopped = await submit(client, "go");
	await client.event("task.suspended");
	await client.call("cancel_task", { task_id: stopped });
	await client.event("task.cancelled");
	// The model has no further scripted reply, so the call fails.
	const failed = await submit(client, "go");
	await using later = await OzzieClient.connect(gateway.url);
	await later.call("open_session", { session_id: session, after_seq: 0 });
	const received = [
		await untilEnd(later, done),
		await untilEnd(later, stopped),
		await untilEnd(later, failed),
	];
	expect(
		received.flat().flatMap(({ event, payload }) => ("usage" in payload ? [[event, payload["usage"]]] : [])),
	).toEqual([
		...[
			["task.progress", calls(0)],
			["task.progress", calls(1)],
			["task.suspended", calls(2)],
			["task.completed", calls(3)],
		],
		...[
			["task.progress", calls(0)],
			["task.suspended", calls(1)],
			["task.cancelled", calls(1)],
		],
		...[
			["task.progress", calls(0)],
			["task.failed", calls(0)],
		],
	]);
	expect((await client.call("check_task", { task_id: done }))["usage"]).toEqual(calls(3));
});

verifiesOn("ozzie", ["usage.report"], "usage is summed by day, model and session", async () => {
	const clock = new ManualClock();
	await using gateway = await start(3, undefined, clock);
	await using client = await OzzieClient.connect(gateway.url);
	const first = await client.open();
	await talk(client);
	await talk(client);
	const second = await client.open();
	await client.leave();
	clock.advance(24 * 60 * 60 * 1000);
	await using later = await OzzieClient.connect(gateway.url);
	await later.open({ session_id: second });
	await talk(later);

	const sum = (count: number) => ({ calls: count, ...calls(count) });
	const total = sum(3);
	expect(await later.call("usage")).toMatchObject({
		rows: [
			{ day: "2026-01-02", ...sum(1) },
			{ day: "2026-01-01", ...sum(2) },
		],
		total,
	});
	expect(await later.call("usage", { by: "model" })).toMatchObject({
		...{ rows: [{ model: "scripted-1", provider: "scripted", ...sum(3) }], total },
	});
	expect(await later.call("usage", { by: "session" })).toMatchObject({
		rows: [
			{ session_id: first, ...sum(2) },
			{ session_id: second, ...sum(1) },
		],
		total,
	});
	const of = async (params: object, more?: object) => (await later.call("usage", params, more))["total"];
	expect(await of({ session_id: first })).toEqual(sum(2));
	expect(await of({}, { session_id: second })).toEqual(sum(1));
	expect(await of({ since: "2026-01-02" })).toEqual(sum(1));
	expect(await of({ until: "2026-01-01" })).toEqual(sum(2));
	expect(await of({ since: "2026-02-01" })).toEqual(sum(0));
	expect(await later.refusal("usage", { session_id: "sess_x" })).toBe("session not found: sess_x");
	expect(await later.refusal("usage", {}, { session_id: first })).toBe(`session not found: ${first}`);
	expect(await later.refusal("usage", { since: "2026-01-32" })).toMatch(/^invalid params: since/);
});

verifiesOn(
	"ozzie",
	["budget.reached", "budget.stop"],
	"a budget is reported at 80 % and at its limit, which stops all work",
	async () => {
		await using gateway = await start(9, { gateway: { day: billionths(0.1) }, session: {} });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		for (let run = 1; run <= 3; run++) expect(await talk(client)).toBe("");
		const reached = { scope: "gateway", period: "day", limit_usd: 0.1 };
		for (const [percent, spent_usd] of [
			[80, 0.08],
			[100, 0.1],
		] as const) {
			await client.call("send_message", { content: "go" });
			const { payload } = await client.event("budget.reached");
			expect(payload).toEqual({ ...reached, percent, spent_usd, message: expect.stringContaining("budget") });
			await client.event("assistant.message", { error: "" });
		}
		await client.open();
		await client.call("send_message", { content: "go" });
		await client.event("user.message");
		const { event, payload } = await client.event();
		expect(event).toBe("assistant.message");
		expect(payload).toMatchObject({ content: "", context: {} });
		expect(payload["error"]).toMatch(/budget for this day is spent: \$0\.10 of \$0\.10.*2026-01-02/);
		const { budgets } = await client.call("usage");
		expect(budgets).toContainEqual({
			...{ scope: "gateway", period: "day", spent_usd: 0.1, limit_usd: 0.1, source: "configured" },
		});
	},
);

verifiesOn(
	"ozzie",
	["budget.set"],
	"budgets of the gateway and of a session are set, removed and reset",
	async () => {
		await using gateway = await start(9, { gateway: {}, session: { month: billionths(0.02) } });
		let client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		expect(await talk(client)).toBe("");
		expect(await talk(client)).toMatch(/^this session's budget for this month is spent/);
		const set = (params: object) => client.call("set_budget", params);
		const month = { scope: "session", period: "month" };
		expect(await set({ ...month, limit_usd: 0.01, key: "k" })).toEqual({ status: "set" });
		expect(await set({ ...month, limit_usd: 0.04 })).toEqual({ status: "set" });
		// Repeats an earlier request with the same idempotency key. The repeat has no effect.
		expect(await set({ ...month, limit_usd: 0.01, key: "k" })).toEqual({ status: "set" });
		expect(await talk(client)).toBe("");
		expect(await talk(client)).toMatch(/spent: \$0\.04 of \$0\.04/);

		await gateway.restart();
		client = await OzzieClient.connect(gateway.url);
		await client.open({ session_id: session });
		expect(await talk(client)).toMatch(/spent: \$0\.04 of \$0\.04/);
		await set({ ...month, session_id: session, limit_usd: null });
		expect(await talk(client)).toBe("");
		await set({ scope: "gateway", period: "day", limit_usd: 0.01 });
		expect(await talk(client)).toMatch(/^the gateway's budget for this day is spent/);
		await set({ scope: "gateway", period: "day", limit_usd: "configured" });
		expect(await talk(client)).toBe("");
		await set({ ...month, limit_usd: "configured" });
		expect(await talk(client)).toMatch(/spent: \$0\.08 of \$0\.02/);
		const { budgets } = await client.call("usage", { session_id: session });
		expect(budgets).toContainEqual({
			...{ ...month, session_id: session, spent_usd: 0.08, limit_usd: 0.02, source: "configured" },
		});
		expect(await client.refusal("set_budget", { ...month, session_id: "sess_x", limit_usd: 1 })).toBe(
			"session not found: sess_x",
		);
		await client.leave();
	},
);
