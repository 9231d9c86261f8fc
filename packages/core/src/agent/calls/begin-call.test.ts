import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { noFailpoints } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { createDirectory } from "../../testing/tool-context.ts";

test("an approved call does not begin if the policy changed after its approval was checked", async () => {
	await using directory = await createDirectory();
	const file = join(directory.path, "policy.jsonc");
	const rules = [{ effect: "ask", tool: "second" }];
	const ran: string[] = [];
	const act = (name: string, run: () => Promise<void>) =>
		probeTool(name, { classes: ["write"], run: async () => `${await run().then(() => ran.push(name))}` });
	const tools = [
		act("first", () => writeFile(file, JSON.stringify({ rules }))),
		act("second", async () => {}),
	];
	const model = new ScriptedModel([calls("a", "first"), calls("b", "second")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools, policy: { file } });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "go");
	const first = await log.next("prompt.requested");
	const second = await log.next("prompt.requested");
	// The second approval is answered before the first approval, because the first call runs as soon as it is approved.
	for (const { prompt } of [second, first]) await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await expect(log.next("tool.completed")).resolves.toMatchObject({ callId: "a" });
	await expect(log.next("tool.failed", "tool.completed")).resolves.toMatchObject({
		callId: "b",
		error: "changed since it was approved: policy; the call did not run, so repeat it if you still need it",
	});
	expect(ran).toEqual(["first"]);
});

async function approved(reach: (name: string, t: TestRuntime) => Promise<void>) {
	const ran: string[] = [];
	const act = probeTool("act", { classes: ["write"], run: async () => `${ran.push("act")}` });
	const model = new ScriptedModel([calls("a", "act")], [says("done")]);
	const failpoints = { ...noFailpoints, reach: (name: string) => reach(name, t) };
	const t: TestRuntime = await TestRuntime.open({ model, tools: [act], failpoints });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	void t.runtime.answer(unkeyed(), prompt.token, { value: true });
	return { t, log, ran };
}

async function states({ store }: TestRuntime): Promise<string[]> {
	const rows = await store.read((db) => db.selectFrom("prompts").select("state").execute());
	return rows.map(({ state }) => state);
}

test("an approval is consumed before its call runs", async () => {
	const seen: Record<string, string[]> = {};
	const { t, log, ran } = await approved(async (name, runtime) => {
		seen[name] = await states(runtime);
	});
	await using _ = t;
	await log.next("assistant.message");
	expect(ran).toEqual(["act"]);
	expect(seen["answered"]).toEqual(["answered"]);
	expect(seen["tool-running"]).toEqual(["consumed"]);
});

test("an approval that was consumed does not let another call run", async () => {
	const { t, log, ran } = await approved(async (name, { store }) => {
		if (name !== "answered") return;
		await store.commit((tx) => tx.updateTable("prompts").set({ state: "consumed" }).execute());
	});
	await using _ = t;
	await expect(log.next("tool.failed", "tool.completed")).resolves.toMatchObject({
		error: "not run: the approval was already used; repeat the call to request a new approval",
	});
	expect(ran).toEqual([]);
});
