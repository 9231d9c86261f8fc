import { cp, mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Failpoints, ParleyError } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { createOfflineModel } from "../models/offline/offline-model.ts";
import { EventLog } from "../testing/event-log.ts";
import { type ProbeOptions, probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says, stuck } from "../testing/scripted-model.ts";
import { databaseIn, TestRuntime, unkeyed } from "../testing/test-runtime.ts";

const message = "tool: strike {}\n& tool: look {}\nsay: between\ntool: place {}\nsay: the end";

function countingTools() {
	const ran = { look: 0, strike: 0, place: 0 };
	const counting = (name: keyof typeof ran, effect: "none" | "idempotent" | "effectful") =>
		probeTool(name, {
			effect,
			classes: [name === "strike" ? "write" : "read"],
			run: async () => {
				ran[name] += 1;
				return `${name} done`;
			},
		});
	const tools = [counting("look", "none"), counting("strike", "effectful"), counting("place", "idempotent")];
	return { ran, tools };
}

async function approveAll(t: TestRuntime, log: EventLog): Promise<string> {
	for (;;) {
		const event = await log.next("prompt.requested", "assistant.message");
		if (event.type === "assistant.message") return event.content;
		await t.runtime.answer(unkeyed(), event.prompt.token, { value: true });
	}
}

interface Moment {
	readonly directory: string;
	readonly ran: Readonly<Record<string, number>>;
}

/** Runs a message to its answer, and copies the database after each transaction. */
async function recordMoments(): Promise<{
	moments: Moment[];
	types: string[];
	content: string;
	session: string;
}> {
	const moments: Moment[] = [];
	const { ran, tools } = countingTools();
	let database: string | undefined;
	const failpoints: Failpoints = {
		async reach(name) {
			if (name !== "store.committed" || database === undefined) return;
			const directory = `${dirname(dirname(database))}-${moments.length}`;
			moments.push({ directory, ran: { ...ran } });
			await mkdir(dirname(databaseIn(directory)), { recursive: true });
			for (const end of ["", "-wal"]) await cp(`${database}${end}`, `${databaseIn(directory)}${end}`);
		},
	};
	await using t = await TestRuntime.open({
		model: createOfflineModel({ clock: new ManualClock() }),
		tools,
		failpoints,
	});
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	database = databaseIn(t.directory);
	await t.send(session, message);
	const content = await approveAll(t, log);
	database = undefined;
	log.check();
	expect(ran).toEqual({ look: 1, strike: 1, place: 1 });
	return { moments, types: log.recorded, content, session };
}

test("a run continues from every moment at which it can be stopped, and no effect happens twice", async () => {
	const { moments, types, content, session } = await recordMoments();
	expect(moments.length).toBeGreaterThan(12);
	const outcomes = new Set<string>();
	for (const { directory, ran } of moments) {
		const now = countingTools();
		const model = createOfflineModel({ clock: new ManualClock() });
		await using t = await TestRuntime.open({ model, tools: now.tools, directory });
		const stored = await t.runtime.history.newest({ id: "operator", kind: "operator" }, { limit: 1000 });
		await t.runtime.start();
		const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
		const replies = await approveAll(t, log);
		log.check();
		expect(log.events.slice(0, stored.length)).toEqual(stored);
		const interrupted = log.events.some(
			({ event }) => event.type === "tool.failed" && event.error.startsWith("interrupted, outcome unknown"),
		);
		const strikes = (ran["strike"] ?? 0) + now.ran.strike;
		expect(strikes).toBeLessThanOrEqual(1);
		if (!interrupted) expect(strikes).toBe(1);
		expect((ran["place"] ?? 0) + now.ran.place).toBeGreaterThanOrEqual(1);
		expect(log.recorded.filter((type) => type !== "session.closed")).toEqual(
			interrupted ? types.with(types.indexOf("tool.completed"), "tool.failed") : types,
		);
		if (!interrupted) expect(replies).toBe(content);
		outcomes.add(interrupted ? "interrupted" : "done");
		await rm(directory, { recursive: true, force: true });
	}
	expect(outcomes).toEqual(new Set(["interrupted", "done"]));
});

test("an interrupted reply is requested and streamed again from its start", async () => {
	const model = new ScriptedModel(stuck("hel"), [says("hello")]);
	const t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await log.next("text.delta");
	await t.stop();
	expect(log.recorded).toEqual(["session.created", "user.message"]);
	await using again = await TestRuntime.open({ model, directory: t.directory, clock: t.clock });
	const second = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	expect(await again.runtime.start()).toBe(1);
	await expect(second.next("assistant.message")).resolves.toMatchObject({ content: "hello", error: "" });
	second.check();
	expect(second.streamed).toBe("hello");
	expect(model.requests[1]).toEqual(model.requests[0]);
});

test("waiting messages continue in their order after a restart", async () => {
	const model = new ScriptedModel([says("one")], [says("two")], [says("three")]);
	const t = await TestRuntime.open({ model: new ScriptedModel(stuck("...")) });
	const session = await t.create();
	for (const content of ["a", "b", "c"]) await t.send(session, content);
	await t.stop();
	await using again = await TestRuntime.open({ model, directory: t.directory, clock: t.clock });
	expect(await again.runtime.start()).toBe(1);
	const log = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	const replies = [];
	for (let n = 0; n < 3; n++) replies.push((await log.next("assistant.message")).content);
	log.check();
	expect(replies).toEqual(["one", "two", "three"]);
	expect(model.requests.at(-1)?.messages).toHaveLength(5);
});

test("after the end of a run no work is left", async () => {
	const t = await TestRuntime.open({ model: new ScriptedModel([says("done")]) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await log.next("assistant.message");
	await t.stop();
	await using again = await TestRuntime.open({
		model: new ScriptedModel(),
		directory: t.directory,
		clock: t.clock,
	});
	expect(await again.runtime.start()).toBe(0);
});

async function interrupt(before: ProbeOptions, after: ProbeOptions) {
	const running = Promise.withResolvers<void>();
	let repeated = 0;
	const hanging = probeTool("act", {
		...before,
		run: ({ signal }) =>
			new Promise((_, reject) => {
				signal.addEventListener("abort", () => reject(signal.reason));
				running.resolve();
			}),
	});
	const model = new ScriptedModel([calls("c1", "act")], [says("done")]);
	const t = await TestRuntime.open({ model, tools: [hanging] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	if (before.classes) {
		const { prompt } = await log.next("prompt.requested");
		await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	}
	await running.promise;
	await t.stop();
	const tools = [probeTool("act", { ...before, ...after, run: async () => `${++repeated}` })];
	await using again = await TestRuntime.open({ model, tools, directory: t.directory, clock: t.clock });
	await again.runtime.start();
	const second = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	const event = await second.next("tool.failed", "tool.completed");
	await second.next("assistant.message");
	second.check();
	return { text: event.type === "tool.failed" ? event.error : event.result, repeated };
}

test("a call with an unknown effect ends as interrupted, also if it can no longer be planned", async () => {
	const fail = (): never => {
		throw new ParleyError("there is no such file", { code: "not_found" });
	};
	const { text, repeated } = await interrupt({}, { binding: fail });
	expect(text).toMatch(/^interrupted, outcome unknown/);
	expect(repeated).toBe(0);
});

test("an approved call without effect runs again unless the approved facts have changed", async () => {
	const look: ProbeOptions = { effect: "none", classes: ["write"], binding: () => ({ path: "/a" }) };
	expect(await interrupt(look, {})).toEqual({ text: "1", repeated: 1 });
	expect(await interrupt(look, { binding: () => ({ path: "/b" }) })).toEqual({
		text: "changed since it was approved: path; the call did not run, so repeat it if you still need it",
		repeated: 0,
	});
});

test("a session that cannot be read does not block another one", async () => {
	const t = await TestRuntime.open({ model: new ScriptedModel(stuck("..."), stuck("...")) });
	const [broken, complete] = [await t.create(), await t.create()];
	const runId = await t.send(broken, "one");
	await t.send(complete, "two");
	await t.stop();
	const model = new ScriptedModel([says("done")]);
	await using again = await TestRuntime.open({ model, directory: t.directory, clock: t.clock });
	await again.store.commit((tx) =>
		tx.updateTable("steps").set({ data: "{" }).where("run_id", "=", runId).execute(),
	);
	expect(await again.runtime.start()).toBe(2);
	const log = await EventLog.join(again.runtime, complete, { afterSeq: 0 });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "done", error: "" });
	expect(again.log.records.filter(({ level }) => level !== "info")).toMatchObject([
		{ level: "error", fields: { sessionId: broken } },
	]);
});

test("a second start does not disturb the work of the first", async () => {
	const t = await TestRuntime.open({ model: new ScriptedModel(stuck("...")) });
	const session = await t.create();
	await t.send(session, "go");
	await t.stop();
	const model = new ScriptedModel(stuck("..."), stuck("again"), stuck("and again"));
	await using again = await TestRuntime.open({ model, directory: t.directory, clock: t.clock });
	const log = await EventLog.join(again.runtime, session);
	await Promise.all([again.runtime.start(), again.runtime.start()]);
	await log.next("text.delta");
	await again.runtime.start();
	await again.settle();
	expect(model.requests).toHaveLength(1);
});
