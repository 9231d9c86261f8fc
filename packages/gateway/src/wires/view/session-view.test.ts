import { operator, type SessionEvent } from "@parley/core";
import { calls, probeTool, ScriptedModel, says, stuck, TestRuntime, unkeyed } from "@parley/core/testing";
import { expect, test } from "vitest";
import { SessionView } from "./session-view.ts";

async function join(t: TestRuntime, sessionId: string, afterSeq?: number) {
	const events: SessionEvent[] = [];
	const view = await SessionView.join(t.runtime, sessionId, {
		principal: operator,
		afterSeq,
		deliver: (event) => void events.push(event),
		drained: () => Promise.resolve(),
	});
	const types = (): string[] => events.filter(({ transient }) => !transient).map(({ event }) => event.type);
	const waitFor = async (type: SessionEvent["event"]["type"]): Promise<SessionEvent["event"]> => {
		for (;;) {
			const found = events.find(({ event }) => event.type === type);
			if (found) return found.event;
			await t.settle();
		}
	};
	return { view, types, waitFor };
}

test("a client creates a session, joins it, sends a message, answers its prompt and leaves", async () => {
	const model = new ScriptedModel([calls("c1", "tool")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [probeTool("tool", { classes: ["write"] })] });
	const { id, status } = await SessionView.create(t.runtime, unkeyed(), {});
	expect(status).toBe("created");
	const { view, types, waitFor } = await join(t, id, 0);
	expect([view.id, view.lastSeq, view.seq, view.model]).toEqual([id, 1, 1, undefined]);
	expect(types()).toEqual([]);
	await view.begin();
	const { queuedPosition } = await view.send(unkeyed(), { content: "go" });
	expect(queuedPosition).toBe(0);
	const requested = await waitFor("prompt.requested");
	const token = requested.type === "prompt.requested" ? requested.prompt.token : "";
	expect(await view.answer(unkeyed(), token, { value: true })).toBe(true);
	expect(await view.answer(unkeyed(), token, { value: true })).toBe(false);
	await waitFor("assistant.message");
	expect(types().slice(0, 2)).toEqual(["session.created", "user.message"]);
	expect(view.seq).toBeGreaterThan(view.lastSeq);
	const count = types().length;
	await view.leave();
	await t.send(id, "more");
	expect(types()).toHaveLength(count);
});

test("a message can have options of its run", async () => {
	const model = new ScriptedModel([calls("c1", "look")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [probeTool("look", { classes: ["read"] })] });
	const { id } = await SessionView.create(t.runtime, unkeyed(), {});
	const { view, waitFor } = await join(t, id);
	await view.begin();
	await view.send(unkeyed(), { content: "go" }, { ask: "all" });
	expect(await waitFor("prompt.requested")).toMatchObject({ prompt: { approval: { tool: "look" } } });
	await view.leave();
});

test("a busy session queues the next message, and each run is cancelled by its id", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel(stuck("..."), [says("second")]) });
	const { id } = await SessionView.create(t.runtime, unkeyed(), {});
	const { view, waitFor } = await join(t, id);
	await view.begin();
	const first = await view.send(unkeyed(), { content: "one" });
	const second = await view.send(unkeyed(), { content: "two" });
	expect([first.queuedPosition, second.queuedPosition]).toEqual([0, 1]);
	expect(await view.cancel(unkeyed(), { runId: first.runId })).toEqual({ status: "cancelled" });
	expect(await waitFor("assistant.message")).toMatchObject({ runId: first.runId, error: "cancelled" });
	await view.leave();
});

test("an unknown session cannot be joined", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	await expect(join(t, "sess_none")).rejects.toMatchObject({ code: "not_found" });
});
