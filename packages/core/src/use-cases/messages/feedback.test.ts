import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { ScriptedModel, says, stuck } from "../../testing/scripted-model.ts";
import { testConnector } from "../../testing/test-connector.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { operator, type Person } from "../../vocabulary/principal.ts";

const good = { rating: "good", comment: "" } as const;

async function talk(model: ScriptedModel, redactor = new Redactor()) {
	const t = await TestRuntime.open({ model, redactor });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const opinions = async () => (await t.runtime.explain(operator, session)).feedback;
	return { t, session, log, opinions };
}

test("the last feedback of each person about a reply is stored, without secrets", async () => {
	const redactor = new Redactor();
	redactor.add("k3y-0123456789");
	const { t, session, log, opinions } = await talk(new ScriptedModel([says("hello")]), redactor);
	await using _ = t;
	const runId = await t.send(session, "hi");
	await log.next("assistant.message");
	await expect(t.runtime.feedback.record(unkeyed(), session, good)).resolves.toEqual({ runId });
	const bad = { rating: "bad", comment: "it knows k3y-0123456789", runId } as const;
	await t.runtime.feedback.record(unkeyed(), session, bad);
	expect(await opinions()).toEqual([{ by: "operator", rating: "bad", comment: "it knows [redacted]" }]);
});

test("people of one connector have separate feedback about a reply", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("hello")]) });
	const connector = testConnector("member");
	const session = await t.create(connector);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await log.next("assistant.message");
	for (const [id, rating] of [
		["ada", "good"],
		["bo", "bad"],
		["ada", "bad"],
	] as const) {
		const person = { ...connector.person, id: `discord:guild:${id}`, name: id } as Person;
		await t.runtime.feedback.record(unkeyed({ ...connector, person }), session, { rating, comment: id });
	}
	const { feedback } = await t.runtime.explain(operator, session);
	expect(feedback).toEqual([
		{ by: "discord:guild:ada", rating: "bad", comment: "ada" },
		{ by: "discord:guild:bo", rating: "bad", comment: "bo" },
	]);
});

test("feedback with the same key is stored once, also if the last reply has changed", async () => {
	const { t, session, log } = await talk(new ScriptedModel([says("one")], [says("two")]));
	await using _ = t;
	const keyed = { ...unkeyed(), key: "k" };
	const first = await t.send(session, "hi");
	await log.next("assistant.message");
	await t.runtime.feedback.record(keyed, session, good);
	await t.send(session, "and");
	await log.next("assistant.message");
	await expect(t.runtime.feedback.record(keyed, session, good)).resolves.toEqual({ runId: first });
});

test("feedback without a reply is refused", async () => {
	const { t, session, log } = await talk(new ScriptedModel(stuck("")));
	await using _ = t;
	await expect(t.runtime.feedback.record(unkeyed(), session, good)).rejects.toThrow(
		"wait until a run of this session has ended",
	);
	const runId = await t.send(session, "hi");
	await expect(t.runtime.feedback.record(unkeyed(), session, { ...good, runId })).rejects.toThrow(
		"wait until the run ends",
	);
	await t.runtime.cancel(unkeyed(), session);
	await log.next("assistant.message");
	await expect(t.runtime.feedback.record(unkeyed(), session, good)).rejects.toThrow("ended without a reply");
	const other = await t.create();
	await expect(t.runtime.feedback.record(unkeyed(), other, { ...good, runId })).rejects.toMatchObject({
		code: "not_found",
		message: `run not found: ${runId}; use the id of a run of this session`,
	});
});
