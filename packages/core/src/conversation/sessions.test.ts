import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { testConnector } from "../testing/test-connector.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { operator, type Principal } from "../vocabulary/principal.ts";

const connector = testConnector("owner", "connector:1");
const other = testConnector("owner", "connector:2");
const observer: Principal = { id: "observer:1", kind: "observer" };

test.each([
	"sess_0000000000000000000000000a",
	"sess_",
	"SESS_a",
	"../sess_a",
	"sess_a/../b",
	"sess_a\n",
	"sess_%",
	"",
	" ",
	"0b7d5b9e-0000-4000-8000-00000000000",
	"0b7d5b9e-0000-4000-8000-000000000001",
	"x".repeat(1_000),
])("%j is not a session", async (id) => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	await t.create();
	const asking = [
		() => EventLog.join(t.runtime, id),
		() => t.send(id, "hi"),
		() => t.runtime.cancel(unkeyed(), id),
		() => t.runtime.acceptAll(unkeyed(), id),
		() => t.runtime.history.messages(operator, id, { limit: 1 }),
		() => t.runtime.history.newest(operator, { limit: 1, sessionId: id }),
	];
	for (const ask of asking) {
		await expect(ask()).rejects.toMatchObject({ code: "not_found", message: `session not found: ${id}` });
	}
});

test("objects of another principal look like missing ones", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("hi")]) });
	const foreign = await t.create(connector);
	const log = await EventLog.join(t.runtime, foreign, { afterSeq: 0, principal: connector });
	await t.runtime.send(unkeyed(connector), foreign, { content: "hello" });
	await log.next("assistant.message");
	for (const principal of [other, observer]) {
		await expect(EventLog.join(t.runtime, foreign, { principal })).rejects.toMatchObject({
			code: "not_found",
		});
		await expect(t.runtime.send(unkeyed(principal), foreign, { content: "x" })).rejects.toMatchObject({
			code: "not_found",
		});
		expect(await t.runtime.list(principal, { limit: 10 })).toEqual([]);
		expect(await t.runtime.history.newest(principal, { limit: 10 })).toEqual([]);
	}
	expect(await t.runtime.list(operator, { limit: 10 })).toHaveLength(1);
	expect(await t.runtime.history.newest(operator, { limit: 10 })).toHaveLength(5);
});

test("a connector's task refuses messages in its session, and only its connector and the operator learn why", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("counted")]) });
	await t.runtime.start();
	const session = await t.create(connector);
	const log = await EventLog.join(t.runtime, session, { principal: connector });
	const task = { title: "Count", description: "the stars" };
	const { id } = await t.runtime.tasks.submit(unkeyed(connector), session, task);
	await log.next("task.completed");
	const { ownSessionId } = await t.runtime.tasks.check(operator, id);
	const send = (principal: Principal) =>
		t.runtime.send(unkeyed(principal), ownSessionId, { content: "hello" });
	for (const principal of [operator, connector]) {
		await expect(send(principal)).rejects.toMatchObject({
			code: "failed_precondition",
			message: expect.stringContaining(`this session belongs to the task ${id}`),
		});
	}
	for (const principal of [other, observer]) {
		await expect(send(principal)).rejects.toMatchObject({ code: "not_found" });
	}
});

test("an observer may not open a session, and the model may not do any of these actions", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const agent: Principal = { id: "agent", kind: "agent" };
	for (const principal of [observer, agent]) {
		await expect(t.create(principal)).rejects.toMatchObject({ code: "permission_denied" });
	}
	await expect(t.runtime.list(agent, { limit: 1 })).rejects.toMatchObject({ code: "permission_denied" });
	await expect(t.runtime.history.newest(agent, { limit: 1 })).rejects.toMatchObject({
		code: "permission_denied",
	});
});

test("only principals that see a question can answer it", async () => {
	const model = new ScriptedModel([calls("c1", "edit")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [probeTool("edit", { classes: ["write"] })] });
	const session = await t.create(connector);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0, principal: connector });
	await t.runtime.send(unkeyed(connector), session, { content: "go" });
	const { prompt } = await log.next("prompt.requested");
	for (const response of [{ value: true }, { cancelled: true }]) {
		await expect(t.runtime.answer(unkeyed(other), prompt.token, response)).rejects.toMatchObject({
			code: "not_found",
		});
	}
	await t.runtime.answer(unkeyed(connector), prompt.token, { value: true });
	await expect(log.next("prompt.answered")).resolves.toMatchObject({ by: "discord:guild:ada", value: true });
	await log.next("assistant.message");
	log.check();
});

test("the first answer is used, later ones change nothing, and unknown questions are reported", async () => {
	const model = new ScriptedModel([calls("c1", "edit")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [probeTool("edit", { classes: ["write"] })] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await Promise.all([
		t.runtime.answer(unkeyed(), prompt.token, { value: true }),
		t.runtime.answer(unkeyed(), prompt.token, { cancelled: true }),
		t.runtime.answer(unkeyed(), prompt.token, { value: "session" }),
	]);
	await log.next("tool.completed");
	await log.next("assistant.message");
	await t.runtime.answer(unkeyed(), prompt.token, { value: false });
	log.check();
	for (const token of ["prompt_1", "", "%"]) {
		await expect(t.runtime.answer(unkeyed(), token, { value: true })).rejects.toMatchObject({
			code: "not_found",
			message: "prompt not found",
		});
	}
});

test("messages are returned in pages, starting with the newest", async () => {
	const model = new ScriptedModel(...[1, 2, 3, 4].map((n) => [says(`answer ${n}`)]));
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	for (let n = 1; n <= 4; n++) {
		await t.send(session, `question ${n}`);
		await log.next("assistant.message");
	}
	const page = async (limit: number, beforeSeq?: number) => {
		const before = beforeSeq === undefined ? {} : { beforeSeq };
		const messages = await t.runtime.history.messages(operator, session, { limit, ...before });
		return messages.map(({ event }) => ("content" in event ? event.content : ""));
	};
	expect(await page(3)).toEqual(["answer 3", "question 4", "answer 4"]);
	const [oldest] = await t.runtime.history.messages(operator, session, { limit: 3 });
	expect(await page(3, oldest?.seq)).toEqual(["question 2", "answer 2", "question 3"]);
	expect(await page(10, 3)).toEqual(["question 1"]);
	expect(await page(10, 1)).toEqual([]);
});

test("sessions are listed with the newest first", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("hi")]) });
	const ids = [];
	for (let n = 0; n < 3; n++) {
		ids.push(await t.create());
		t.clock.advance(1_000);
	}
	const [first, second, third] = ids;
	const log = await EventLog.join(t.runtime, first ?? "");
	await t.send(first ?? "", "hello");
	await log.next("assistant.message");
	expect((await t.runtime.list(operator, { limit: 10 })).map(({ id }) => id)).toEqual([first, third, second]);
	expect(await t.runtime.list(operator, { limit: 2 })).toHaveLength(2);
});

test("joining and leaving do not change the time of a session", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const session = await t.create();
	const created = t.clock.now();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	t.clock.advance(1_000);
	await log.leave();
	const events = await t.runtime.history.newest(operator, { limit: 10, sessionId: session });
	expect(events.at(-1)).toMatchObject({ at: created + 1_000, event: { type: "session.closed" } });
	expect(await t.runtime.list(operator, { limit: 1 })).toMatchObject([
		{ status: "closed", updatedAt: created },
	]);
});

test("the last 16 sessions that clients have left stay in memory, and an older one is read again", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const following = { afterSeq: undefined, deliver: () => undefined, drained: () => Promise.resolve() };
	const ids: string[] = [];
	for (let n = 0; n < 17; n++) {
		const id = await t.create();
		ids.push(id);
		await (await t.runtime.follow(operator, id, following)).leave();
		await t.settle();
	}
	expect(t.runtime.loaded).toBe(0);
	// Sessions in memory do not notice this change.
	await t.store.commit((tx) => tx.updateTable("sessions").set({ model: "changed" }).execute());
	const models = [];
	for (const id of [ids[16], ids[1], ids[0]]) {
		const follower = await t.runtime.follow(operator, id ?? "", following);
		models.push(follower.model);
		await follower.leave();
	}
	expect(models).toEqual([undefined, undefined, "changed"]);
});

test("an idle session that was deleted is unknown", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await log.leave();
	await t.settle();
	await t.runtime.remove(unkeyed(), session, false);
	await expect(EventLog.join(t.runtime, session)).rejects.toMatchObject({ code: "not_found" });
});
