import { readdir, readFile } from "node:fs/promises";
import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import * as z from "zod";
import { EventLog } from "../testing/event-log.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { askUser } from "../tools/ask-user.ts";
import { defineTool, type Tool } from "../vocabulary/tool.ts";

const password = "correct horse\nbattery-staple-9";

/** Inputs that the tool `vault` received. */
const got: unknown[] = [];
const vault: Tool = defineTool<{
	key?: string | undefined;
	keys?: Record<string, string> | undefined;
	fail?: boolean | undefined;
}>({
	name: "vault",
	description: "Uses keys.",
	parameters: () =>
		z.strictObject({
			key: z.string().optional(),
			keys: z.record(z.string(), z.string()).optional(),
			fail: z.boolean().optional(),
		}),
	secrets: ["key", "keys"],
	effect: "effectful",
	async plan(args) {
		return { label: `vault ${JSON.stringify(args)}`, classes: ["read"], preview: "", binding: {}, notes: [] };
	},
	async run({ key, keys, fail }, _plan, { log }) {
		got.push(key ?? keys);
		log.info("a tool logs", { key, keys });
		if (fail) throw new ParleyError(`no door for ${key}`, { code: "internal" });
		return { text: `opened with ${key ?? Object.values(keys ?? {}).join()}`, failed: false };
	},
});

const ask = calls("ask", "ask_user", { type: "password", label: "Key?" });

const uses = (args: (handle: string) => object): ScriptedReply =>
	async function* (request) {
		const results = request.messages.flatMap(({ content }) => [...content]);
		const handle = results.flatMap((block) => (block.type === "result" ? [block.text] : []))[0] ?? "";
		yield calls(`c${request.messages.length}`, "vault", args(handle));
		yield { type: "end", stop: "tool_use", usage, model: "scripted-1" };
	};
const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

async function open(model: ScriptedModel, of: { directory?: string } = {}) {
	got.length = 0;
	return TestRuntime.open({ model, tools: [askUser, vault], ...of });
}

async function give(t: TestRuntime, value: string) {
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer({ ...unkeyed(), key: "k", params: { value } }, prompt.token, { value });
	return { session, log };
}

test("a tool gets the password for a handle, and no other component can read it", async () => {
	const model = new ScriptedModel(
		[ask],
		uses((key) => ({ key })),
		uses((handle) => ({ keys: { A: handle } })),
		uses((key) => ({ key, fail: true })),
		[..."it is correct horse\nbattery-staple-9 indeed"].map(says),
	);
	await using t = await open(model);
	const { log } = await give(t, password);
	await expect(log.next("tool.completed")).resolves.toMatchObject({
		result: expect.stringMatching(/^secret:pw_/),
	});
	await expect(log.next("tool.completed")).resolves.toMatchObject({ result: "opened with [redacted]" });
	await expect(log.next("tool.completed")).resolves.toMatchObject({ result: "opened with [redacted]" });
	await expect(log.next("tool.failed")).resolves.toMatchObject({
		error: expect.not.stringContaining("horse"),
	});
	const { content } = await log.next("assistant.message");
	expect(content).toMatch(/^it is .*\[redacted\] indeed$/);
	log.check();
	expect(got).toEqual([password, { A: password }, password]);
	const explained = await t.runtime.explain(unkeyed().principal, log.events[0]?.sessionId ?? "", undefined);
	const seen = [JSON.stringify([log.events, model.requests, explained]), JSON.stringify(t.log.records)];
	for (const name of await readdir(`${t.directory}/data`)) {
		seen.push(await readFile(`${t.directory}/data/${name}`, "latin1"));
	}
	for (const text of seen)
		for (const part of ["orse\\nbatt", "battery-staple-9"]) expect(text).not.toContain(part);
});

test("a handle still works after a restart, and its secret stays hidden", async () => {
	const model = new ScriptedModel(
		[ask],
		[says("thanks")],
		uses((key) => ({ key })),
		[says("ok battery-staple-9")],
	);
	const t = await open(model);
	const { session, log } = await give(t, password);
	await log.next("assistant.message");
	await t.stop();
	await using again = await TestRuntime.open({
		model,
		tools: [askUser, vault],
		directory: t.directory,
		clock: t.clock,
	});
	const second = await EventLog.join(again.runtime, session);
	await again.send(session, "use it");
	await expect(second.next("tool.completed")).resolves.toMatchObject({ result: "opened with [redacted]" });
	await expect(second.next("assistant.message")).resolves.toMatchObject({ content: "ok [redacted]" });
	expect(got).toEqual([password]);
});

test("handles of other sessions, unknown handles and plain text are refused in the same way, and no tool runs", async () => {
	const model = new ScriptedModel([ask], [says("thanks")]);
	await using t = await open(model);
	const { log } = await give(t, password);
	const { result } = await log.next("tool.completed");
	const secretTexts = [result, `secret:pw_${"0".repeat(26)}`, password, ""];
	const thief = new ScriptedModel(
		...secretTexts.map((key, index) => [calls(`c${index}`, "vault", { key })]),
		[says("no")],
	);
	await using other = await TestRuntime.open({ model: thief, tools: [vault], directory: t.directory });
	const session = await other.create();
	const second = await EventLog.join(other.runtime, session, { afterSeq: 0 });
	await other.send(session, "steal");
	for (const _ of secretTexts) {
		await expect(second.next("tool.failed")).resolves.toMatchObject({
			error: expect.stringMatching(/^not run: key: not a handle of a password in this conversation;/),
		});
	}
	expect(got).toEqual([]);
});

test("a password that is an ordinary word is given to no tool", async () => {
	const model = new ScriptedModel(
		[ask],
		uses((key) => ({ key })),
		[says("hm")],
	);
	await using t = await open(model);
	const { log } = await give(t, "abc");
	await expect(log.next("tool.failed")).resolves.toMatchObject({
		error: expect.stringContaining("shorter than 4"),
	});
	expect(got).toEqual([]);
});

test("a password of one session is ordinary text in another", async () => {
	const model = new ScriptedModel([ask], [says("thanks for battery-staple-9")], [says("battery-staple-9")]);
	await using t = await open(model);
	const { log } = await give(t, password);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "thanks for [redacted]" });
	const session = await t.create();
	const second = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await expect(second.next("assistant.message")).resolves.toMatchObject({ content: "battery-staple-9" });
});
