import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says, stuck } from "../../testing/scripted-model.ts";
import { testConnector } from "../../testing/test-connector.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import type { Principal, Role } from "../../vocabulary/principal.ts";

function person(id: string, role: Role = "member"): Principal {
	const connector = testConnector(role);
	const { person: one } = connector;
	if (one === undefined) throw new Error("the connector has no person");
	return { ...connector, person: { ...one, id: `discord:guild:${id}`, name: id } };
}

const [ada, bo] = [person("ada"), person("bo")];

function gate() {
	const started = Promise.withResolvers<void>();
	const open = Promise.withResolvers<void>();
	const tool = probeTool("probe", {
		effect: "none",
		async run({ signal }) {
			signal.addEventListener("abort", () => open.resolve(), { once: true });
			started.resolve();
			await open.promise;
			return "probed";
		},
	});
	return { tool, started: started.promise, go: open.resolve };
}

async function working(...replies: readonly ScriptedReply[]) {
	const { tool, started, go } = gate();
	const model = new ScriptedModel([calls("c1", "probe")], ...replies);
	const t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create(ada);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const { runId } = await t.runtime.send(unkeyed(ada), session, { content: "first" });
	await started;
	return { t, model, session, log, runId, go };
}

function textsFor(model: ScriptedModel, request: number): string {
	return JSON.stringify(model.requests[request]?.messages);
}

test("a queued message with its context is in the next model call of the active run, and starts no run", async () => {
	const { t, model, session, log, runId, go } = await working([says("both")], [says("later")]);
	await using _ = t;
	const author = { id: "cy", name: "Cy", roles: [], guest: false, bot: false };
	const quoted = { id: "m1", author, at: 5, text: "It is blue.", files: [], relation: "channel" as const };
	const context = { hasOlder: false, messages: [quoted] };
	const second = { content: "second", correlation: "m2", context };
	const queued = await t.runtime.send(unkeyed(bo), session, second);
	const third = await t.runtime.send(unkeyed(bo), session, { content: "third" });
	expect(third.queuedPosition).toBe(2);
	expect(await t.runtime.join(unkeyed(bo), session, queued.runId)).toEqual({ status: "joined", runId });
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		runId: queued.runId,
		error: "cancelled",
		joined: runId,
	});
	expect(log.events.map(({ event }) => event)).toContainEqual({
		...{ type: "user.message", runId, content: "second", steered: true, correlation: "m2" },
		author: { id: "discord:guild:bo", name: "bo" },
	});
	go();
	await expect(log.next("assistant.message")).resolves.toMatchObject({ runId, content: "both" });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ runId: third.runId });
	log.check();
	expect(textsFor(model, 1)).toContain("> second");
	expect(textsFor(model, 1)).toContain("It is blue.");
	expect(textsFor(model, 1)).not.toContain("> third");
	expect(textsFor(model, 2).match(/> second/g)).toHaveLength(1);
	expect(model.requests).toHaveLength(3);
});

test("a retry repeats the reply of the run that a message has joined", async () => {
	const { t, model, session, log, runId, go } = await working([says("both")], [says("again")]);
	await using _ = t;
	const queued = await t.runtime.send(unkeyed(ada), session, { content: "second" });
	await t.runtime.join(unkeyed(ada), session, queued.runId);
	go();
	await log.next("assistant.message");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "both" });
	await t.runtime.retry(unkeyed(ada), session);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "again" });
	log.check();
	expect(textsFor(model, 2).match(/> second/g)).toHaveLength(1);
	expect(textsFor(model, 2).match(/> first/g)).toHaveLength(1);
	const explained = await t.runtime.explain(ada, session, queued.runId);
	expect(explained).toMatchObject({ runId, steered: [{ content: "second" }] });
});

test("only the author and clients without a person add a queued message", async () => {
	const { t, session, runId } = await working();
	await using _ = t;
	const { runtime } = t;
	const queued = await runtime.send(unkeyed(bo), session, { content: "mine" });
	await expect(runtime.join(unkeyed(ada), session, queued.runId)).rejects.toThrow("only the author");
	await expect(runtime.join(unkeyed(ada), session, "run_x")).rejects.toThrow("run not found: run_x");
	expect(await runtime.join(unkeyed(), session, queued.runId)).toEqual({ status: "joined", runId });
});

test("the message of a guest joins only a run of that guest", async () => {
	const { t, session } = await working();
	await using _ = t;
	const guest = person("gus", "guest");
	const queued = await t.runtime.send(unkeyed(guest), session, { content: "mine" });
	expect(await t.runtime.join(unkeyed(guest), session, queued.runId)).toEqual({
		status: "queued",
		runId: queued.runId,
	});
});

test("a message stays in the queue while the active run is stopped, and then begins", async () => {
	const model = new ScriptedModel(stuck("well"), [says("ok")]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create(ada);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.send(unkeyed(ada), session, { content: "first" });
	await log.next("text.delta");
	const queued = await t.runtime.send(unkeyed(ada), session, { content: "second" });
	await t.runtime.cancel(unkeyed(), session);
	const joined = await t.runtime.join(unkeyed(ada), session, queued.runId);
	expect(["queued", "begun"]).toContain(joined.status);
	await log.next("assistant.message");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ runId: queued.runId, content: "ok" });
	expect(await t.runtime.join(unkeyed(ada), session, queued.runId)).toMatchObject({ status: "begun" });
	log.check();
});

test("a message with images needs its own run", async () => {
	const { t, session } = await working();
	await using _ = t;
	const images = [{ type: "image" as const, mediaType: "image/png" as const, data: "aGk=" }];
	const queued = await t.runtime.send(unkeyed(ada), session, { content: "look", images });
	await expect(t.runtime.join(unkeyed(ada), session, queued.runId)).rejects.toThrow("because it has files");
});

test("a repeated request has the result of the first, and the message joins once", async () => {
	const { t, session, log, runId } = await working();
	await using _ = t;
	const queued = await t.runtime.send(unkeyed(ada), session, { content: "second" });
	const request = { ...unkeyed(ada), key: "k1" };
	const both = [1, 2].map(() => t.runtime.join(request, session, queued.runId));
	expect(await Promise.all(both)).toEqual([1, 2].map(() => ({ status: "joined", runId })));
	const steered = log.events.filter(({ event }) => event.type === "user.message" && event.steered);
	expect(steered).toHaveLength(1);
});

test("a message that has joined survives a restart of the gateway", async () => {
	const { t, session } = await working();
	await using _ = t;
	const queued = await t.runtime.send(unkeyed(ada), session, { content: "second" });
	await t.runtime.join(unkeyed(ada), session, queued.runId);
	await t.stop();
	const { directory, clock } = t;
	const model = new ScriptedModel([says("done")]);
	const tools = [probeTool("probe", { effect: "none" })];
	await using again = await TestRuntime.open({ model, tools, directory, clock });
	const log = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	await again.runtime.start();
	await expect(log.next("assistant.message")).resolves.toMatchObject({ runId: queued.runId });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "done" });
	expect(textsFor(model, 0).match(/> second/g)).toHaveLength(1);
	expect(model.requests).toHaveLength(1);
});
