import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says, stuck } from "../testing/scripted-model.ts";
import { testConnector } from "../testing/test-connector.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { operator, type Principal } from "../vocabulary/principal.ts";
import type { Keyed } from "./idempotency.ts";

const hour = 60 * 60 * 1000;

function keyed(method: string, params: unknown, principal: Principal = operator): Keyed {
	return { principal, key: "k", method, params };
}

test("a message that is sent again with its key is one message and one run", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("once")]) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const send = () => t.runtime.send(keyed("send_message", { content: "hi" }), session, { content: "hi" });
	const together = await Promise.all([send(), send(), send()]);
	await log.next("assistant.message");
	const afterwards = await send();
	expect(new Set([...together, afterwards].map((answer) => JSON.stringify(answer))).size).toBe(1);
	log.check();
	expect(log.recorded).toEqual([
		...["session.created", "user.message", "model.called", "usage.updated", "assistant.message"],
	]);
});

test("a key survives a restart, and is forgotten after 72 hours", async () => {
	const model = new ScriptedModel([says("first")], [says("second")]);
	const t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const request = keyed("send_message", {});
	const first = await t.runtime.send(request, session, { content: "hi" });
	await log.next("assistant.message");
	await t.stop();
	t.clock.advance(72 * hour);
	const again = await TestRuntime.open({ model, directory: t.directory, clock: t.clock });
	await again.runtime.start();
	expect(await again.runtime.send(request, session, { content: "hi" })).toEqual(first);
	await again.stop();
	t.clock.advance(1);
	await using last = await TestRuntime.open({ model, directory: t.directory, clock: t.clock });
	await last.runtime.start();
	const other = await last.runtime.send(request, session, { content: "hi" });
	expect(other.runId).not.toBe(first.runId);
});

test.each<[string, Keyed]>([
	["other parameters", keyed("send_message", { content: "ho" })],
	["another method", keyed("open_session", { content: "hi" })],
])("a key with %s is refused", async (_, request) => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("once")]) });
	const session = await t.create();
	await t.runtime.send(keyed("send_message", { content: "hi" }), session, { content: "hi" });
	await expect(t.runtime.send(request, session, { content: "ho" })).rejects.toMatchObject({
		code: "invalid_argument",
		message: 'key "k" was used for another request: use another key',
	});
});

test("the order of parameters has no effect", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const one = await t.runtime.create(keyed("open_session", { a: 1, b: [2], c: undefined }), {});
	const two = await t.runtime.create(keyed("open_session", { b: [2], a: 1 }), {});
	expect(two).toEqual(one);
});

test("a key belongs to its principal", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const connector = testConnector();
	const mine = await t.runtime.create(keyed("open_session", 1), {});
	const foreign = await t.runtime.create(keyed("open_session", 2, connector), {});
	expect(foreign.id).not.toBe(mine.id);
});

test("a refused request does not use its key", async () => {
	const model = new ScriptedModel([calls("c1", "steer")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [probeTool("steer", { classes: ["control"] })] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	const answer = (params: object, value?: unknown) =>
		t.runtime.answer(keyed("prompt_response", params), prompt.token, { cancelled: false, value });
	await expect(answer({})).rejects.toThrow("this call always requires approval");
	await answer({ value: true }, true);
	await answer({ value: true }, true);
	await log.next("assistant.message");
	log.check();
});

test("a cancel, an answer and trust are repeated without effect", async () => {
	const model = new ScriptedModel(stuck("..."), stuck("..."));
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "one");
	await log.next("text.delta");
	const cancel = () => t.runtime.cancel({ ...unkeyed(), key: "cancel" }, session);
	expect(await cancel()).toEqual({ status: "cancelled" });
	await log.next("assistant.message");
	await t.send(session, "two");
	await log.next("text.delta");
	expect(await cancel()).toEqual({ status: "cancelled" });
	await t.settle();
	expect(log.recorded.filter((type) => type === "assistant.message")).toHaveLength(1);
	const trust = () => t.runtime.acceptAll({ ...unkeyed(), key: "trust" }, session);
	await trust();
	await trust();
	const grants = await t.store.read((db) => db.selectFrom("grants").selectAll().execute());
	expect(grants).toHaveLength(1);
});

test("the stored fingerprint of a request with a password cannot be guessed offline", async () => {
	const ask = probeTool("ask", {
		run: async (context) =>
			(await context.ask({ type: "password", label: "Key?", options: [], required: true, validation: "" }))
				.outcome,
	});
	const model = new ScriptedModel([calls("c1", "ask")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [ask] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	const params = { token: prompt.token, value: "hunter22" };
	const request = keyed("prompt_response", params);
	await t.runtime.answer(request, prompt.token, { value: params.value });
	await log.next("assistant.message");
	await expect(t.runtime.answer(request, prompt.token, { value: params.value })).resolves.toBe(true);
	const [stored] = await t.store.read((db) => db.selectFrom("keys").selectAll().execute());
	expect(stored?.request).toMatch(/^[\w-]{43}$/);
	for (const text of [params, { method: request.method, params }].map((value) => canonicalize(value) ?? "")) {
		const digest = createHash("sha256").update(text).digest();
		expect([digest.toString("hex"), digest.toString("base64url")]).not.toContain(stored?.request);
	}
	expect(JSON.stringify(stored)).not.toContain("hunter22");
});
