import { openSqliteStore } from "@parley/base";
import { migrations, type Tables } from "@parley/core";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];

async function read(client: OzzieClient, params: object = {}): Promise<Rows> {
	// The cast is safe because the response of this method has this field.
	return (await client.call("read_audit", params))["records"] as Rows;
}

function received(rows: Rows): string[] {
	return rows
		.filter(({ action }) => /^(?:approval|tool)\./.test(String(action)))
		.map(({ principal, via, action, decision }) => `${principal}@${via} ${action} ${decision}`);
}

async function run(client: OzzieClient, content: string, value: boolean): Promise<string> {
	await client.call("send_message", { content });
	const { payload } = await client.event("prompt.request");
	const token = String(payload["token"]);
	await client.call("prompt_response", value ? { token, value } : { token, cancelled: true });
	await client.event("assistant.message");
	return token;
}

verifiesOn(
	"ozzie",
	["audit.rows", "audit.discreet"],
	"requests, decisions and effects have rows in the audit, and messages have none",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("send_message", { content: "say: a very private remark" });
		await client.event("assistant.message");
		expect(received(await read(client))).toEqual([]);
		const tokens = [
			await run(client, "write: a.txt <<< one", true),
			await run(client, "write: b.txt <<< two", false),
		];
		const rows = await read(client, { limit: 100 });
		expect(received(rows)).toEqual([
			"gateway@gateway approval.show asked",
			"operator@ozzie approval.decide approved",
			"gateway@gateway approval.consume consumed",
			"operator@gateway tool.start approved",
			"operator@gateway tool.finish completed",
			"gateway@gateway approval.show asked",
			"operator@ozzie approval.decide denied",
		]);
		expect(rows.find(({ action }) => action === "tool.start")).toMatchObject({
			object: expect.stringMatching(/^sess_\w+\/./),
			args: { tool: "write_file", classes: ["write"], arguments: { path: "a.txt" } },
			args_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
		});
		const text = JSON.stringify(rows);
		for (const hidden of ["private remark", ...tokens]) expect(text).not.toContain(hidden);
	},
);

verifiesOn("ozzie", ["audit.pages"], "rows are found by page, time and principal", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	for (const limit_usd of [1, 2, 3]) {
		await client.call("set_budget", { scope: "gateway", period: "day", limit_usd });
	}
	const all = await read(client);
	const seqs = all.map(({ seq }) => Number(seq));
	expect(seqs).toEqual(seqs.map((_, index) => index + 1));
	expect((await read(client, { limit: 2 })).map(({ seq }) => seq)).toEqual(seqs.slice(-2));
	expect((await read(client, { after: 1, limit: 2 })).map(({ seq }) => seq)).toEqual(seqs.slice(1, 3));
	expect(await read(client, { since: "2100-01-01T00:00:00Z" })).toEqual([]);
	expect(await read(client, { until: "2001-01-01T00:00:00Z" })).toEqual([]);
	expect((await read(client, { principal: "operator" })).map(({ action }) => action)).toEqual(
		Array(3).fill("budget.set"),
	);
	for (const wrong of [
		{ limit: 0 },
		{ limit: 1001 },
		{ after: -1 },
		{ since: "yesterday" },
		{ principal: "" },
	]) {
		expect(await client.refusal("read_audit", wrong)).toMatch(/^invalid params/);
	}
});

verifiesOn("ozzie", ["audit.verify", "audit.anchor"], "the audit is checked against the log", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.call("set_budget", { scope: "gateway", period: "day", limit_usd: 1 });
	const { ok, records, seq, head } = await client.call("verify_audit");
	const [last] = await read(client, { limit: 1 });
	expect({ ok, records, seq, head }).toEqual({
		ok: true,
		records: seq,
		seq: last?.["seq"],
		head: last?.["hash"],
	});
	expect(await client.call("verify_audit", { anchor: { seq, hash: head } })).toMatchObject({ ok: true });
	const later = { seq: Number(seq) + 5, hash: head };
	expect(await client.call("verify_audit", { anchor: later })).toMatchObject({
		ok: false,
		broken: { seq: Number(seq) + 1, reason: expect.stringContaining("missing") },
	});
	const other = { seq, hash: "0".repeat(64) };
	expect(await client.call("verify_audit", { anchor: other })).toMatchObject({
		ok: false,
		broken: { seq },
	});
	expect(await client.refusal("verify_audit", { anchor: { seq: 0, hash: "x" } })).toMatch(/^invalid params/);
	await gateway.restart();
	expect(gateway.log.records.find(({ message }) => message === "audit anchor")?.fields).toMatchObject({
		seq,
		hash: head,
	});
});

verifiesOn("ozzie", ["audit.messages"], "the text of sessions is checked on request", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	await client.call("send_message", { content: "say: hello" });
	await client.event("assistant.message");
	expect(await client.call("verify_audit")).not.toHaveProperty("messages");
	expect(await client.call("verify_audit", { messages: true })).toMatchObject({
		ok: true,
		messages: { ok: true, sessions: 1, all_sessions: 1, unverified: 0, faults: 0, examples: [] },
	});
	const file = gateway.path("data", "parley.sqlite");
	const other = await openSqliteStore<Tables>({ file, migrations });
	await other.commit((tx) => tx.updateTable("events").set({ data: "{}" }).where("seq", "=", 2).execute());
	await other.close();
	expect(await client.call("verify_audit", { messages: true })).toMatchObject({
		ok: true,
		messages: { ok: false, faults: 1, examples: [{ row: "event 2" }] },
	});
});

verifiesOn("ozzie", ["audit.operator"], "only the operator can read the audit log", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	const { token } = await client.call("create_token", { kind: "observer", name: "watch" });
	const headers = { authorization: `Bearer ${token}` };
	await using observer = await OzzieClient.connect(gateway.url, { headers });
	for (const method of ["read_audit", "verify_audit"]) {
		expect(await observer.refusal(method)).toMatch(/forbidden|may not/);
	}
});
