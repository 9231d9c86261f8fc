import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { ScriptedModel, type ScriptedReply, says } from "../../testing/scripted-model.ts";
import { TestRuntime } from "../../testing/test-runtime.ts";
import { ModelError } from "../../vocabulary/model-error.ts";

const key = "k3y-0123456789abcdef";

const refuses: ScriptedReply = async function* () {
	yield says("");
	throw new ModelError(`the key ${key} is wrong`, { fault: "unauthenticated" });
};

test("a refused key is logged once, and again only after it was accepted, and is never shown", async () => {
	const redactor = new Redactor();
	redactor.add(key);
	const model = new ScriptedModel(refuses, refuses, [says("hello")], refuses);
	await using t = await TestRuntime.open({ model, redactor });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const error = "the key [redacted] is wrong";
	for (const expected of [error, error, "", error]) {
		await t.send(session, "hi");
		await expect(log.next("assistant.message")).resolves.toMatchObject({ error: expected });
	}
	const warnings = t.log.records.filter(({ message }) => message === "the provider refused the key");
	expect(warnings).toHaveLength(2);
	expect(JSON.stringify(log.events)).not.toContain(key);
});
