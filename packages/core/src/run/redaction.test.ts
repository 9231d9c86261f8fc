import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime } from "../testing/test-runtime.ts";

const secret = "k3y-0123456789abcdef";

test("a secret that a model says, in words or to a tool, is told to nobody, however it was cut", async () => {
	const redactor = new Redactor();
	redactor.add(secret);
	const pieces = ["it is ", ...secret, " you", " know"].map(says);
	const model = new ScriptedModel(
		[...pieces, calls("c1", "probe", { at: `x ${secret}` })],
		[says(`again ${secret}`)],
		[says("ok")],
	);
	await using t = await TestRuntime.open({ model, redactor, tools: [probeTool("probe")] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "tell me");
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		content: expect.stringMatching(/^again (k3y)?\[redacted\]$/),
	});
	log.check();
	expect(log.streamed).toMatch(/^it is (k3y)?\[redacted\] you knowagain (k3y)?\[redacted\]$/);
	expect(JSON.stringify(log.events)).not.toContain(secret.slice(4));
	await t.send(session, "and?");
	await log.next("assistant.message");
	// Its own call stays as it was made: it is what runs, and what a person approves.
	const said = model.requests.at(-1)?.messages.flatMap(({ content }) => [...content]);
	expect(JSON.stringify(said?.filter(({ type }) => type !== "call"))).not.toContain(secret.slice(4));
});
