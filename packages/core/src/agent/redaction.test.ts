import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import * as z from "zod";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { askUser } from "../tools/ask-user.ts";
import { operator } from "../vocabulary/principal.ts";
import { defineTool } from "../vocabulary/tool.ts";

const secret = "k3y-0123456789abcdef";

test("a secret in text or arguments of the model reaches no client, at any cut", async () => {
	const redactor = new Redactor();
	redactor.add(secret);
	const pieces = ["it is ", ...secret, " you", " know"].map(says);
	const model = new ScriptedModel(
		[...pieces, calls("c1", "probe", { at: `x ${secret}` })],
		[says(`again ${secret}`)],
		[says("ok")],
	);
	await using t = await TestRuntime.open({ model, redactor, tools: [probeTool("probe")] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "tell me");
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		content: expect.stringMatching(/^again (k3y)?\[redacted\]$/),
	});
	log.check();
	expect(log.streamed).toMatch(/^it is (k3y)?\[redacted\] you knowagain (k3y)?\[redacted\]$/);
	expect(JSON.stringify(log.events)).not.toContain(secret.slice(4));
	await t.send(session, "and?");
	await log.next("assistant.message");
	// The model's own call stays unchanged, because the tool needs the secret.
	const blocks = model.requests.at(-1)?.messages.flatMap(({ content }) => [...content]);
	expect(JSON.stringify(blocks?.filter(({ type }) => type !== "call"))).not.toContain(secret.slice(4));
});

/** Returns data that must not contain a secret. Providers receive calls and signed thinking unchanged. */
async function sinks(t: TestRuntime, log: EventLog, session: string): Promise<string> {
	const steps = await t.store.read((db) => db.selectFrom("steps").select("data").execute());
	const others = steps.filter(({ data }) => !data.includes('"reply"'));
	const thinking = steps.flatMap(({ data }) => data.match(/\{"type":"thinking"[^}]*\}/g) ?? []);
	const unsigned = thinking.filter((block) => !block.includes('"signature"'));
	const prompts = await t.store.read((db) =>
		db.selectFrom("prompts").select(["request", "scope", "binding"]).execute(),
	);
	const explained = await t.runtime.explain(operator, session);
	return JSON.stringify([log.events, t.log.records, others, unsigned, prompts, explained]);
}

test("people approve a call without seeing the secret in it, and it runs with the secret", async () => {
	const redactor = new Redactor();
	redactor.add(secret);
	const got: unknown[] = [];
	const tool = defineTool<Readonly<Record<string, unknown>>>({
		name: "put",
		description: "Puts.",
		parameters: () => z.record(z.string(), z.unknown()),
		effect: "effectful",
		async plan({ text }) {
			const grant = { kind: "path", tool: "put", root: `/${String(text)}` } as const;
			const shown = {
				label: `put ${String(text)}`,
				preview: `+${String(text)}`,
				notes: [`holds ${String(text)}`],
			};
			return { ...shown, classes: ["write"], binding: { path: "/a" }, grant };
		},
		async run(args) {
			got.push(args);
			return { text: `put ${String(args["text"])}`, failed: false };
		},
	});
	const thinks = [
		{ type: "thinking", text: `hm ${secret}` },
		{ type: "thinking", text: ` signed ${secret}`, signature: "s1" },
	] as const;
	const model = new ScriptedModel(
		[
			{ type: "thinking", text: `quietly ${secret}` },
			says("so "),
			...thinks,
			calls("c1", "put", { text: "plain" }),
		],
		[calls("c2", "put", { text: secret })],
		[calls("c3", "ask_user", { type: "select", label: `${secret}?`, options: [secret, "b"] })],
		[says("ok")],
	);
	await using t = await TestRuntime.open({ model, redactor, tools: [tool, askUser] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const plain = await log.next("prompt.requested");
	expect(plain.prompt.approval?.allowSession).toBe(true);
	await t.runtime.answer(unkeyed(), plain.prompt.token, { value: "session" });
	const { prompt } = await log.next("prompt.requested");
	expect(prompt).toMatchObject({
		label: "Allow put [redacted]?",
		approval: {
			arguments: { text: "[redacted]" },
			preview: "+[redacted]",
			allowSession: false,
			notes: [
				"holds [redacted]",
				"writes a file",
				"[redacted] replaces a secret: the call itself contains the secret",
			],
		},
	});
	await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	const choice = await log.next("prompt.requested");
	expect(choice.prompt).toMatchObject({
		label: "[redacted]?",
		options: [{ value: "[redacted]" }, { value: "b" }],
	});
	await t.runtime.answer(unkeyed(), choice.prompt.token, { value: "b" });
	await log.next("assistant.message");
	log.check();
	expect(got).toEqual([{ text: "plain" }, { text: secret }]);
	expect(await sinks(t, log, session)).not.toContain(secret.slice(4));
	// The provider refuses signed thinking that was changed.
	const blocks = model.requests.at(-1)?.messages.flatMap(({ content }) => [...content]);
	expect(blocks?.filter(({ type }) => type === "thinking")).toEqual([
		{ type: "thinking", text: "quietly [redacted]" },
		{ type: "thinking", text: `hm ${secret} signed ${secret}`, signature: "s1" },
	]);
});

test("changed arguments with the placeholder of a secret are refused, and the question stays open", async () => {
	const redactor = new Redactor();
	redactor.add(secret);
	const got: unknown[] = [];
	const put = defineTool<{ text: string; place: string }>({
		name: "put",
		description: "Puts.",
		parameters: () => z.strictObject({ text: z.string(), place: z.string() }),
		effect: "effectful",
		plan: async () => ({ label: "put", classes: ["write"], preview: "", binding: {}, notes: [] }),
		run: async (given) => {
			got.push(given);
			return { text: "put", failed: false };
		},
	});
	const plain = { text: "plain", place: "a" };
	const model = new ScriptedModel(
		[calls("c1", "put", { text: `key=${secret}`, place: "a" })],
		[calls("c2", "put", plain)],
		[says("done")],
	);
	await using t = await TestRuntime.open({ model, redactor, tools: [put] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	const answer = (text: string) =>
		t.runtime.answer(unkeyed(), prompt.token, { value: true, arguments: { text, place: "b" } });
	await expect(answer("key=[redacted]")).rejects.toThrow(
		"arguments: [redacted] replaces a secret that was not shown",
	);
	await answer("key=none");
	// The displayed call contained no secret, so `[redacted]` is ordinary text here.
	const { token } = (await log.next("prompt.requested")).prompt;
	const changed = { text: "[redacted]", place: "a" };
	await t.runtime.answer(unkeyed(), token, { value: true, arguments: changed });
	await log.next("assistant.message");
	expect(got).toEqual([{ text: "key=none", place: "b" }, changed]);
});

test("a secret that a person types into an answer, or into a reason, is not stored", async () => {
	const redactor = new Redactor();
	redactor.add(secret);
	const model = new ScriptedModel(
		[calls("c1", "ask_user", { type: "text", label: "What?" })],
		[calls("c2", "probe")],
		[says("ok")],
	);
	await using t = await TestRuntime.open({
		model,
		redactor,
		tools: [askUser, probeTool("probe", { classes: ["write"] })],
	});
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	for (const answer of [{ value: `it is ${secret}` }, { value: false, reason: `because ${secret}` }]) {
		const { prompt } = await log.next("prompt.requested");
		await t.runtime.answer(unkeyed(), prompt.token, answer);
	}
	await log.next("assistant.message");
	const answers = await t.store.read((db) => db.selectFrom("prompts").select("answer").execute());
	expect(JSON.stringify(answers)).toContain("because [redacted]");
	expect(JSON.stringify(answers) + (await sinks(t, log, session))).not.toContain(secret.slice(4));
});

test("long changed arguments are cut without a visible part of a secret", async () => {
	const redactor = new Redactor();
	redactor.add(secret);
	const put = defineTool<{ text: string }>({
		name: "put",
		description: "Puts.",
		parameters: () => z.strictObject({ text: z.string() }),
		effect: "effectful",
		plan: async () => ({ label: "put", classes: ["write"], preview: "", binding: {}, notes: [] }),
		run: async () => ({ text: "put", failed: false }),
	});
	const model = new ScriptedModel([calls("c1", "put", { text: "x" })], [says("done")]);
	await using t = await TestRuntime.open({ model, redactor, tools: [put] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	const [before, limit] = ['{"text":"'.length, 4_000];
	const text = `${"x".repeat(limit - before - secret.length / 2)}${secret}`;
	await t.runtime.answer(unkeyed(), prompt.token, { value: true, arguments: { text } });
	const { result } = await log.next("tool.completed");
	expect(result).toContain("changed the arguments");
	expect(result).not.toContain(secret.slice(0, 5));
	await log.next("assistant.message");
});

test("the name of a file from a tool contains no secret", async () => {
	const redactor = new Redactor();
	redactor.add(secret);
	const sends = calls("c1", "send_file", { path: "report.txt", name: `${secret}.txt` });
	await using t = await TestRuntime.open({ model: new ScriptedModel([sends], [says("done")]), redactor });
	await writeFile(join(t.directory, "work", "report.txt"), "figures");
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "send me the report");
	await expect(log.next("file.created")).resolves.toMatchObject({ file: { name: "[redacted].txt" } });
	await log.next("assistant.message");
});
