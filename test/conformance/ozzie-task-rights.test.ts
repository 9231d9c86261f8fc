import { readOperatorToken } from "@parley/gateway";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { submit } from "./task-client.ts";
import { verifiesOn } from "./verifies.ts";

function connect(gateway: TestGateway, token: unknown): Promise<OzzieClient> {
	return OzzieClient.connect(gateway.url, { headers: { authorization: `Bearer ${token}` } });
}

async function operatorOf(gateway: TestGateway): Promise<OzzieClient> {
	return connect(gateway, await readOperatorToken(gateway.path("data")));
}

const methods = ["check_task", "cancel_task", "reply_task", "retry_task"];

verifiesOn("ozzie", ["task.rights"], "a principal with read access cannot reply to tasks", async () => {
	await using gateway = await TestGateway.start({ config: { auth: "token" } });
	await using operator = await operatorOf(gateway);
	const session = await operator.open();
	const task_id = await submit(operator, "review: May I?");
	const { payload } = await operator.event("task.suspended");
	const observing = { kind: "observer", name: "wall", sessions: [session] };
	const { token } = await operator.call("create_token", observing);
	await using observer = await connect(gateway, token);
	await observer.call("open_session", { session_id: session, after_seq: 0 });
	const shown = await observer.event("task.suspended");
	const hidden = expect.stringMatching(/^hidden_/);
	expect(shown.payload).toEqual({ ...payload, token: hidden });
	expect(await observer.call("check_task", { task_id })).toMatchObject({ suspension: { token: hidden } });
	const { tasks } = await observer.call("query_tasks", {});
	expect(tasks).toMatchObject([{ id: task_id, suspension: { token: hidden } }]);
	for (const method of methods.slice(1)) {
		expect(await observer.refusal(method, { task_id, status: "approved" }), method).toMatch(/^forbidden: /);
	}
	expect(await observer.refusal("submit_task", { title: "t", description: "d" })).toMatch(/^forbidden: /);
	const elsewhere = await operator.open();
	const other = await submit(operator, "say: hi");
	await operator.event("task.completed");
	expect(await observer.refusal("check_task", { task_id: other })).toBe(`task not found: ${other}`);
	expect(await observer.refusal("query_tasks", { session_id: elsewhere })).toMatch(/^session not found: /);
	expect((await observer.call("query_tasks", {}))["tasks"]).toHaveLength(1);
});

verifiesOn("ozzie", ["task.person", "task.rights"], "people steer the tasks of their channel", async () => {
	await using gateway = await TestGateway.start({ config: { auth: "token", sandbox: "container" } });
	await using operator = await operatorOf(gateway);
	const tokenRequest = { kind: "connector", name: "discord", platform: "discord", tenants: ["111"] };
	const { token } = await operator.call("create_token", tokenRequest);
	for (const [user, role] of [
		["ada", "member"],
		["gus", "guest"],
	]) {
		await operator.call("set_person_role", { person: `discord:111:${user}`, role });
	}
	await using connector = await connect(gateway, token);
	const as = (user: string, channel = "c") => ({
		actor: { id: user, name: user },
		place: { tenant: "111", channel },
	});
	expect(await connector.refusal("submit_task", { title: "t", description: "d" })).toMatch(/^forbidden: /);
	await connector.call("open_session", as("ada"));
	const task_id = await submit(connector, "review: May I?", as("ada"));
	await connector.event("task.suspended");
	expect(await connector.call("check_task", { task_id, ...as("gus") })).toMatchObject({
		...{ status: "suspended", owner: "discord:111:ada" },
	});
	const replyParams = { task_id, status: "approved" };
	expect(await connector.refusal("reply_task", { ...replyParams, ...as("gus") })).toMatch(
		/^forbidden: only members /,
	);
	expect(await connector.refusal("submit_task", { title: "t", description: "d", ...as("gus") })).toMatch(
		/^forbidden: /,
	);
	for (const method of methods) {
		const refused = await connector.refusal(method, { ...replyParams, ...as("ada", "other") });
		expect(refused, method).toMatch(/^(?:task not found: |forbidden: )/);
	}
	expect((await connector.call("query_tasks", as("ada", "other")))["tasks"]).toEqual([]);
	await connector.call("reply_task", { ...replyParams, ...as("ada") });
	await connector.event("task.completed");
	await operator.open();
	const others = await submit(operator, "say: hi");
	expect(await connector.refusal("check_task", { task_id: others, ...as("ada") })).toBe(
		`task not found: ${others}`,
	);
});

verifiesOn("ozzie", ["task.envelope"], "no frame of a task is too large for existing clients", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url, {}, "?envelope=both");
	const description = `review: May I? <<< ${"é".repeat(20_000)}\n${"ü".repeat(11_000)}`;
	const session = await client.open();
	const task_id = await submit(client, description);
	const created = await client.event("task.created");
	const suspended = await client.event("task.suspended");
	for (const { payload } of [created, suspended]) {
		expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThan(32_768);
		expect(JSON.stringify(payload)).toContain("more characters");
		expect(payload["task_id"]).toBe(task_id);
	}
	expect(created.payload).toMatchObject({ session_id: session, type: "task.created" });
	let content = "";
	for (let offset: unknown = 0; offset !== undefined; ) {
		const { payload } = Object(await client.request("load_messages", { seq: created.seq, offset }));
		const [page] = payload;
		content += page.content;
		offset = page.next;
	}
	expect(content).toBe(description);
	for (let n = 0; n < 30; n++) await submit(client, "d".repeat(2_000), { title: `${n}` });
	const listed = Object(await client.request("list_tasks")).payload;
	expect(listed.length).toBeGreaterThan(5);
	expect(listed[0]).toMatchObject({ title: "29" });
	const checked = await client.call("check_task", { task_id });
	expect(checked["description"]).toContain("more characters");
});
