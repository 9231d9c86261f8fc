import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, says, stuck } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { operator } from "../../vocabulary/principal.ts";

const tools = [
	probeTool("look"),
	probeTool("write", { classes: ["write"], grantRoot: "/", binding: () => ({ path: "/a" }) }),
	probeTool("steer", { classes: ["control"], run: () => Promise.reject(new Error("broken")) }),
];

async function open(model: ScriptedModel) {
	const t = await TestRuntime.open({ model, tools });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const explain = (runId?: string) => t.runtime.explain(operator, session, runId);
	return { t, session, log, explain };
}

test("each call has its deciding rule or person, its reason and its result", async () => {
	const model = new ScriptedModel(
		[calls("c1", "look"), calls("c2", "write"), calls("c3", "steer"), calls("c4", "nothing")],
		[calls("c5", "write"), calls("c6", "write")],
		[says("done")],
	);
	const { t, session, log, explain } = await open(model);
	await using _ = t;
	const runId = await t.send(session, "go");
	for (const response of [{ value: "session" }, { value: true }]) {
		const { prompt } = await log.next("prompt.requested");
		await t.runtime.answer(unkeyed(), prompt.token, response);
	}
	await log.next("assistant.message");
	const explained = await explain();
	expect(explained).toMatchObject({
		runId,
		correlation: runId,
		state: "ended",
		profile: "default",
		policyVersion: "5",
		acceptAll: false,
		received: { content: "go", attachments: [] },
		steered: [],
		taint: [],
		files: [],
		feedback: [],
		models: [{ model: "scripted-1", calls: 3, errors: [] }],
		reply: { content: "done", error: "", model: "scripted-1", usage: { inputTokens: 30, outputTokens: 15 } },
	});
	const by = "operator";
	expect(explained.calls).toEqual([
		{
			callId: "c1",
			name: "look",
			decision: "allowed",
			reason: "reads inside the roots",
			outcome: "completed",
		},
		{ callId: "c2", name: "write", decision: "approved", reason: "writes a file", by, outcome: "completed" },
		{
			callId: "c3",
			name: "steer",
			decision: "approved",
			by,
			outcome: "failed",
			reason: "may change files that control this machine or the gateway",
		},
		{
			callId: "c4",
			name: "nothing",
			decision: "refused",
			outcome: "none",
			reason: expect.stringContaining('the tool "nothing" does not exist'),
		},
		{
			callId: "c5",
			name: "write",
			decision: "allowed",
			reason: "allowed for this session",
			outcome: "completed",
		},
		{
			callId: "c6",
			name: "write",
			decision: "allowed",
			reason: "allowed for this session",
			outcome: "completed",
		},
	]);
});

test("an active run, a denied call and a queued message are explained in their current state", async () => {
	const model = new ScriptedModel(
		[calls("c1", "write"), calls("c2", "look")],
		[calls("c3", "write", { again: true })],
		[says("fine")],
	);
	const { t, session, log, explain } = await open(model);
	await using _ = t;
	const runId = await t.send(session, "go");
	const queued = await t.send(session, "then");
	const first = await log.next("prompt.requested");
	const reason = "writes a file";
	expect(await explain(runId)).toMatchObject({
		state: "active",
		calls: [
			{ callId: "c1", decision: "waiting", reason, outcome: "none" },
			{ callId: "c2", decision: "allowed", reason: "reads inside the roots", outcome: "none" },
		],
	});
	expect(await explain(runId)).not.toHaveProperty("reply");
	expect(await explain()).toMatchObject({
		runId: queued,
		state: "queued",
		received: { content: "then" },
		calls: [],
	});
	await t.runtime.steer(unkeyed(), session, { content: "hurry" });
	await t.runtime.answer(unkeyed(), first.prompt.token, { value: false, reason: "not today" });
	const second = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), second.prompt.token, { value: true, arguments: { gently: true } });
	await log.next("assistant.message");
	expect(await explain(runId)).toMatchObject({
		steered: [{ content: "hurry" }],
		calls: [
			{ callId: "c1", decision: "denied", reason: "not today", by: "operator", outcome: "none" },
			{ callId: "c2", decision: "allowed", outcome: "completed" },
			{
				callId: "c3",
				decision: "approved",
				reason: `${reason}; with changed arguments`,
				outcome: "completed",
			},
		],
	});
});

test("an unused approval has its state", async () => {
	const { t, session, log, explain } = await open(new ScriptedModel([calls("c1", "write")], stuck("hm")));
	await using _ = t;
	const runId = await t.send(session, "go");
	await log.next("prompt.requested");
	await t.runtime.cancel(unkeyed(), session);
	await log.next("assistant.message");
	expect((await explain(runId)).calls).toMatchObject([
		{ decision: "refused", reason: "the run ended before the answer", outcome: "none" },
	]);
	await expect(explain("run_unknown")).rejects.toMatchObject({ code: "not_found" });
	const stranger = { id: "connector:x", kind: "connector" } as const;
	await expect(t.runtime.explain(stranger, session)).rejects.toMatchObject({ code: "not_found" });
});

test("decisions of an earlier version have no reasons", async () => {
	const { t, session, log, explain } = await open(new ScriptedModel([calls("c1", "look")], [says("ok")]));
	await using _ = t;
	await t.send(session, "go");
	await log.next("assistant.message");
	await t.store.commit(async (tx) => {
		const rows = await tx.selectFrom("steps").selectAll().execute();
		for (const { run_id, n, data } of rows) {
			if (!data.includes('"started"')) continue;
			const old = JSON.stringify({ kind: "started", callId: "c1" });
			await tx
				.updateTable("steps")
				.set({ data: old })
				.where("run_id", "=", run_id)
				.where("n", "=", n)
				.execute();
		}
	});
	expect(await explain()).toMatchObject({
		policyVersion: "not recorded",
		calls: [
			{
				decision: "allowed",
				reason: "not recorded: an earlier version of Parley made this decision",
				outcome: "completed",
			},
		],
	});
});
