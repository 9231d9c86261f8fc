import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { ModelTable } from "../../models/table/model-table.ts";
import { EventLog } from "../../testing/event-log.ts";
import { noSandboxes } from "../../testing/no-sandboxes.ts";
import { type ProbeOptions, probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../../testing/scripted-model.ts";
import { testConnector } from "../../testing/test-connector.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../../testing/test-runtime.ts";
import { operator, type Person, type Principal } from "../../vocabulary/principal.ts";
import type { Sandboxes } from "../../vocabulary/sandbox.ts";
import type { RequestedGrant } from "./channel-grants.ts";

const place = "discord:guild:general";
const hour = 60 * 60 * 1000;

function requested(options: Partial<RequestedGrant> = {}): RequestedGrant {
	const all = { people: null, tools: null, classes: null };
	return { place, ...all, maxActions: 200, lifeMs: 4 * hour, reason: "release", ...options };
}

function confined(clock: ManualClock): Sandboxes {
	const none = noSandboxes(clock);
	const state = { ...none.state, chat: "bubblewrap" } as const;
	return { ...none, state, check: async () => state };
}

function member(person: Partial<Person>): Principal {
	const connector = testConnector("member");
	if (!connector.person) throw new Error("the connector acts for nobody");
	return { ...connector, person: { ...connector.person, ...person } };
}

interface Channel extends AsyncDisposable {
	readonly t: TestRuntime;
	readonly session: string;
	readonly log: EventLog;
	/** Sends a message as a person of the channel. Returns whether a call required approval, and denies this approval. */
	asks(principal?: Principal): Promise<boolean>;
}

async function channel(
	probe: ProbeOptions = { classes: ["write"] },
	options: Partial<TestRuntimeOptions> = {},
): Promise<Channel> {
	const clock = options.clock ?? new ManualClock();
	let counter = 0;
	const model = new ScriptedModel(
		...Array.from({ length: 40 }, (_, n) =>
			n % 2 === 0 ? [calls(`c${n}`, "edit", { n: ++counter })] : [says("done")],
		),
	);
	const tools = [probeTool("edit", probe), probeTool("other")];
	const t = await TestRuntime.open({ model, tools, clock, sandbox: confined(clock), ...options });
	await t.runtime.start();
	const member = testConnector("member");
	const session = await t.create(member);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	return {
		t,
		session,
		log,
		async asks(principal = member) {
			await t.runtime.send(unkeyed(principal), session, { content: "go" });
			for (let isRepeated = false; ; isRepeated = true) {
				const event = await log.next("prompt.requested", "assistant.message");
				if (event.type === "assistant.message") return isRepeated;
				await t.runtime.answer(unkeyed(), event.prompt.token, { cancelled: true });
			}
		},
		[Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
	};
}

async function audited(
	t: TestRuntime,
	action: string,
): Promise<{ principal: string; grant_id: string | null }[]> {
	return t.store.read((db) =>
		db
			.selectFrom("audit")
			.select(["principal", "grant_id"])
			.where("action", "=", action)
			.orderBy("seq")
			.execute(),
	);
}

test("calls of a trusted channel run without approval, with a badge, and are counted and audited under the grant", async () => {
	await using c = await channel();
	const { t, log } = c;
	expect(await c.asks()).toBe(true);
	const outcome = await t.runtime.trust.grants.request(unkeyed(), requested());
	if (outcome.status !== "granted") throw new Error(outcome.status);
	const { grant } = outcome;
	await expect(log.next("grant.created")).resolves.toEqual({ type: "grant.created", grant });
	expect(await c.asks()).toBe(false);
	const trusted = { grantId: grant.id, until: grant.expiresAt };
	const events = log.events.map(({ event }) => event);
	expect(events.findLast((event) => event.type === "tool.started")).toMatchObject({ trusted });
	expect(events.findLast((event) => event.type === "assistant.message")).toMatchObject({ trusted });
	expect(await t.runtime.trust.grants.list(operator, false)).toEqual([{ ...grant, usedActions: 1 }]);
	expect((await audited(t, "tool.start")).at(-1)).toMatchObject({ grant_id: grant.id });
	expect(await audited(t, "grant.create")).toEqual([{ principal: "operator", grant_id: grant.id }]);
	log.check();
});

test.each<[string, Principal, Partial<RequestedGrant>]>([
	["a guest", testConnector("guest"), {}],
	["the operator", operator, {}],
	["a person whom it does not name", testConnector("member"), { people: ["discord:guild:eve"] }],
	["a tool it does not name", testConnector("member"), { tools: ["other"] }],
	["a class it does not name", testConnector("member"), { classes: ["egress"] }],
])("a trust grant does not cover %s", async (_name, principal, terms) => {
	await using c = await channel({
		classes: principal.person?.role === "guest" ? ["person", "write"] : ["write"],
	});
	await c.t.runtime.trust.grants.request(unkeyed(), requested(terms));
	const denied = await c.asks(principal);
	const started = c.log.events.map(({ event }) => event).find((event) => event.type === "tool.started");
	expect(started).not.toHaveProperty("trusted");
	// Calls for guests are denied without an approval request.
	expect(denied).toBe(principal.person?.role !== "guest");
});

test.each([
	["container", "commands can reach this gateway's own files; set sandbox: required"],
	["off", "this gateway has no sandbox"],
	["none", "this gateway has no sandbox"],
] as const)("no channel is trusted if its commands are confined by %s", async (chat, reason) => {
	const clock = new ManualClock();
	const sandbox: Sandboxes = {
		...noSandboxes(clock),
		check: async () => ({ ...noSandboxes(clock).state, chat }),
	};
	await using c = await channel({ classes: ["write"] }, { clock, sandbox });
	const asking = c.t.runtime.trust.grants.request(unkeyed(), requested());
	await expect(asking).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringContaining(reason),
	});
});

test.each<[string, ProbeOptions["classes"]]>([
	["secrets", ["write", "secret"]],
	["changes of control files", ["control"]],
	["irreversible calls", ["irreversible"]],
	["writes outside the roots", ["outside-write"]],
	["commands without a sandbox", ["exec-unsandboxed"]],
	["reads outside the roots", ["outside-read"]],
])("%s still require approval", async (_name, classes = []) => {
	await using c = await channel({ classes });
	await c.t.runtime.trust.grants.request(unkeyed(), requested());
	expect(await c.asks()).toBe(true);
});

test("files outside the roots need a grant that names them, and never complete the three kinds of taint", async () => {
	const terms: Partial<RequestedGrant> = { classes: ["outside-read", "egress"] };
	for (const [classes, needsApproval] of [
		[["outside-read"], false],
		[["outside-read", "egress"], true],
	] as const) {
		await using c = await channel({ classes });
		await c.t.runtime.trust.grants.request(unkeyed(), requested(terms));
		expect(await c.asks()).toBe(needsApproval);
	}
});

test("the operator or an owner of the channel answers a member's trust request with a typed value", async () => {
	await using c = await channel();
	const { t, log, session } = c;
	const grantRequest = await t.runtime.trust.grants.request(unkeyed(testConnector("member")), requested(), {
		sessionId: session,
	});
	if (grantRequest.status !== "requested") throw new Error(grantRequest.status);
	const { prompt } = await log.next("prompt.requested");
	expect(prompt).toMatchObject({ token: grantRequest.token, runId: "", type: "confirm" });
	expect(prompt.label).toBe(
		"Trust discord:guild:general for 4 h, so that calls run without approval (all members here; all tools; no files outside the roots; at most 200 calls)? Requested by Ada (discord:guild:ada): release",
	);
	const answer = (principal: Principal, response: object) =>
		t.runtime.answer(unkeyed(principal), grantRequest.token, response);
	await expect(answer(testConnector("approver"), { value: true })).rejects.toThrow(
		"only owners can trust a channel",
	);
	await t.settle();
	expect(await audited(t, "approval.decide")).toEqual([{ principal: "discord:guild:ada", grant_id: null }]);
	await expect(answer(operator, { cancelled: false })).rejects.toThrow("always requires approval");
	await expect(
		t.runtime.trust.grants.request(unkeyed(testConnector("owner")), requested(), { sessionId: session }),
	).rejects.toThrow("already requested");
	await answer(testConnector("owner"), { value: true });
	await expect(log.next("prompt.answered")).resolves.toMatchObject({ value: true, by: "discord:guild:ada" });
	const { grant } = await log.next("grant.created");
	expect(grant).toMatchObject({ grantedBy: "discord:guild:ada", usedActions: 0 });
	expect(await audited(t, "grant.create")).toEqual([{ principal: "discord:guild:ada", grant_id: grant.id }]);
	await answer(operator, { value: true });
	expect(await t.runtime.trust.grants.list(operator, true)).toHaveLength(1);
	log.check();
});

test("a channel without messages is trusted if the operator confirms that its id is right", async () => {
	await using c = await channel();
	const { grants } = c.t.runtime.trust;
	await expect(
		grants.request(unkeyed(), requested({ place: "discord:guild:genreal" })),
	).rejects.toMatchObject({
		code: "failed_precondition",
		message:
			"discord:guild:genreal has no session yet: did you mean discord:guild:general? To trust the channel anyway, set unseen (--unseen in the command)",
	});
	const far = requested({ place: "slack:team:random" });
	await expect(grants.request(unkeyed(), far)).rejects.toThrow("yet: check the id of the channel.");
	expect(await grants.list(operator, true)).toEqual([]);
	expect(await grants.request(unkeyed(), far, { unseen: true })).toMatchObject({ status: "granted" });
});

test("a grant request in a session of another channel is refused", async () => {
	await using c = await channel();
	const own = await c.t.create();
	const { grants } = c.t.runtime.trust;
	await expect(
		grants.request(unkeyed(testConnector("member")), requested(), { sessionId: own }),
	).rejects.toThrow();
	const ownTask = { id: "connector:discord", kind: "connector", platform: "discord" } as const;
	const elsewhere = member({
		place: { platform: "discord", tenant: "guild", channel: "other", shared: false },
	});
	const other = await c.t.create(elsewhere);
	await expect(
		grants.request(unkeyed({ ...testConnector("member"), ...ownTask }), requested(), { sessionId: other }),
	).rejects.toThrow(`session not found: ${other}`);
});

test("any principal that sees the question may deny it", async () => {
	await using c = await channel();
	const { t, log, session } = c;
	const grantRequest = await t.runtime.trust.grants.request(unkeyed(testConnector("member")), requested(), {
		sessionId: session,
	});
	if (grantRequest.status !== "requested") throw new Error(grantRequest.status);
	await t.runtime.answer(unkeyed(testConnector("guest")), grantRequest.token, { value: "no" });
	await expect(log.next("prompt.answered")).resolves.toMatchObject({ cancelled: true });
	expect(await t.runtime.trust.grants.list(operator, true)).toEqual([]);
	expect(await audited(t, "grant.refuse")).toHaveLength(1);
	expect(log.recorded).not.toContain("grant.created");
});

test.each<[string, Partial<RequestedGrant>, string]>([
	["a guild", { place: "discord:guild" }, "write PLATFORM:TENANT:CHANNEL"],
	["an unknown tool", { tools: ["fly"] }, "there is no tool fly; available: edit, other"],
	[
		"a class that always requires approval",
		{ classes: ["write", "secret"] },
		"secret requires approval in every channel",
	],
	[
		"a grant for people of another platform",
		{ people: ["slack:team:eve"] },
		"ids there begin with discord:guild:",
	],
	["a grant for no person", { people: [] }, "an empty list covers no call"],
	[
		"a grant for more than a day",
		{ lifeMs: 24 * hour + 1 },
		"minutes: 1441 is not allowed: use more than 0 and at most 1440",
	],
])("%s is not granted", async (_name, terms, reason) => {
	await using c = await channel();
	await expect(c.t.runtime.trust.grants.request(unkeyed(), requested(terms))).rejects.toThrow(reason);
});

test("a channel with strangers of other organisations, or without a sandbox, is not trusted", async () => {
	await using c = await channel();
	const there = { platform: "discord", tenant: "guild", channel: "general", shared: true };
	const shared = member({ place: there });
	const grants = c.t.runtime.trust.grants;
	await expect(grants.request(unkeyed(shared), requested(), { sessionId: c.session })).rejects.toThrow(
		"another organisation",
	);
	await c.t.runtime.send(unkeyed(shared), c.session, { content: "hi" });
	await expect(grants.request(unkeyed(), requested())).rejects.toThrow("another organisation");
	await using bare = await channel({}, { sandbox: noSandboxes(new ManualClock()) });
	await expect(bare.t.runtime.trust.grants.request(unkeyed(), requested())).rejects.toThrow("with a sandbox");
});

test("a grant ends when it expires", async () => {
	await using c = await channel();
	await c.t.runtime.trust.grants.request(unkeyed(), requested({ lifeMs: hour }));
	c.t.clock.advance(hour);
	await expect(c.log.next("grant.ended")).resolves.toMatchObject({ reason: "expired" });
	expect(await c.asks()).toBe(true);
});

test("a session that its client has left receives no event about a grant of another channel", async () => {
	await using c = await channel();
	const left = await c.t.create(testConnector("member"));
	await (await EventLog.join(c.t.runtime, left)).leave();
	await c.t.settle();
	await c.t.runtime.trust.grants.request(unkeyed(), requested());
	await c.log.next("grant.created");
	const events = await c.t.runtime.history.newest(operator, { limit: 20, sessionId: left });
	expect(events.map(({ event }) => event.type)).toEqual(["session.created", "session.closed"]);
});

test("a grant ends with its last call, and the next call requires approval", async () => {
	await using c = await channel();
	await c.t.runtime.trust.grants.request(unkeyed(), requested({ maxActions: 2 }));
	expect([await c.asks(), await c.asks()]).toEqual([false, false]);
	expect(c.log.recorded).toContain("grant.ended");
	expect(await c.asks()).toBe(true);
});

test("calls of one reply share the remaining calls of a grant", async () => {
	let ran = 0;
	const edit = probeTool("edit", { classes: ["write"], run: async () => `${++ran}` });
	const clock = new ManualClock();
	const model = new ScriptedModel(
		Array.from({ length: 3 }, (_, n) => calls(`c${n}`, "edit", { n })),
		[says("done")],
	);
	await using c = await channel({}, { clock, model, tools: [edit], sandbox: confined(clock) });
	await c.t.runtime.trust.grants.request(unkeyed(), requested({ maxActions: 2 }));
	expect(await c.asks()).toBe(true);
	expect(ran).toBe(2);
	c.log.check();
});

test("a revoked grant ends at once, also for an active run, whose calls are judged again", async () => {
	const begun = Promise.withResolvers<void>();
	const gate = Promise.withResolvers<void>();
	let ran = 0;
	const edit = probeTool("edit", {
		classes: ["write"],
		run: async () => {
			ran += 1;
			begun.resolve();
			await gate.promise;
			return "done";
		},
	});
	const clock = new ManualClock();
	const model = new ScriptedModel(
		[calls("c1", "edit", { n: 1 }), calls("c2", "edit", { n: 2 })],
		[says("done")],
	);
	await using c = await channel({}, { clock, model, tools: [edit], sandbox: confined(clock) });
	const outcome = await c.t.runtime.trust.grants.request(unkeyed(), requested());
	if (outcome.status !== "granted") throw new Error(outcome.status);
	const asking = c.asks();
	await begun.promise;
	const { grants } = c.t.runtime.trust;
	await expect(grants.revoke(unkeyed(testConnector("guest")), outcome.grant.id, "")).rejects.toThrow(
		"member",
	);
	await grants.revoke(unkeyed(testConnector("member")), outcome.grant.id, "enough");
	gate.resolve();
	expect(await asking).toBe(true);
	expect(ran).toBe(1);
	const ended = c.log.events.map(({ event }) => event).find((event) => event.type === "grant.ended");
	expect(ended).toMatchObject({ reason: "revoked by discord:guild:ada: enough" });
	await expect(grants.revoke(unkeyed(), "grant_none", "")).rejects.toThrow("grant not found");
	c.log.check();
});

test("three denials in the channel end the grant", async () => {
	await using c = await channel({ classes: ["control"] });
	await c.t.runtime.trust.grants.request(unkeyed(), requested());
	for (let denials = 0; denials < 3; denials++) expect(await c.asks()).toBe(true);
	expect(c.log.recorded.filter((type) => type === "grant.ended")).toHaveLength(1);
});

test("a connector sees and ends only the grants of its platform's tenants", async () => {
	await using c = await channel();
	const { tokens, grants } = c.t.runtime.trust;
	const connector = async (name: string, platform: string, tenant: string): Promise<Principal> => {
		const newToken = { kind: "connector", name, platform, tenants: [tenant] } as const;
		const principal = tokens.verify((await tokens.create(unkeyed(), newToken)).text);
		if (!principal) throw new Error("the token does not work");
		return principal;
	};
	const outcome = await grants.request(unkeyed(), requested());
	if (outcome.status !== "granted") throw new Error(outcome.status);
	const { id } = outcome.grant;
	const own = await connector("bridge", "discord", "guild");
	for (const foreign of [
		await connector("other", "discord", "elsewhere"),
		await connector("slack", "slack", "guild"),
	]) {
		expect(await grants.list(foreign, false)).toEqual([]);
		await expect(grants.revoke(unkeyed(foreign), id, "mine")).rejects.toMatchObject({ code: "not_found" });
	}
	expect(await grants.list(own, false)).toMatchObject([{ id }]);
	await grants.revoke(unkeyed(own), id, "the channel was shared");
	const reason = "revoked by connector:bridge: the channel was shared";
	await expect(c.log.next("grant.ended")).resolves.toMatchObject({ grantId: id, reason });
	expect(await audited(c.t, "grant.end")).toEqual([{ principal: "connector:bridge", grant_id: id }]);
	expect(await c.asks()).toBe(true);
});

test("a grant ends when the channel is shared, or a stranger writes there", async () => {
	for (const end of [
		member({ role: "stranger", id: "discord:guild:eve" }),
		member({ place: { platform: "discord", tenant: "guild", channel: "general", shared: true } }),
	]) {
		await using c = await channel();
		await c.t.runtime.trust.grants.request(unkeyed(), requested());
		await c.t.runtime.trust.grants.witness(member({ role: "guest" }));
		expect(await c.asks()).toBe(false);
		await c.t.runtime.trust.grants.witness(end);
		await expect(c.log.next("grant.ended")).resolves.toMatchObject({
			reason: expect.stringMatching(/without access|organisation/),
		});
		expect(await c.asks()).toBe(true);
	}
});

test("a stranger does not end the grant if the operator has configured that", async () => {
	const chat = { allow: [], deny: [], tenants: {}, places: {}, endTrustOnStranger: false };
	await using c = await channel({ classes: ["write"] }, { chat });
	await c.t.runtime.trust.grants.request(unkeyed(), requested());
	await c.t.runtime.trust.grants.witness(member({ role: "stranger" }));
	expect(await c.asks()).toBe(false);
});

test("a grant survives a short stop of the gateway, but not one of more than an hour", async () => {
	for (const [stopped, ends] of [
		[hour / 2, false],
		[hour + 1, true],
	] as const) {
		const c = await channel();
		const { directory, clock } = c.t;
		await c.t.runtime.trust.grants.request(unkeyed(), requested());
		await c.t.stop();
		clock.advance(stopped);
		const model = new ScriptedModel();
		await using again = await TestRuntime.open({ model, directory, clock, sandbox: confined(clock) });
		await again.runtime.start();
		const left = await again.runtime.trust.grants.list(operator, false);
		expect(left).toHaveLength(ends ? 0 : 1);
		const log = await EventLog.join(again.runtime, c.session, { afterSeq: 0 });
		expect(log.recorded.filter((type) => type === "grant.ended")).toHaveLength(ends ? 1 : 0);
	}
});

test("a grant ends at the next start if commands of channels are no longer confined", async () => {
	for (const chat of ["container", "off", "none"] as const) {
		const c = await channel();
		const { directory, clock } = c.t;
		const outcome = await c.t.runtime.trust.grants.request(unkeyed(), requested());
		if (outcome.status !== "granted") throw new Error(outcome.status);
		await c.t.stop();
		const none = noSandboxes(clock);
		const sandbox: Sandboxes = { ...none, check: async () => ({ ...none.state, chat }) };
		await using again = await TestRuntime.open({ model: new ScriptedModel(), directory, clock, sandbox });
		await again.runtime.start();
		expect(await again.runtime.trust.grants.list(operator, false)).toEqual([]);
		const log = await EventLog.join(again.runtime, c.session, { afterSeq: 0 });
		const ended = log.events.map(({ event }) => event).find((event) => event.type === "grant.ended");
		expect(ended).toMatchObject({ reason: "the sandbox no longer protects the gateway's own files" });
		expect(await audited(again, "grant.end")).toMatchObject([{ grant_id: outcome.grant.id }]);
	}
});

test("while the sandbox is unavailable a grant allows no call without approval", async () => {
	const clock = new ManualClock();
	const state = { ...confined(clock).state };
	await using c = await channel(undefined, {
		clock,
		sandbox: { ...confined(clock), check: async () => state },
	});
	await c.t.runtime.trust.grants.request(unkeyed(), requested());
	expect(await c.asks()).toBe(false);
	Object.assign(state, { chat: "none" });
	expect(await c.asks()).toBe(true);
});

test("a grant ends when a member stops the runs of the channel, once for each key", async () => {
	await using c = await channel();
	const { runtime } = c.t;
	await runtime.trust.grants.request(unkeyed(), requested());
	const stop = { ...unkeyed(testConnector("member")), key: "stop" };
	await expect(runtime.cancel(stop, c.session)).resolves.toEqual({ status: "idle" });
	await expect(c.log.next("grant.ended")).resolves.toMatchObject({ reason: "stopped by discord:guild:ada" });
	expect(await c.asks()).toBe(true);
	await runtime.trust.grants.request(unkeyed(), requested());
	await runtime.cancel(stop, c.session);
	expect(await runtime.trust.grants.list(operator, false)).toHaveLength(1);
	await runtime.remove(unkeyed(), c.session, true);
	expect(await runtime.trust.grants.list(operator, false)).toHaveLength(1);
});

test("a grant remains when a member withdraws their own queued message, and ends for messages of others and active ones", async () => {
	const begun = Promise.withResolvers<void>();
	const gate = Promise.withResolvers<void>();
	const clock = new ManualClock();
	const model = new ScriptedModel(async function* () {
		begun.resolve();
		await gate.promise;
		yield says("done");
	});
	await using c = await channel({}, { clock, model, sandbox: confined(clock) });
	const { runtime } = c.t;
	const [ada, bo] = [member({}), member({ id: "discord:guild:bo" })];
	const say = async (): Promise<string> =>
		(await runtime.send(unkeyed(ada), c.session, { content: "go" })).runId;
	const cancel = (by: Principal, runId: string) => runtime.cancel(unkeyed(by), c.session, { runId });
	const trusted = async (): Promise<number> => (await runtime.trust.grants.list(operator, false)).length;
	const atWork = await say();
	await begun.promise;
	const waiting = await say();
	const others = await say();
	await runtime.trust.grants.request(unkeyed(), requested());
	await expect(cancel(ada, waiting)).resolves.toEqual({ status: "cancelled" });
	await expect(cancel(ada, waiting)).resolves.toEqual({ status: "idle" });
	expect(await trusted()).toBe(1);
	await cancel(bo, others);
	expect(await trusted()).toBe(0);
	await runtime.trust.grants.request(unkeyed(), requested());
	await cancel(ada, atWork);
	expect(await trusted()).toBe(0);
	gate.resolve();
});

const priced = new ModelTable([
	{
		id: "scripted",
		provider: "scripted",
		contextWindow: 100_000,
		maxOutput: 1_000,
		reasoning: "none",
		sampling: true,
		images: false,
		prices: { input: 1000, output: 1000, cacheRead: 1000, cacheWrite: 1000 },
	},
]);

const dear: ScriptedReply = async function* () {
	const usage = { inputTokens: 1_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
	yield { type: "usage", usage, model: "scripted" };
	yield says("done");
};

test.each([
	["session", "discord:guild:general", true],
	["session", "discord:guild:other", false],
	["gateway", "discord:guild:other", true],
] as const)("a spent budget of the %s ends the grant of %s: %s", async (scope, trusted, ends) => {
	const clock = new ManualClock();
	const budgets = { gateway: {}, session: {}, [scope]: { day: 1_000_000_000 } };
	const model = new ScriptedModel(dear);
	await using c = await channel({}, { clock, model, table: priced, budgets, sandbox: confined(clock) });
	const { grants } = c.t.runtime.trust;
	await grants.request(unkeyed(), requested({ place: trusted }), { unseen: true });
	await c.asks();
	await c.t.settle();
	expect(await grants.list(operator, false)).toHaveLength(ends ? 0 : 1);
	const [grant] = await grants.list(operator, true);
	const scopeName = scope === "gateway" ? "this gateway" : "a conversation in the channel";
	expect(grant?.endReason).toBe(ends ? `the budget of ${scopeName} is spent` : undefined);
});

test("a grant of another channel is not found", async () => {
	await using c = await channel();
	const { grants } = c.t.runtime.trust;
	const place = "discord:guild:other";
	const outcome = await grants.request(unkeyed(), requested({ place }), { unseen: true });
	if (outcome.status !== "granted") throw new Error(outcome.status);
	const { id } = outcome.grant;
	await expect(grants.revoke(unkeyed(testConnector("owner")), id, "")).rejects.toMatchObject({
		...{ code: "not_found", message: `grant not found: ${id}; use an id from the list of grants` },
	});
	expect(await grants.list(operator, false)).toHaveLength(1);
});

test("a new grant replaces the existing one", async () => {
	await using c = await channel();
	await c.t.runtime.trust.grants.request(unkeyed(), requested());
	const second = await c.t.runtime.trust.grants.request(unkeyed(), requested({ tools: ["other"] }));
	await expect(c.log.next("grant.ended")).resolves.toMatchObject({ reason: "a newer grant replaces it" });
	await c.log.next("grant.created");
	if (second.status !== "granted") throw new Error(second.status);
	expect(await c.t.runtime.trust.grants.list(operator, false)).toEqual([second.grant]);
	expect(await c.t.runtime.trust.grants.list(testConnector("member"), true)).toHaveLength(2);
	const elsewhere = { platform: "discord", tenant: "guild", channel: "other", shared: false };
	expect(await c.t.runtime.trust.grants.list(member({ place: elsewhere }), true)).toEqual([]);
});

test("accept_all_tools of a connector applies only within the grant of the channel", async () => {
	await using c = await channel();
	const accept = (role: "guest" | "member") => c.t.runtime.acceptAll(unkeyed(testConnector(role)), c.session);
	await expect(accept("member")).rejects.toMatchObject({ code: "permission_denied" });
	await c.t.runtime.trust.grants.request(unkeyed(), requested({ tools: ["other"] }));
	await accept("member");
	await expect(accept("guest")).rejects.toMatchObject({ code: "permission_denied" });
	expect(await c.asks()).toBe(true);
});

test("the operator's accept_all_tools is refused for a session of a channel, which can be trusted instead", async () => {
	await using c = await channel();
	const accept = () => c.t.runtime.acceptAll(unkeyed(), c.session);
	const refusal = { code: "failed_precondition", message: expect.stringContaining(`trust grant ${place} `) };
	await expect(accept()).rejects.toMatchObject(refusal);
	await c.t.runtime.trust.grants.request(unkeyed(), requested({ tools: ["other"] }));
	await expect(accept()).rejects.toMatchObject(refusal);
	expect(await c.asks()).toBe(true);
	expect(await audited(c.t, "accept_all.give")).toEqual([]);
});

test("a request with the same key creates one grant", async () => {
	await using c = await channel();
	const request = { ...unkeyed(), key: "k" };
	const first = await c.t.runtime.trust.grants.request(request, requested());
	expect(await c.t.runtime.trust.grants.request(request, requested())).toEqual(first);
	expect(await c.t.runtime.trust.grants.list(operator, true)).toHaveLength(1);
});
