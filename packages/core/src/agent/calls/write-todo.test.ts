import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Failpoints } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { calls, ScriptedModel, says, stuck } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";

const list = (id: string, ...states: readonly string[]) =>
	calls(id, "todo", { items: states.map((state, at) => ({ text: `step ${at}`, state })) });

const listed = (log: EventLog) =>
	log.events.flatMap(({ event }) =>
		event.type === "todo.updated" || event.type === "todo.shown"
			? [[event.type, event.callId, event.steps.map(({ state }) => state)]]
			: [],
	);

test("the list of a run is recorded when it changes, in its call, and without an approval", async () => {
	const model = new ScriptedModel(
		[list("c1", "active", "open")],
		[list("c2", "active", "open")],
		[list("c3", "done", "active")],
		[says("done")],
	);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await log.next("assistant.message");
	log.check();
	expect(log.recorded).not.toContain("prompt.requested");
	expect(listed(log)).toEqual([
		["todo.updated", "c1", ["in_progress", "pending"]],
		["todo.updated", "c3", ["completed", "in_progress"]],
	]);
});

test("the same list in a later run is recorded again", async () => {
	const model = new ScriptedModel([list("c1", "open")], [says("one")], [list("c2", "open")], [says("two")]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	for (const word of ["go", "again"]) {
		await t.send(session, word);
		await log.next("assistant.message");
	}
	expect(listed(log).map(([, callId]) => callId)).toEqual(["c1", "c2"]);
});

test("a client that joins an active run gets its newest list, and no list after its end", async () => {
	const model = new ScriptedModel([list("c1", "active", "open")], stuck("thinking"));
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "go");
	await log.next("text.delta");
	const late = await EventLog.join(t.runtime, session);
	expect(listed(late)).toEqual([["todo.shown", "c1", ["in_progress", "pending"]]]);
	const replayed = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	expect(listed(replayed)).toEqual([["todo.updated", "c1", ["in_progress", "pending"]]]);
	await t.runtime.cancel(unkeyed(), session);
	await log.next("assistant.message");
	expect(listed(await EventLog.join(t.runtime, session))).toEqual([]);
});

test("after a crash between the list and the result of its call, the run continues and the list is not recorded twice", async () => {
	await using stack = new AsyncDisposableStack();
	const copy = await mkdtemp(join(tmpdir(), "parley-todo-"));
	stack.defer(() => rm(copy, { recursive: true, force: true }));
	let directory = "";
	const failpoints: Failpoints = {
		reach: async (name) => {
			if (name === "tool-exit") await cp(directory, copy, { recursive: true });
		},
	};
	const model = new ScriptedModel([list("c1", "active", "open")], [says("done")]);
	const t = stack.use(await TestRuntime.open({ model, failpoints }));
	directory = t.directory;
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "go");
	await log.next("assistant.message");
	const secondModel = new ScriptedModel([list("c2", "done", "active")], [says("done")]);
	const again = stack.use(await TestRuntime.open({ model: secondModel, directory: copy }));
	await again.runtime.start();
	const after = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	await after.next("assistant.message");
	after.check();
	expect(listed(after)).toEqual([
		["todo.updated", "c1", ["in_progress", "pending"]],
		["todo.updated", "c2", ["completed", "in_progress"]],
	]);
	expect(JSON.stringify(secondModel.requests[0]?.messages)).toContain(
		"0 of 2 steps are done; current step: step 0",
	);
});
