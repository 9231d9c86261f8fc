import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../testing/scripted-model.ts";
import { unkeyed } from "../testing/test-runtime.ts";
import { builtinTools } from "../tools/builtin.ts";
import { operator } from "../vocabulary/principal.ts";
import { noUsage } from "../vocabulary/usage.ts";
import { UndoSetup, write } from "./testing/undo-setup.ts";

test("a turn whose writes failed or changed nothing has no changes to undo", async () => {
	await using setup = await UndoSetup.start(
		[write("a", "a.txt", "agent")],
		[says("done")],
		[write("b", "a.txt", "agent")],
		[says("done again")],
	);
	await setup.put("a.txt", "before");
	await setup.turn("first");
	await setup.turn("second");
	expect((await setup.changes())?.message).toBe("first");
	await setup.undo();
	expect(await setup.read("a.txt")).toBe("before");
});

test("a model cannot repeat an undo, not even in the run of the undo", async () => {
	const repeats: ScriptedReply = async function* ({ messages }) {
		const [, turn = ""] = /"turn":"(run_[^"]*)"/.exec(JSON.stringify(messages)) ?? [];
		yield calls("again", "undo_changes", { turn, partly: true });
		yield { type: "end", stop: "tool_use", usage: noTokens, model: "scripted-1" };
	};
	await using setup = await UndoSetup.start(
		[write("a", "mine.txt", "agent"), write("b", "other.txt", "agent")],
		[says("done")],
		repeats,
		[says("done")],
	);
	await setup.turn();
	await setup.startUndo();
	const { prompt } = await setup.log.next("prompt.requested");
	await setup.t.runtime.steer(unkeyed(), setup.session, { content: "hurry" });
	await setup.put("mine.txt", "by hand");
	await setup.t.runtime.answer(unkeyed(), prompt.token, { value: true });
	expect((await setup.log.next("tool.failed")).error).toContain("mine.txt: changed since the turn");
	expect(await setup.log.next("tool.failed", "tool.completed", "prompt.requested")).toMatchObject({
		error: expect.stringContaining("only the operator can undo"),
	});
	await setup.log.next("assistant.message");
	expect(await setup.read("other.txt")).toBe("agent");
});

const noTokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

test("a file that the approval excludes is not undone, even if it has the content of the turn again", async () => {
	await using setup = await UndoSetup.start(
		[write("a", "mine.txt", "agent"), write("b", "other.txt", "agent")],
		[says("done")],
	);
	await setup.turn();
	await setup.put("mine.txt", "by hand");
	await setup.startUndo(true);
	const { prompt } = await setup.log.next("prompt.requested");
	expect(prompt.approval?.notes?.join()).toContain("leaves mine.txt: changed since the turn");
	await setup.put("mine.txt", "agent");
	await setup.t.runtime.answer(unkeyed(), prompt.token, { value: true });
	const { result } = await setup.log.next("tool.completed");
	expect(result).toContain("- deleted other.txt");
	expect(result).toContain("- left mine.txt");
	expect(await setup.read("mine.txt")).toBe("agent");
});

test("a refusal reports the files that are already restored", async () => {
	await using setup = await UndoSetup.start(
		[write("a", "one.txt", "agent"), write("b", "two.txt", "agent")],
		[says("done")],
	);
	await setup.put("one.txt", "before");
	await setup.turn();
	await setup.put("one.txt", "before");
	await setup.put("two.txt", "by hand");
	expect((await setup.undo()).result).toMatch(/No further file was restored.*two\.txt: changed since/s);
});

test("the result names a change from outside the turn that the undo also reverts", async () => {
	const changed = Promise.withResolvers<void>();
	await using setup = await UndoSetup.start(
		[write("a", "a.txt", "one")],
		async function* () {
			// The second write is bound to the content of the file at its approval.
			await changed.promise;
			yield write("b", "a.txt", "two");
			yield { type: "end", stop: "tool_use", usage: noUsage, model: "scripted-1" };
		},
		[says("done")],
	);
	await setup.put("a.txt", "before");
	await setup.t.runtime.send(unkeyed(), setup.session, { content: "go" });
	await setup.approveNext();
	await setup.log.next("tool.completed");
	await setup.put("a.txt", "by hand");
	changed.resolve();
	await setup.untilEnd();
	const { result } = await setup.undo();
	expect(result).toContain("a.txt was also changed by something else during the turn");
});

test("the result names calls of a client's tools, whose changes are not undone", async () => {
	await using setup = await UndoSetup.start(
		[write("a", "a.txt", "agent"), calls("b", "format", {})],
		[says("done")],
	);
	const { t, session } = setup;
	const client = await t.runtime.clientTools.connect(operator, session, {
		request({ callId }) {
			client.answer(callId, { success: true, text: "ok" });
		},
	});
	client.register({
		tools: [{ name: "format", description: "Formats.", parameters: { type: "object", properties: {} } }],
	});
	await setup.turn();
	expect((await setup.changes())?.ranCommands).toBe(true);
	expect((await setup.undo()).result).toContain("Their changes are not undone");
});

test.each(["web_fetch", "web_search"])(
	"a call of %s is not reported as a command of the turn",
	async (name) => {
		const model = new ScriptedModel([write("a", "a.txt", "agent"), calls("b", name, {})], [says("done")]);
		await using setup = await UndoSetup.with(model, { tools: [...builtinTools(), probeTool(name)] });
		await setup.turn();
		expect(await setup.changes()).toMatchObject({ ranCommands: false });
	},
);

test("the paths of file changes contain no secret", async () => {
	const redactor = new Redactor();
	redactor.add("hunter2");
	const model = new ScriptedModel([write("a", "key-hunter2.txt", "agent")], [says("done")]);
	await using setup = await UndoSetup.with(model, { redactor });
	await setup.turn();
	const changes = await setup.changes();
	expect(changes?.files).toHaveLength(1);
	expect(JSON.stringify(changes)).not.toContain("hunter2");
});

test("content that cannot be decrypted is refused with this reason", async () => {
	await using setup = await UndoSetup.start([write("a", "a.txt", "agent")], [says("done")]);
	await setup.put("a.txt", "before");
	await setup.turn();
	await setup.t.store.commit(async (tx) => {
		const { content } = await tx.selectFrom("file_changes").select("content").executeTakeFirstOrThrow();
		await tx
			.updateTable("file_changes")
			.set({ content: `${content?.slice(0, -8)}AAAAAAAA` })
			.execute();
	});
	expect((await setup.undo()).result).toContain("a.txt: its stored content cannot be read");
	expect(await setup.read("a.txt")).toBe("agent");
});
