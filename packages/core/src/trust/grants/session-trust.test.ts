import type { Store } from "@parley/base";
import { storeWith } from "@parley/base/testing";
import { expect, test } from "vitest";
import type { Tables } from "../../store/tables.ts";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../../testing/scripted-model.ts";
import { testConnector } from "../../testing/test-connector.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { operator } from "../../vocabulary/principal.ts";
import { isTrustValid } from "./session-trust.ts";

const minute = 60_000;
const hour = 60 * minute;
const edit = probeTool("edit", { classes: ["write"] });

test.each<[string, number, number | undefined, boolean]>([
	["a client is connected", 5_000, undefined, true],
	["the last client has just left", 5_000, 4_999, true],
	["no client for 60 seconds", 60_000, 0, true],
	["no client for more than 60 seconds", 60_001, 0, false],
	["before its end", 99_999, undefined, true],
	["at its end", 100_000, undefined, false],
])("trust is valid or has ended: %s", (_, now, absentSince, isValid) => {
	expect(isTrustValid({ id: "grant_1", expiresAt: 100_000 }, now, absentSince)).toBe(isValid);
	expect(isTrustValid(undefined, now, absentSince)).toBe(false);
});

/** Returns the number of approval requests of a run, and approves each request. */
async function asks(t: TestRuntime, log: EventLog, session: string): Promise<number> {
	await t.send(session, "go");
	for (let times = 0; ; times++) {
		const event = await log.next("prompt.requested", "assistant.message");
		if (event.type === "assistant.message") return times;
		await t.runtime.answer(unkeyed(), event.prompt.token, { value: true });
	}
}

const replies = (runs: number) =>
	Array.from({ length: runs }, (_, n) => [[calls(`c${n}`, "edit")], [says("done")]]).flat();

test("a trusted session needs no approvals for eight hours", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel(...replies(4)), tools: [edit] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	expect(await asks(t, log, session)).toBe(1);
	await t.runtime.acceptAll(unkeyed(), session);
	expect(await asks(t, log, session)).toBe(0);
	t.clock.advance(8 * hour - 1);
	expect(await asks(t, log, session)).toBe(0);
	t.clock.advance(1);
	expect(await asks(t, log, session)).toBe(1);
	log.check();
});

test("withdrawn trust ends with an event, and can be given again", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel(...replies(2)), tools: [edit] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.acceptAll(unkeyed(), session);
	for (let time = 0; time < 2; time++) await t.runtime.trust.endAcceptAll(operator, session);
	expect(await asks(t, log, session)).toBe(1);
	const [grant] = await t.store.read((db) => db.selectFrom("grants").selectAll().execute());
	expect(grant?.ended_at).toBe(t.clock.now());
	const entries = await t.runtime.trust.auditLog.read(operator, { limit: 100 });
	const ends = entries.filter(({ action }) => action === "accept_all.end");
	expect(ends).toEqual([expect.objectContaining({ principal: "operator", decision: "ended" })]);
	await t.runtime.acceptAll(unkeyed(), session);
	expect(await asks(t, log, session)).toBe(0);
});

test("trust stays if a client returns within 60 seconds, and ends otherwise", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel(...replies(3)), tools: [edit] });
	const session = await t.create();
	let log = await EventLog.join(t.runtime, session);
	await t.runtime.acceptAll(unkeyed(), session);
	await log.leave();
	t.clock.advance(minute);
	log = await EventLog.join(t.runtime, session);
	expect(await asks(t, log, session)).toBe(0);
	await log.leave();
	t.clock.advance(minute + 1);
	log = await EventLog.join(t.runtime, session);
	expect(await asks(t, log, session)).toBe(1);
	const [grant] = await t.store.read((db) => db.selectFrom("grants").selectAll().execute());
	expect(grant?.ended_at).toBe(t.clock.now());
});

test("a restart does not end trust, and the time without clients includes it", async () => {
	const model = new ScriptedModel(...replies(2));
	const t = await TestRuntime.open({ model, tools: [edit] });
	const session = await t.create();
	await EventLog.join(t.runtime, session);
	await t.runtime.acceptAll(unkeyed(), session);
	await t.stop();
	t.clock.advance(hour);
	const again = await TestRuntime.open({ model, tools: [edit], directory: t.directory, clock: t.clock });
	await again.runtime.start();
	t.clock.advance(minute);
	const log = await EventLog.join(again.runtime, session);
	expect(await asks(again, log, session)).toBe(0);
	await again.stop();
	await using last = await TestRuntime.open({ model, tools: [edit], directory: t.directory, clock: t.clock });
	await last.runtime.start();
	t.clock.advance(minute + 1);
	const late = await EventLog.join(last.runtime, session);
	expect(await asks(last, late, session)).toBe(1);
});

test("a client that the stopping gateway disconnects has not left", async () => {
	const model = new ScriptedModel(...replies(1));
	const t = await TestRuntime.open({ model, tools: [edit] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.runtime.acceptAll(unkeyed(), session);
	await t.runtime.drain(0);
	await log.leave();
	await t.stop();
	t.clock.advance(hour);
	await using again = await TestRuntime.open({
		model,
		tools: [edit],
		directory: t.directory,
		clock: t.clock,
	});
	t.clock.advance(minute);
	const back = await EventLog.join(again.runtime, session);
	expect(await asks(again, back, session)).toBe(0);
});

test("a client that left before a restart gets no additional time", async () => {
	const model = new ScriptedModel(...replies(1));
	const t = await TestRuntime.open({ model, tools: [edit] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.runtime.acceptAll(unkeyed(), session);
	await log.leave();
	await t.stop();
	t.clock.advance(minute + 1);
	await using again = await TestRuntime.open({
		model,
		tools: [edit],
		directory: t.directory,
		clock: t.clock,
	});
	const back = await EventLog.join(again.runtime, session);
	expect(await asks(again, back, session)).toBe(1);
});

test("a planned approval is not requested if trust makes it unnecessary", async () => {
	let trust = (): Promise<void> | undefined => undefined;
	const wrap = (store: Store<Tables>): Store<Tables> =>
		storeWith(store, {
			commit: async (command) => {
				await trust();
				return store.commit(command);
			},
		});
	await using t = await TestRuntime.open({ model: new ScriptedModel(...replies(1)), tools: [edit], wrap });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	trust = () => {
		// Grants the trust in the next commit after the reply was recorded. That commit would create the approval request.
		if (!log.recorded.includes("model.called")) return undefined;
		trust = () => undefined;
		return t.runtime.acceptAll(unkeyed(), session);
	};
	expect(await asks(t, log, session)).toBe(0);
	log.check();
	expect(log.recorded).toContain("tool.completed");
	expect(log.recorded).not.toContain("prompt.requested");
	const prompts = await t.store.read((db) => db.selectFrom("prompts").selectAll().execute());
	expect(prompts).toEqual([]);
});

test("a run keeps the trust from its start, and a later run does not", async () => {
	const gate = Promise.withResolvers<void>();
	const slow = probeTool("slow", { run: () => gate.promise.then(() => "slept") });
	const model = new ScriptedModel(
		[calls("c0", "slow")],
		[calls("c1", "edit")],
		[says("done")],
		[calls("c2", "edit")],
		[says("done")],
	);
	await using t = await TestRuntime.open({ model, tools: [edit, slow] });
	const session = await t.create();
	let log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.acceptAll(unkeyed(), session);
	await t.send(session, "go");
	await log.next("tool.started");
	await log.leave();
	t.clock.advance(10 * minute);
	log = await EventLog.join(t.runtime, session);
	gate.resolve();
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "done", error: "" });
	expect(log.recorded).not.toContain("prompt.requested");
	expect(await asks(t, log, session)).toBe(1);
});

test("trust answers open approvals, but no other questions", async () => {
	const ask = probeTool("ask", {
		run: async (context) => {
			const answer = await context.ask({
				type: "text",
				label: "Who?",
				options: [],
				required: true,
				validation: "",
			});
			return answer.outcome;
		},
	});
	const model = new ScriptedModel([calls("c1", "edit")], [calls("c2", "ask")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [edit, ask] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const approval = await log.next("prompt.requested");
	await t.runtime.acceptAll(unkeyed(), session);
	await expect(log.next("prompt.answered")).resolves.toEqual({
		type: "prompt.answered",
		token: approval.prompt.token,
		value: true,
		cancelled: false,
		by: "operator",
	});
	const question = await log.next("prompt.requested");
	await t.runtime.acceptAll(unkeyed(), session);
	await t.settle();
	expect(log.recorded.at(-1)).toBe("prompt.requested");
	await t.runtime.answer(unkeyed(), question.prompt.token, { value: "me" });
	await log.next("assistant.message");
	log.check();
});

test("trust in one session has no effect in another", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel(...replies(1)), tools: [edit] });
	const [trusted, other] = [await t.create(), await t.create()];
	await EventLog.join(t.runtime, trusted);
	await t.runtime.acceptAll(unkeyed(), trusted);
	const log = await EventLog.join(t.runtime, other);
	expect(await asks(t, log, other)).toBe(1);
});

test("only the operator can give trust", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const connector = testConnector();
	const session = await t.create(connector);
	await expect(t.runtime.acceptAll(unkeyed(connector), session)).rejects.toMatchObject({
		code: "permission_denied",
	});
});
