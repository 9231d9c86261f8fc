import { existsSync } from "node:fs";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import type { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { TestGateway } from "../conformance/gateway.ts";
import { Approver, Desk, McpClient } from "./desk.ts";

function openDesk(): Promise<Desk> {
	return Desk.open({ config: { mcpForms: true } });
}

test("without the setting, no approval is shown in a form", async () => {
	await using desk = await Desk.open();
	const person = new Approver();
	const agent = await desk.client(person);
	const result = await agent.call("ask", { message: "write: notes.txt <<< buy milk", wait_seconds: 20 });
	expect(result.facts).toMatchObject({ status: "waiting", waiting_for: [{ kind: "approval" }] });
	expect(person.shown).toEqual([]);
});

async function auditOf(operator: OzzieClient): Promise<Record<string, unknown>[]> {
	const { records } = Object(await operator.call("read_audit", { limit: 100 }));
	return records;
}

test("a person approves a call in a form at the client, and the audit records it", async () => {
	await using desk = await openDesk();
	const person = new Approver();
	const agent = await desk.client(person);
	const operator = await desk.operator();
	const result = await agent.call("ask", { message: "write: notes.txt <<< buy milk", wait_seconds: 20 });
	expect(result.facts).toMatchObject({ status: "completed" });
	expect(existsSync(desk.gateway.path("work", "notes.txt"))).toBe(true);
	expect(person.shown).toEqual([expect.stringMatching(/^Allow write notes\.txt\?\n[\s\S]*\+buy milk/)]);
	const rows = (await auditOf(operator)).filter(({ via }) => via === "mcp-form");
	expect(rows.map(({ action, decision }) => `${action} ${decision}`).toSorted()).toEqual([
		"approval.decide approved",
		"approval.show asked",
	]);
});

test.each([
	[{ action: "accept", content: { decision: "deny" } }, "completed"],
	[{ action: "decline" }, "completed"],
	[{ action: "cancel" }, "waiting"],
	[{ action: "accept", content: { decision: "yes" } }, "waiting"],
] as const)("the answer %j approves nothing", async (answer, status) => {
	await using desk = await openDesk();
	const agent = await desk.client({ onForm: () => ({ ...answer }) });
	const result = await agent.call("ask", { message: "write: notes.txt <<< buy milk", wait_seconds: 20 });
	expect(result.facts).toMatchObject({ status });
	expect(existsSync(desk.gateway.path("work", "notes.txt"))).toBe(false);
});

test("a call that always requires approval is never shown in a form", async () => {
	await using desk = await openDesk();
	const person = new Approver();
	const agent = await desk.client(person);
	const result = await agent.call("ask", { message: "write: ../other/notes.txt <<< buy milk" });
	expect(result.facts).toMatchObject({ status: "waiting", waiting_for: [{ kind: "approval" }] });
	expect(person.shown).toEqual([]);
});

test("a call that is too long to read is never shown in a form", async () => {
	await using desk = await openDesk();
	const person = new Approver();
	const agent = await desk.client(person);
	const result = await agent.call("ask", { message: `write: notes.txt <<< ${"long ".repeat(5_000)}` });
	expect(result.facts).toMatchObject({ status: "waiting", waiting_for: [{ kind: "approval" }] });
	expect(person.shown).toEqual([]);
});

test("without a token, no approval is shown in a form", async () => {
	await using gateway = await TestGateway.start({ config: { mcpForms: true } });
	const person = new Approver();
	const transport = new StreamableHTTPClientTransport(new URL("/mcp", gateway.url));
	await using agent = new McpClient(transport, person.onForm);
	await agent.connect();
	const result = await agent.call("ask", { message: "write: notes.txt <<< buy milk", wait_seconds: 20 });
	expect(result.facts).toMatchObject({ status: "waiting" });
	expect(person.shown).toEqual([]);
});

test("a client whose token has no right to approve is shown no form", async () => {
	await using desk = await openDesk();
	const operator = await desk.operator();
	const agent = await desk.client();
	const { session_id, run_id } = (await agent.call("ask", { message: "write: notes.txt <<< buy milk" }))
		.facts;
	const created = await operator.call("create_token", {
		kind: "observer",
		name: "wall",
		sessions: [session_id],
	});
	const person = new Approver();
	const observer = await desk.client({ token: String(created["token"]), onForm: person.onForm });
	const result = await observer.call("task_status", { session_id, run_id, wait_seconds: 1 });
	expect(result.facts).toMatchObject({ status: "waiting", waiting_for: [{ kind: "approval" }] });
	expect(person.shown).toEqual([]);
	expect((await auditOf(operator)).filter(({ via }) => via === "mcp-form")).toEqual([]);
});

test("a form ends when another person decides", async () => {
	await using desk = await openDesk();
	const operator = await desk.operator();
	const shown = Promise.withResolvers<void>();
	const closed = Promise.withResolvers<void>();
	const agent = await desk.client({
		onForm: (_, signal) => {
			shown.resolve();
			return new Promise((_resolve, reject) => {
				signal.addEventListener("abort", () => {
					closed.resolve();
					reject(signal.reason);
				});
			});
		},
	});
	const pending = agent.call("ask", { message: "write: notes.txt <<< buy milk", wait_seconds: 20 });
	await shown.promise;
	const { prompts } = Object(await operator.call("list_prompts", {}));
	await operator.call("prompt_response", { token: prompts[0].token, value: true });
	await closed.promise;
	expect((await pending).facts).toMatchObject({ status: "completed" });
	expect(
		(await auditOf(operator)).filter(({ via, action }) => via === "mcp-form" && action === "approval.decide"),
	).toEqual([]);
});
