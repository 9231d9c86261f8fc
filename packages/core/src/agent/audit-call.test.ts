import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { operator, type Principal } from "../vocabulary/principal.ts";

const edit = probeTool("edit", { classes: ["write"] });
const look = probeTool("look", { effect: "none" });
const fetch = probeTool("fetch", { effect: "none", classes: ["egress"] });
const shell = probeTool("shell", { classes: ["exec-unsandboxed"], binding: () => ({ sandbox: "off" }) });

async function auditLines({ runtime }: TestRuntime): Promise<string[]> {
	const rows = await runtime.trust.auditLog.read(operator, { limit: 1000 });
	expect(await runtime.trust.auditLog.verify(operator)).toMatchObject({ ok: true });
	return rows.map(({ principal, via, action, decision, object }) => {
		const [, call = "session"] = object.split("/");
		return `${principal}@${via} ${action} ${decision} ${call}`;
	});
}

async function open(...replies: readonly ScriptedReply[]) {
	const t = await TestRuntime.open({
		model: new ScriptedModel(...replies),
		tools: [edit, look, fetch, shell],
	});
	const session = await t.create();
	return { t, session, log: await EventLog.join(t.runtime, session) };
}

const through: Principal = { ...operator, via: "ozzie" };

test("replies and read-only calls are not in the audit", async () => {
	const { t, session, log } = await open([says("hi")], [calls("c1", "look")], [says("done")]);
	await using _ = t;
	for (let run = 0; run < 2; run++) {
		await t.send(session, "hello");
		await log.next("assistant.message");
	}
	expect(await auditLines(t)).toEqual([]);
});

test("a call that requires approval has all its entries in the audit, in their order", async () => {
	const { t, session, log } = await open([calls("c1", "edit", { path: "a" })], [says("done")]);
	await using _ = t;
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(through), prompt.token, { value: true });
	await log.next("assistant.message");
	expect(await auditLines(t)).toEqual([
		"gateway@gateway approval.show asked c1",
		"operator@ozzie approval.decide approved c1",
		"gateway@gateway approval.consume consumed c1",
		"operator@gateway tool.start approved c1",
		"operator@gateway tool.finish completed c1",
	]);
	const rows = await t.runtime.trust.auditLog.read(operator, { limit: 10 });
	expect(rows[3]?.args).toBe('{"tool":"edit","classes":["write"],"arguments":{"path":"a"}}');
	expect(JSON.stringify(rows)).not.toContain(prompt.token);
});

test("a denial has its audit row, and the call does not start", async () => {
	const { t, session, log } = await open([calls("c1", "edit")], [says("done")]);
	await using _ = t;
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(through), prompt.token, { cancelled: true });
	await log.next("assistant.message");
	expect((await auditLines(t)).slice(1)).toEqual(["operator@ozzie approval.decide denied c1"]);
});

test("an expired approval and the end of a run before its approval are in the audit", async () => {
	const { t, session, log } = await open([calls("c1", "edit")], [says("done")], [calls("c2", "edit")]);
	await using _ = t;
	await t.send(session, "go");
	await log.next("prompt.requested");
	await t.settle();
	t.clock.advance(25 * 60 * 60 * 1000);
	await log.next("assistant.message");
	await t.send(session, "go");
	await log.next("prompt.requested");
	await t.runtime.cancel(unkeyed(), session);
	await log.next("assistant.message");
	expect(await auditLines(t)).toEqual([
		"gateway@gateway approval.show asked c1",
		"gateway@gateway approval.end expired c1",
		"gateway@gateway approval.show asked c2",
		"gateway@gateway approval.end closed c2",
	]);
});

test("in a trusted session each call has its grant in the audit, and network calls have a row", async () => {
	const { t, session, log } = await open(
		[calls("c1", "edit")],
		[calls("c2", "edit"), calls("c3", "fetch")],
		[says("done")],
	);
	await using _ = t;
	await t.send(session, "go");
	await log.next("prompt.requested");
	await t.runtime.acceptAll(unkeyed(through), session);
	await log.next("assistant.message");
	const rows = await t.runtime.trust.auditLog.read(operator, { limit: 100 });
	const [, given] = rows;
	expect(await auditLines(t)).toEqual([
		"gateway@gateway approval.show asked c1",
		"operator@ozzie accept_all.give allowed session",
		"operator@ozzie approval.decide approved c1",
		"gateway@gateway approval.consume consumed c1",
		"operator@gateway tool.start approved c1",
		"operator@gateway tool.finish completed c1",
		...["c2", "c3"].flatMap((call) => [
			`operator@gateway tool.start allowed ${call}`,
			`operator@gateway tool.finish completed ${call}`,
		]),
	]);
	for (const row of rows.filter(
		({ action, decision }) => action === "tool.start" && decision === "allowed",
	)) {
		expect(row.grant_id).toBe(given?.grant_id);
	}
	await log.leave();
	t.clock.advance(61_000);
	await EventLog.join(t.runtime, session);
	expect((await auditLines(t)).at(-1)).toBe("gateway@gateway accept_all.end expired session");
});

test("the audit records that a command ran without a sandbox", async () => {
	const { t, session, log } = await open([calls("c1", "shell")], [says("done")]);
	await using _ = t;
	await t.runtime.acceptAll(unkeyed(), session);
	await t.send(session, "go");
	await log.next("assistant.message");
	const rows = await t.runtime.trust.auditLog.read(operator, { limit: 10 });
	expect(rows.find(({ action }) => action === "tool.start")?.args).toContain('"sandbox":"off"');
});

test("a start is durable before its effect, and a call that a stop interrupts has an unknown outcome", async () => {
	const seen: string[] = [];
	let t: TestRuntime | undefined;
	const cut = probeTool("cut", {
		classes: ["write"],
		async run({ signal }) {
			if (t) seen.push(...(await auditLines(t)));
			await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
			return "too late";
		},
	});
	const model = new ScriptedModel([calls("c1", "cut")], [says("done")]);
	t = await TestRuntime.open({ model, tools: [cut] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.runtime.acceptAll(unkeyed(), session);
	await t.send(session, "go");
	await log.next("tool.started");
	await t.settle();
	await t.stop();
	expect(seen.at(-1)).toBe("operator@gateway tool.start allowed c1");
	await using again = await TestRuntime.open({ model, tools: [cut], directory: t.directory, clock: t.clock });
	const followed = await EventLog.join(again.runtime, session);
	await again.runtime.start();
	await followed.next("assistant.message");
	expect((await auditLines(again)).at(-1)).toBe("operator@gateway tool.finish unknown c1");
});

test("changed budgets and deleted sessions are in the audit, with their principal", async () => {
	const { t, session } = await open();
	await using _ = t;
	await t.runtime.setBudget(unkeyed(through), { scope: "gateway", period: "day", limit: 5_000_000_000 });
	await t.runtime.remove(unkeyed(through), session, true);
	const rows = await t.runtime.trust.auditLog.read(operator, { limit: 10 });
	expect(rows).toMatchObject([
		{ action: "budget.set", object: "gateway", args: '{"period":"day","usd":5}', via: "ozzie" },
		{ action: "session.delete", object: session, args: '{"force":true}', principal: "operator" },
	]);
});

test("an answer without permission is in the audit without the token", async () => {
	const { t, session, log } = await open([calls("c1", "edit")]);
	await using _ = t;
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	const observer: Principal = { id: "observer:1", kind: "observer", sessions: [session], via: "http" };
	await expect(t.runtime.answer(unkeyed(observer), prompt.token, { value: true })).rejects.toMatchObject({});
	await t.settle();
	expect((await auditLines(t)).at(-1)).toBe("observer:1@http approval.decide refused c1");
});
