import { expect, test } from "vitest";
import { calls, type ScriptedReply, says } from "../testing/scripted-model.ts";
import { unkeyed } from "../testing/test-runtime.ts";
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
