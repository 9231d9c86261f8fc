import { cp, mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Failpoints } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { createOfflineModel } from "../models/offline/offline-model.ts";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { ScriptedModel, says, stuck } from "../testing/scripted-model.ts";
import { databaseIn, TestRuntime, unkeyed } from "../testing/test-runtime.ts";

const message = "tool: look {}\n& tool: strike {}\nsay: between\ntool: place {}\nsay: the end";

/** Three tools that differ in what a crash means for them, and count how often they ran. */
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

/** Approves whatever is asked, until the run ends. */
async function approveAll(t: TestRuntime, log: EventLog): Promise<string> {
	for (;;) {
		const event = await log.next("prompt.requested", "assistant.message");
		if (event.type === "assistant.message") return event.content;
		await t.runtime.answer(unkeyed(), event.prompt.token, { value: true });
	}
}

interface Moment {
	readonly directory: string;
	/** How often each tool had run by then. */
	readonly ran: Readonly<Record<string, number>>;
}

/** Plays the conversation once and keeps the database as it was after each of its transactions. */
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

test("a run goes on from every moment at which it can be stopped, and nothing takes effect twice", async () => {
	const { moments, types, content, session } = await recordMoments();
	expect(moments.length).toBeGreaterThan(12);
	const outcomes = new Set<string>();
	for (const { directory, ran } of moments) {
		const now = countingTools();
		const model = createOfflineModel({ clock: new ManualClock() });
		await using t = await TestRuntime.open({ model, tools: now.tools, directory });
		const kept = await t.runtime.events({ id: "operator", kind: "operator" }, { limit: 1000 });
		await t.runtime.start();
		const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
		const said = await approveAll(t, log);
		log.check();
		expect(log.events.slice(0, kept.length)).toEqual(kept);
		const interrupted = log.events.some(
			({ event }) => event.type === "tool.failed" && event.error.startsWith("interrupted, outcome unknown"),
		);
		const strikes = (ran["strike"] ?? 0) + now.ran.strike;
		expect(strikes).toBeLessThanOrEqual(1);
		if (!interrupted) expect(strikes).toBe(1);
		expect((ran["place"] ?? 0) + now.ran.place).toBeGreaterThanOrEqual(1);
		expect(log.recorded.filter((type) => type !== "session.closed")).toEqual(
			interrupted ? types.with(types.indexOf("tool.completed") + 1, "tool.failed") : types,
		);
		if (!interrupted) expect(said).toBe(content);
		outcomes.add(interrupted ? "interrupted" : "done");
		await rm(directory, { recursive: true, force: true });
	}
	expect(outcomes).toEqual(new Set(["interrupted", "done"]));
});

test("a reply that was being spoken is made again from its start, and streamed from its start", async () => {
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

test("messages that waited go on in their order after a restart", async () => {
	const model = new ScriptedModel([says("one")], [says("two")], [says("three")]);
	const t = await TestRuntime.open({ model: new ScriptedModel(stuck("...")) });
	const session = await t.create();
	for (const content of ["a", "b", "c"]) await t.send(session, content);
	await t.stop();
	await using again = await TestRuntime.open({ model, directory: t.directory, clock: t.clock });
	expect(await again.runtime.start()).toBe(1);
	const log = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	const said = [];
	for (let n = 0; n < 3; n++) said.push((await log.next("assistant.message")).content);
	log.check();
	expect(said).toEqual(["one", "two", "three"]);
	expect(model.requests.at(-1)?.messages).toHaveLength(5);
});

test("nothing is left to do after a run has ended", async () => {
	const t = await TestRuntime.open({ model: new ScriptedModel([says("done")]) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await log.next("assistant.message");
	await t.stop();
	await using again = await TestRuntime.open({
		...{ model: new ScriptedModel(), directory: t.directory, clock: t.clock },
	});
	expect(await again.runtime.start()).toBe(0);
});
