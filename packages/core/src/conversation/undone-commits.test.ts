import type { Store } from "@parley/base";
import { storeWith } from "@parley/base/testing";
import { sql } from "kysely";
import { expect, test } from "vitest";
import type { Tables } from "../store/tables.ts";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";

/** Rolls back each transaction once and repeats it, as after a conflict in PostgreSQL. */
const undoing = (store: Store<Tables>): Store<Tables> =>
	storeWith(store, {
		commit: (command) =>
			store.commit(async (tx) => {
				await sql`savepoint undone`.execute(tx);
				await command(tx).catch(() => undefined);
				await sql`rollback to savepoint undone`.execute(tx);
				await sql`release savepoint undone`.execute(tx);
				return command(tx);
			}),
	});

async function converse(wrap?: (store: Store<Tables>) => Store<Tables>): Promise<readonly string[]> {
	const model = new ScriptedModel([calls("c1", "probe")], [says("done")], [says("again")]);
	const tools = [probeTool("probe", { classes: ["write"] })];
	await using t = await TestRuntime.open({ model, tools, ...(wrap && { wrap }) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await log.next("assistant.message");
	await t.runtime.steer(unkeyed(), session, { content: "and more" });
	await log.next("assistant.message");
	log.check();
	return log.recorded;
}

test("a conversation has the same result if each of its transactions is rolled back once", async () => {
	const complete = await converse();
	expect(complete.filter((type) => type === "assistant.message")).toHaveLength(2);
	expect(await converse(undoing)).toEqual(complete);
});

test("a session whose deletion is rolled back is deleted by the next attempt", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel(), wrap: undoing });
	const session = await t.create();
	await t.runtime.remove(unkeyed(), session, false);
	await expect(t.send(session, "hi")).rejects.toMatchObject({ code: "not_found" });
});
