import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime } from "../testing/test-runtime.ts";

const secret = "k3y-0123456789abcdef";

test("a secret that a model says is shown to nobody, however it was cut, and is not kept", async () => {
	const redactor = new Redactor();
	redactor.add(secret);
	const pieces = ["it is ", ...secret, " you", " know"].map(says);
	const model = new ScriptedModel([...pieces, calls("c1", "probe")], [says(`again ${secret}`)], [says("ok")]);
	await using t = await TestRuntime.open({ model, redactor, tools: [probeTool("probe")] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "tell me");
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		content: expect.stringMatching(/^again (k3y)?\[redacted\]$/),
	});
	log.check();
	expect(log.streamed).toMatch(/^it is (k3y)?\[redacted\] you knowagain (k3y)?\[redacted\]$/);
	await t.send(session, "and?");
	await log.next("assistant.message");
	expect(JSON.stringify(model.requests.at(-1))).not.toContain(secret.slice(4));
	const rows = await t.store.read((db) => db.selectFrom("steps").select("data").execute());
	expect(rows.map(({ data }) => data).join()).not.toContain(secret.slice(4));
});
