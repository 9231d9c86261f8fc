import type { Failpoints } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime } from "../testing/test-runtime.ts";

test("a message that arrives when the end of the previous run is durable, but not in memory, includes that run", async () => {
	const ending = Promise.withResolvers<void>();
	let runs = 0;
	const failpoints: Failpoints = {
		reach: (name) => (name === "ended" && ++runs === 2 ? ending.promise : undefined),
	};
	const model = new ScriptedModel([says("one")], [says("two")], [says("three")]);
	await using t = await TestRuntime.open({ model, failpoints });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	for (const content of ["first", "second"]) {
		await t.send(session, content);
		await log.next("assistant.message");
	}
	const third = t.send(session, "third");
	await log.next("user.message");
	ending.resolve();
	await third;
	await log.next("assistant.message");
	log.check();
	const roles = model.requests[2]?.messages.map(({ role }) => role);
	expect(roles).toEqual(["user", "assistant", "user", "assistant", "user"]);
});
