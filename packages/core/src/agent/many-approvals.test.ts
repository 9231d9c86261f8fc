import { noFailpoints } from "@parley/base";
import { expect, test } from "vitest";
import { fromRow } from "../store/journal.ts";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { testConnector } from "../testing/test-connector.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../testing/test-runtime.ts";
import { noChat } from "../vocabulary/chat-settings.ts";
import { operator, type Principal } from "../vocabulary/principal.ts";
import type { Prompt } from "../vocabulary/prompt.ts";

const adaId = "discord:guild:ada";
const { person, ...connector } = testConnector("member");
/** Chat user. The current role of this user is read when a call of the run starts. */
const ada: Principal = { ...connector, ...(person && { person: { ...person, platformRoles: [] } }) };

async function threeOpen(options: Partial<TestRuntimeOptions> = {}, principal: Principal = operator) {
	const ran: string[] = [];
	const run = async ({ callId }: { readonly callId: string }) => `${ran.push(callId)}`;
	const tools = [probeTool("edit", { classes: ["write"], grantRoot: "/w", run })];
	const reply = ["c1", "c2", "c3"].map((id) => calls(id, "edit"));
	const model = new ScriptedModel(reply, [says("done")]);
	const chat = { ...noChat, tenants: { discord: ["guild"] } };
	const t = await TestRuntime.open({ model, tools, chat, ...options });
	await t.runtime.trust.people.setRole(unkeyed(), adaId, "member");
	const session = await t.create(principal);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.send(unkeyed(principal), session, { content: "go" });
	const prompts: Prompt[] = [];
	for (let n = 0; n < 3; n++) prompts.push((await log.next("prompt.requested")).prompt);
	const [first = "", second = "", third = ""] = prompts.map(({ token }) => token);
	return { t, model, tools, session, log, ran, tokens: [first, second, third] as const };
}

test("calls that are denied at the same moment each get their own result", async () => {
	const { t, log, ran, tokens } = await threeOpen();
	await using _ = t;
	const deny = (token: string) => t.runtime.answer(unkeyed(), token, { cancelled: true });
	await expect(Promise.all(tokens.map(deny))).resolves.toEqual([true, true, true]);
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		error: expect.stringContaining("denied 3"),
	});
	const failed = log.events.flatMap(({ event }) => (event.type === "tool.failed" ? [event.callId] : []));
	expect(failed.sort()).toEqual(["c1", "c2", "c3"]);
	expect(t.log.records.filter(({ level }) => level === "error")).toEqual([]);
	expect(ran).toEqual([]);
	log.check();
});

test("an answer for the session does not approve an expired prompt", async () => {
	const { t, log, ran, tokens } = await threeOpen();
	await using _ = t;
	const [first, second, third] = tokens;
	const now = t.clock.now();
	await t.store.commit((tx) =>
		tx.updateTable("prompts").set({ expires_at: now }).where("token", "=", second).execute(),
	);
	await t.runtime.answer(unkeyed(), first, { value: "session" });
	await expect(log.next("prompt.answered")).resolves.toMatchObject({ token: first });
	await expect(log.next("prompt.answered")).resolves.toMatchObject({ token: third });
	await t.runtime.answer(unkeyed(), second, { value: true });
	await expect(log.next("tool.failed")).resolves.toMatchObject({ callId: "c2" });
	await log.next("assistant.message");
	expect(ran).toEqual(["c1", "c3"]);
	log.check();
});

test("one of several open prompts expires alone, and the others can still be answered", async () => {
	const earlier = await threeOpen();
	const { model, tools, session, tokens, ran } = earlier;
	const { directory, clock, store } = earlier.t;
	const [first, second, third] = tokens;
	await store.commit(async (tx) => {
		const row = tx.selectFrom("prompts").select("request").where("token", "=", second);
		const { request } = await row.executeTakeFirstOrThrow();
		const expires_at = clock.now() + 60_000;
		const sooner = JSON.stringify({ ...fromRow<Prompt>(request), expiresAt: expires_at });
		await tx
			.updateTable("prompts")
			.set({ request: sooner, expires_at })
			.where("token", "=", second)
			.execute();
	});
	await earlier.t.stop();
	await using t = await TestRuntime.open({ model, tools, directory, clock });
	await t.runtime.start();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.settle();
	clock.advance(60_000);
	const expired = { token: second, reason: "expired" };
	await expect(log.next("prompt.closed")).resolves.toMatchObject(expired);
	await expect(log.next("tool.failed")).resolves.toMatchObject({ callId: "c2" });
	await expect(t.runtime.answer(unkeyed(), second, { value: true })).resolves.toBe(false);
	await t.runtime.answer(unkeyed(), third, { value: true });
	await t.runtime.answer(unkeyed(), first, { value: true });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "done", error: "" });
	expect(ran).toEqual(["c1", "c3"]);
	log.check();
});

test("a call that the rules deny when it starts does not run, with any answer", async () => {
	const { t, session, log, ran, tokens } = await threeOpen({}, ada);
	await using _ = t;
	const [first, second, third] = tokens;
	for (const token of [second, third]) await t.runtime.answer(unkeyed(), token, { value: true });
	await t.runtime.trust.people.setRole(unkeyed(), adaId, "guest");
	await t.runtime.answer(unkeyed(), first, { value: true });
	for (const callId of ["c1", "c2", "c3"]) {
		const error = expect.stringContaining(
			"denied: this request may only read, because one of its senders is a guest",
		);
		await expect(log.next("tool.failed", "tool.completed")).resolves.toMatchObject({ callId, error });
	}
	await log.next("assistant.message");
	expect(ran).toEqual([]);
	const { calls: explained } = await t.runtime.explain(operator, session);
	const reason = expect.stringContaining("guest");
	expect(explained).toMatchObject(explained.map(() => ({ decision: "refused", reason, outcome: "none" })));
	log.check();
});

test("a cancellation during an answer ends the run, and the approved call does not run", async () => {
	const answered = Promise.withResolvers<void>();
	const release = Promise.withResolvers<void>();
	const failpoints = {
		...noFailpoints,
		reach: async (name: string) => {
			if (name !== "answered") return;
			answered.resolve();
			await release.promise;
		},
	};
	const { t, session, log, ran, tokens } = await threeOpen({ failpoints });
	await using _ = t;
	const answer = t.runtime.answer(unkeyed(), tokens[0], { value: true });
	// The answer is stored, but the run has not read it yet.
	await answered.promise;
	await t.runtime.cancel(unkeyed(), session);
	release.resolve();
	await expect(answer).resolves.toBe(true);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "cancelled" });
	await expect(t.runtime.answer(unkeyed(), tokens[1], { value: true })).resolves.toBe(false);
	expect(ran).toEqual([]);
	const closed = log.recorded.filter((type) => type === "prompt.closed");
	expect(closed).toHaveLength(2);
	log.check();
});

test("a cancel and an answer at the same moment run a call once or not at all, and end the run", async () => {
	const { t, session, log, ran, tokens } = await threeOpen();
	await using _ = t;
	const [, counts] = await Promise.all([
		t.runtime.cancel(unkeyed(), session),
		t.runtime.answer(unkeyed(), tokens[0], { value: true }),
	]);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "cancelled" });
	const ended = log.recorded.filter((type) => type === "prompt.closed" || type === "prompt.answered");
	expect(ended).toHaveLength(3);
	expect(ran.length).toBeLessThanOrEqual(counts ? 1 : 0);
	log.check();
});
