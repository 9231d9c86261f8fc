import { setImmediate as tick } from "node:timers/promises";
import { ManualClock } from "@parley/base/testing";
import { ModelError, noUsage } from "@parley/core";
import { ScriptedModel, type ScriptedReply } from "@parley/core/testing";
import { expect } from "vitest";
import * as z from "zod";
import { type EventFrame, OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { submit, untilEnd } from "./task-client.ts";
import { verifiesOn } from "./verifies.ts";

const Tasks = z.array(z.record(z.string(), z.unknown()));

async function query(client: OzzieClient, params: object, more: object = {}) {
	return Tasks.parse((await client.call("query_tasks", params, more))["tasks"]);
}

async function list(client: OzzieClient, more: object = {}) {
	const response = await client.request("list_tasks", undefined, more);
	return Tasks.parse(response.ok ? response.payload : []);
}

const ids = (tasks: z.infer<typeof Tasks>): unknown[] => tasks.map(({ id }) => id);

verifiesOn(
	"ozzie",
	["task.cancel", "task.cancel-ended", "task.workers"],
	"a task is cancelled with its workers, and only once",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const task_id = await submit(client, [
			"spawn: Deep <<< long: 100000 tokens at 5 per second",
			"wait: all",
		]);
		const { payload: spawned } = await client.event("task.created", { parent_id: task_id });
		await client.event("task.started", { task_id: spawned["task_id"] });
		const cancelled = { task_id, reason: "No longer needed" };
		expect(await client.call("cancel_task", cancelled)).toEqual({ task_id, status: "cancelled" });
		const ends = [await client.event("task.cancelled"), await client.event("task.cancelled")];
		expect(ends.map(({ payload }) => payload)).toEqual([
			{ task_id: spawned["task_id"], reason: "parent ended", usage: expect.any(Object) },
			{ ...cancelled, by: "operator", usage: expect.any(Object) },
		]);
		expect(await client.call("cancel_task", { task_id, reason: "again" })).toEqual({
			...{ task_id, status: "cancelled" },
		});
		expect(await client.call("check_task", { task_id })).toMatchObject({
			...{ status: "cancelled", error: "No longer needed" },
		});
		const done = await submit(client, "say: hi");
		await client.event("task.completed");
		expect(await client.call("cancel_task", { task_id: done })).toEqual({
			task_id: done,
			status: "completed",
		});
		const silent = (await client.arrived()).filter((frame) => frame.type === "event");
		expect(silent.filter(({ event }) => event === "task.cancelled")).toEqual([]);
	},
);

verifiesOn(
	"ozzie",
	["task.failed", "task.depends", "task.retry"],
	"a failed task ends with its reason, as do the tasks that depend on it",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const good = await submit(client, "review: May I?");
		const then = await submit(client, "say: after", { depends_on: [good] });
		await client.event("task.suspended");
		expect(await client.call("check_task", { task_id: then })).toMatchObject({
			...{ status: "pending", depends_on: [good] },
		});
		await client.call("reply_task", { task_id: good, status: "approved" });
		const after = await untilEnd(client, then);
		expect(after.at(-1)).toMatchObject({ event: "task.completed", payload: { task_id: then } });
		const bad = await submit(client, ["review: May I?", "fail: out of ideas"]);
		const needs = await submit(client, "say: never", { depends_on: [bad] });
		await client.event("task.suspended");
		await client.call("reply_task", { task_id: bad, status: "approved" });
		const failed = await client.event("task.failed");
		expect(failed.payload).toEqual({
			...{ task_id: bad, title: "A task", error: expect.stringContaining("out of ideas") },
			...{ retry_count: 0, will_retry: false, usage: expect.any(Object) },
		});
		const { payload } = await client.event("task.failed", { task_id: needs });
		expect(payload["error"]).toMatch(/^it needs task_\S+ \(A task\), which has failed: .*out of ideas/);
		expect(await client.refusal("submit_task", { title: "t", description: "d", depends_on: [bad] })).toMatch(
			/^invalid params: depends_on: "task_\S+" has failed: leave it out, or repeat the task and use its new id$/,
		);
		const { task_id: retried } = await client.call("retry_task", { task_id: bad });
		expect(await client.call("check_task", { task_id: retried })).toMatchObject({ retry_of: bad });
	},
);

verifiesOn("ozzie", ["task.failed"], "a task is retried after a provider error, with an event", async () => {
	const clock = new ManualClock();
	let down = true;
	const reply: ScriptedReply = async function* () {
		if (down) throw new ModelError("the provider is overloaded", { fault: "overloaded" });
		yield { type: "text", text: "here I am" };
		yield { type: "end", stop: "end_turn", usage: noUsage, model: "m" };
	};
	const model = new ScriptedModel(...Array<ScriptedReply>(20).fill(reply));
	await using gateway = await TestGateway.start({ clock, model });
	await using client = await OzzieClient.connect(gateway.url);
	const task_id = await submit(client, "Are you there?");
	const later = async (name: string) => {
		let received: EventFrame | undefined;
		void client.event(name).then((event) => {
			received = event;
		});
		while (!received) {
			clock.advance(1_000);
			await tick();
		}
		return received;
	};
	expect((await later("task.failed")).payload).toEqual({
		...{ task_id, title: "A task", error: expect.stringContaining("the provider is overloaded") },
		...{ retry_count: 0, will_retry: true, usage: expect.any(Object) },
	});
	down = false;
	await later("task.started");
	expect((await later("task.completed")).payload).toMatchObject({ task_id, output_summary: "here I am" });
	expect(await client.call("check_task", { task_id })).toMatchObject({ status: "completed", retry_count: 1 });
});

verifiesOn(
	"ozzie",
	["task.lives-on"],
	"a task continues without its client, and after a restart of the gateway",
	async () => {
		await using gateway = await TestGateway.start();
		const client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		const suspendedTask = await submit(client, ["review: May I?", "say: done"]);
		await client.event("task.suspended");
		const working = await submit(client, ["long: 100000 tokens at 50 per second"]);
		await client.event("task.started", { task_id: working });
		await client.leave();
		await gateway.restart();
		await using later = await OzzieClient.connect(gateway.url);
		await later.call("open_session", { session_id: session });
		expect(await later.call("check_task", { task_id: suspendedTask })).toMatchObject({ status: "suspended" });
		expect(await later.call("check_task", { task_id: working })).toMatchObject({
			status: expect.stringMatching(/pending|running/),
		});
		await later.call("reply_task", { task_id: suspendedTask, status: "approved" });
		const { payload } = await later.event("task.completed");
		expect(payload).toMatchObject({
			task_id: suspendedTask,
			output_summary: expect.stringContaining("done"),
		});
		expect(await later.call("cancel_task", { task_id: working })).toMatchObject({ status: "cancelled" });
	},
);

verifiesOn(
	"ozzie",
	["task.list", "task.query", "task.workers"],
	"tasks are listed and can be read after a restart",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		expect(await client.refusal("list_tasks")).toBe(
			"invalid params: session_id: no session is open on this connection: send open_session first, or give session_id",
		);
		expect(await query(client, {})).toEqual([]);
		const here = await client.open();
		expect(await list(client)).toEqual([]);
		const parent = await submit(client, [
			"spawn: Look <<< say: four",
			"wait: all",
			`say: ${"x".repeat(600)}`,
		]);
		await client.event("task.completed", { task_id: parent });
		const suspendedTask = await submit(client, ["plan: > a | b", "review: May I?"]);
		await client.event("task.suspended");
		const there = await client.open({ join: true });
		const other = await submit(client, "say: hi", {});
		await client.event("task.completed", { task_id: other });
		const [worker] = await query(client, { parent_id: parent });
		expect(worker).toMatchObject({ parent_id: parent, title: "Look", output: "[offline] four" });
		expect(ids(await list(client))).toEqual([other, suspendedTask, worker?.["id"], parent]);
		expect(await list(client, { session_id: there })).toEqual([]);
		const third = await submit(client, "say: hi");
		await client.event("task.completed", { task_id: third });
		expect(ids(await query(client, { session_id: there }))).toEqual([]);
		expect(ids(await query(client, {}, { session_id: here }))).toHaveLength(5);
		expect(ids(await query(client, { status: "suspended" }))).toEqual([suspendedTask]);
		expect(ids(await query(client, { status: ["suspended", "running"], session_id: here }))).toEqual([
			suspendedTask,
		]);
		const pages = [await query(client, { limit: 2 })];
		pages.push(await query(client, { limit: 2, before: pages[0]?.at(-1)?.["id"] }));
		pages.push(await query(client, { limit: 2, before: pages[1]?.at(-1)?.["id"] }));
		expect(pages.map((page) => ids(page))).toEqual([
			[third, other],
			[suspendedTask, worker?.["id"]],
			[parent],
		]);
		const [suspended] = await query(client, { status: "suspended" });
		expect(suspended?.["plan"]).toBeUndefined();
		expect((await client.call("check_task", { task_id: suspendedTask }))["plan"]).toHaveLength(2);
		const [long] = pages[2] ?? [];
		expect(long?.["output"]).toHaveLength(501);
		expect((await client.call("check_task", { task_id: parent }))["output"]).toContain("x".repeat(600));
	},
);

verifiesOn("ozzie", ["task.conversation"], "the conversation of a task can only be read", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const task_id = await submit(client, "say: hello from behind", { title: "Speak" });
	await client.event("task.completed");
	const { conversation } = await client.call("check_task", { task_id });
	const response = await client.request("load_messages", { session_id: conversation });
	expect(response).toMatchObject({
		payload: [
			{ role: "user", content: expect.stringContaining("hello from behind") },
			{ role: "assistant", content: "[offline] hello from behind" },
		],
	});
	expect(await client.call("explain", { session_id: conversation })).toMatchObject({ state: "ended" });
	expect(await client.refusal("open_session", { session_id: conversation })).toMatch(/^not available: /);
	const { sessions } = await client.call("resume", { sessions: [{ session_id: conversation }] });
	expect(sessions).toMatchObject([{ ok: false, error: expect.stringMatching(/^not available: /) }]);
	const inIt = { session_id: conversation };
	for (const [method, params] of [
		["send_message", { content: "say: hi" }],
		["cancel_turn", {}],
		["submit_task", { title: "t", description: "d" }],
	] as const) {
		expect(await client.refusal(method, params, inIt), method).toBe(`session not found: ${conversation}`);
	}
	for (const [method, params] of [
		["rename_session", { title: "x", ...inIt }],
		["delete_session", { force: true, ...inIt }],
	] as const) {
		expect(await client.refusal(method, params), method).toMatch(/^not available: /);
	}
	const { sessions: listed } = await client.call("list_sessions");
	expect(JSON.stringify(listed)).not.toContain(String(conversation));
	const events = await fetch(`${gateway.url}/api/events?session=${conversation}&type=internal.worker`);
	const received = Tasks.parse(await events.json()).map(({ payload }) => Object(payload));
	expect(received.map(({ event, phase }) => phase ?? event)).toEqual([
		...["started", "thinking", "completed", "exited"],
	]);
	expect(received.every((payload) => payload.task_id === task_id)).toBe(true);
});
