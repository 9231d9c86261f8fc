import { calls, ScriptedModel, says } from "@parley/core/testing";
import { expect, test, vi } from "vitest";
import { ZotSetup } from "../../testing/zot-setup.ts";

const hour = 60 * 60 * 1000;
const prompt = (id: string) => ({ id, type: "prompt", message: id });

test("clear deletes the conversation, and keeps the model and its reasoning level", async () => {
	const model = new ScriptedModel([says("1")], [says("2")]);
	await using setup = await ZotSetup.open({ model });
	setup.send(
		{ id: "m", type: "set_model", model: "other" },
		{ id: "r", type: "set_reasoning", reasoning: "low" },
	);
	setup.send(prompt("p1"));
	await setup.waitFor("done");
	expect(await setup.ask({ id: "c", type: "clear" })).toMatchObject({ success: true });
	expect(await setup.ask({ id: "g", type: "get_state" })).toMatchObject({
		data: { model: "other", reasoning: "low", message_count: 0, usage: { input: 10 } },
	});
	setup.send(prompt("p2"));
	await setup.waitFor("done", 2);
	expect(model.requests.map((request) => [request.model, request.messages.length])).toEqual([
		["other", 1],
		["other", 1],
	]);
	// The earlier session was deleted.
	expect(
		await setup.t.runtime.list({ id: "operator", kind: "operator", via: "test" }, { limit: 9 }),
	).toHaveLength(1);
});

test("the state is returned without a new read of the conversation if there is no new message", async () => {
	await using setup = await ZotSetup.open({ model: new ScriptedModel([says("1")], [says("2")]) });
	const read = vi.spyOn(setup.t.runtime, "transcript");
	let reads = 0;
	const states = async (): Promise<unknown> => {
		const state = await setup.ask({ id: `g${reads++}`, type: "get_state" });
		return [state.success && Object(state.data).message_count, read.mock.calls.length];
	};
	expect(await states()).toEqual([0, 1]);
	expect(await states()).toEqual([0, 1]);
	setup.send(prompt("p1"));
	await setup.waitFor("done");
	expect(await states()).toEqual([2, 2]);
	read.mockRejectedValueOnce(new Error("the disk is full"));
	setup.send(prompt("p2"));
	await setup.waitFor("done", 2);
	expect(await setup.ask({ id: "e", type: "get_state" })).toMatchObject({ success: false });
	expect(await states()).toEqual([4, 4]);
	expect(await states()).toEqual([4, 4]);
	await setup.ask({ id: "c", type: "clear" });
	expect(await states()).toEqual([0, 5]);
});

test("calls run without approval during the life of the process", async () => {
	const call = (id: string) => [calls(id, "bash", { command: "echo hi" })];
	const days = ["0", "1", "2"];
	const model = new ScriptedModel(...days.flatMap((id) => [call(id), [says("ok")]]));
	await using setup = await ZotSetup.open({ model });
	for (const [at, id] of days.entries()) {
		setup.send(prompt(id));
		await setup.waitFor("done", at + 1);
		setup.t.clock.advance(9 * hour);
	}
	const results = setup.frames.filter((frame) => frame.type === "tool_result");
	expect(results.map(({ is_error }) => is_error)).toEqual([false, false, false]);
});

test("calls run without approval in a prompt that begins shortly before the grant would end", async () => {
	const call = (id: string) => [calls(id, "bash", { command: "echo hi" })];
	const late = async function* () {
		setup.t.clock.advance(20 * 60 * 1000);
		yield* call("2");
		yield { type: "end", stop: "tool_use", model: "scripted", usage } as const;
	};
	const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
	const model = new ScriptedModel(call("1"), [says("ok")], late, [says("ok")]);
	await using setup = await ZotSetup.open({ model });
	setup.send(prompt("p1"));
	await setup.waitFor("done");
	setup.t.clock.advance(8 * hour - 10 * 60 * 1000);
	setup.send(prompt("p2"));
	await setup.waitFor("done", 2);
	const results = setup.frames.filter((frame) => frame.type === "tool_result");
	expect(results.map(({ is_error }) => is_error)).toEqual([false, false]);
});
