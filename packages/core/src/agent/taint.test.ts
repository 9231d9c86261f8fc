import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../testing/scripted-model.ts";
import { testConnector } from "../testing/test-connector.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import type { Prompt } from "../vocabulary/prompt.ts";
import type { ActionClass } from "../vocabulary/taint.ts";
import type { Tool } from "../vocabulary/tool.ts";

const together = "untrusted text, private data and a way to send data out in this session";

function toolsOf(ran: string[]): Tool[] {
	const tool = (name: string, classes: readonly ActionClass[], effect: "none" | "effectful") =>
		probeTool(name, {
			classes,
			effect,
			grantRoot: "/",
			binding: () => ({ path: "/x" }),
			run: async () => `${ran.push(name)}`,
		});
	return [
		tool("fetch", ["egress"], "none"),
		tool("peek", ["outside-read"], "none"),
		tool("publish", ["irreversible"], "effectful"),
		tool("write", ["write"], "effectful"),
		tool("command", ["exec-unsandboxed"], "effectful"),
	];
}

async function trusted(...replies: ScriptedReply[]) {
	const ran: string[] = [];
	const model = new ScriptedModel(...replies);
	const t = await TestRuntime.open({ model, tools: toolsOf(ran) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.acceptAll(unkeyed(), session);
	const taint = async (): Promise<string | undefined> => {
		const rows = await t.store.read((db) => db.selectFrom("sessions").select(["id", "taint"]).execute());
		return rows.find(({ id }) => id === session)?.taint;
	};
	const nextPrompt = async (): Promise<Prompt> => (await log.next("prompt.requested")).prompt;
	const { runtime } = t;
	const answer = (prompt: Prompt, value: unknown) => runtime.answer(unkeyed(), prompt.token, { value });
	return {
		t,
		ran,
		model,
		session,
		log,
		taint,
		nextPrompt,
		answer,
		[Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
	};
}

test("the call that completes the three kinds of taint requires approval although all tools are accepted", async () => {
	await using s = await trusted(
		[calls("c1", "fetch")],
		[calls("c2", "peek")],
		[calls("c3", "write")],
		[says("done")],
	);
	await s.t.send(s.session, "go");
	const prompt = await s.nextPrompt();
	expect(prompt.label).toBe("Allow peek?");
	expect(prompt.approval).toMatchObject({
		risk: "critical",
		allowSession: false,
		notes: [
			`reads outside the roots; it combines ${together}`,
			"so far in this session: untrusted text, external effects",
		],
	});
	expect(await s.taint()).toBe("UE");
	// Neither an earlier nor a later session grant approves the call. An answer without a value does not approve it
	// either.
	await s.t.runtime.acceptAll(unkeyed(), s.session);
	await expect(s.t.runtime.answer(unkeyed(), prompt.token, { cancelled: false })).rejects.toThrow();
	expect(s.ran).toEqual(["fetch"]);
	await s.answer(prompt, true);
	await s.log.next("assistant.message");
	s.log.check();
	expect(s.ran).toEqual(["fetch", "peek", "write"]);
	expect(await s.taint()).toBe("UPE");
});

test("after the three are combined, each external effect requires approval, and no data leaves after a denial", async () => {
	await using s = await trusted(
		[calls("c1", "peek")],
		[calls("c2", "fetch", { n: 1 })],
		[calls("c3", "fetch", { n: 2 })],
		[calls("c4", "peek")],
		[says("done")],
	);
	await s.t.send(s.session, "go");
	await s.answer(await s.nextPrompt(), true);
	const second = await s.nextPrompt();
	expect(second.label).toBe("Allow fetch?");
	await s.answer(second, false);
	await s.log.next("assistant.message");
	s.log.check();
	expect(s.ran).toEqual(["peek", "fetch", "peek"]);
	expect(s.log.recorded.filter((type) => type === "prompt.requested")).toHaveLength(2);
});

test("the judgement of a call assumes that all earlier calls of the reply have run", async () => {
	await using s = await trusted(
		[calls("c1", "fetch"), calls("c2", "peek"), calls("c3", "fetch")],
		[says("done")],
	);
	await s.t.send(s.session, "go");
	const peek = await s.nextPrompt();
	const fetch = await s.nextPrompt();
	expect([peek.label, fetch.label]).toEqual(["Allow peek?", "Allow fetch?"]);
	await s.answer(fetch, true);
	await s.answer(peek, false);
	await s.log.next("assistant.message");
	s.log.check();
	expect(s.ran).toEqual(["fetch", "fetch"]);
	expect(await s.taint()).toBe("UE");
});

test("a grant for the session does not replace this approval", async () => {
	const ran: string[] = [];
	const model = new ScriptedModel(
		[calls("c1", "peek")],
		[calls("c2", "fetch")],
		[calls("c3", "peek")],
		[says("done")],
		[calls("c4", "fetch")],
		[calls("c5", "peek")],
		[says("done")],
	);
	await using t = await TestRuntime.open({ model, tools: toolsOf(ran) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const labels: [string, boolean | undefined][] = [];
	for (;;) {
		const event = await log.next("prompt.requested", "assistant.message");
		if (event.type === "assistant.message") break;
		const { label, token, approval } = event.prompt;
		labels.push([label, approval?.allowSession]);
		await t.runtime.answer(unkeyed(), token, { value: approval?.allowSession ? "session" : true });
	}
	// The session grant of the first approval covers the third call. The second approval could not allow the session,
	// because the session had already read private data.
	expect(labels).toEqual([
		["Allow peek?", true],
		["Allow fetch?", false],
	]);
	expect(ran).toEqual(["peek", "fetch", "peek"]);
});

test("the taint survives a restart of the gateway", async () => {
	const first = await trusted([calls("c1", "fetch")], [says("done")], [calls("c2", "peek")], [says("done")]);
	await first.t.send(first.session, "go");
	await first.log.next("assistant.message");
	await first.t.stop();
	const { model, t, session } = first;
	const ran: string[] = [];
	const options = { model, tools: toolsOf(ran), directory: t.directory, clock: t.clock };
	await using again = await TestRuntime.open(options);
	await again.runtime.start();
	const log = await EventLog.join(again.runtime, session);
	await again.runtime.acceptAll(unkeyed(), session);
	await again.send(session, "go on");
	const { prompt } = await log.next("prompt.requested");
	expect(prompt.approval?.notes).toContain("so far in this session: untrusted text, external effects");
	expect(prompt.approval?.warnings).toContain("so far in this session: untrusted text, external effects");
	await again.runtime.answer(unkeyed(), prompt.token, { value: false });
	await log.next("assistant.message");
	expect(ran).toEqual([]);
});

test("a started call taints the session, also with an unknown outcome", async () => {
	const begun = Promise.withResolvers<void>();
	const stuck = probeTool("publish", {
		classes: ["irreversible"],
		run: async ({ signal }) => {
			begun.resolve();
			await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
			return "stopped";
		},
	});
	const model = new ScriptedModel([calls("c1", "publish")], [says("done")]);
	const t = await TestRuntime.open({ model, tools: [stuck] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await begun.promise;
	await t.stop();
	await using again = await TestRuntime.open({
		model,
		tools: [stuck],
		directory: t.directory,
		clock: t.clock,
	});
	const rows = await again.store.read((db) => db.selectFrom("sessions").select("taint").execute());
	expect(rows).toEqual([{ taint: "E" }]);
});

test("text of people other than the operator taints the session", async () => {
	await using s = await trusted(
		[calls("c1", "peek")],
		[says("done")],
		[calls("c2", "publish")],
		[says("done")],
	);
	const { runtime } = s.t;
	await runtime.send(unkeyed(), s.session, { content: "go" });
	await s.log.next("assistant.message");
	expect(await s.taint()).toBe("P");
	await runtime.send(unkeyed(), s.session, { content: "publish it", author: { id: "u1", name: "Uma" } });
	expect(await s.taint()).toBe("UP");
	const prompt = await s.nextPrompt();
	expect(prompt.approval?.notes).toContain(`cannot be undone; it combines ${together}`);
	expect(prompt.approval?.warnings).toContain(`cannot be undone; it combines ${together}`);
	await s.answer(prompt, false);
	await s.log.next("assistant.message");
	s.log.check();
	const connector = testConnector();
	const chat = await s.t.create(connector);
	await runtime.send(unkeyed(connector), chat, { content: "hello" });
	const rows = await s.t.store.read((db) => db.selectFrom("sessions").select(["id", "taint"]).execute());
	expect(rows.find(({ id }) => id === chat)?.taint).toBe("U");
});

test("a denied or impossible call does not taint the session", async () => {
	await using s = await trusted([calls("c1", "publish")], [calls("c2", "nope")], [says("done")]);
	await s.t.send(s.session, "go");
	await s.answer(await s.nextPrompt(), false);
	await s.log.next("assistant.message");
	s.log.check();
	expect(await s.taint()).toBe("");
});

test("after text from strangers, an unconfined command requires approval although all tools are accepted", async () => {
	await using s = await trusted(
		[calls("c1", "command")],
		[says("before")],
		[calls("c2", "write")],
		[says("harmless")],
	);
	await s.t.send(s.session, "go");
	await expect(s.log.next("prompt.requested", "assistant.message")).resolves.toMatchObject({
		content: "before",
	});
	expect(await s.taint()).toBe("PE");
	await using later = await trusted([calls("c1", "fetch")], [calls("c2", "command")], [says("done")]);
	await later.t.send(later.session, "go");
	const prompt = await later.nextPrompt();
	expect(prompt.approval).toMatchObject({ tool: "command", risk: "critical" });
	expect(prompt.approval?.notes.join()).toContain(together);
	await later.answer(prompt, false);
	await later.log.next("assistant.message");
	expect(later.ran).toEqual(["fetch"]);
});
