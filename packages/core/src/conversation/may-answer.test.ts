import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { type ChatSettings, noChat, type PlaceProfile } from "../vocabulary/chat-settings.ts";
import { operator, type Principal, type Role } from "../vocabulary/principal.ts";
import type { Elicitation } from "../vocabulary/prompt.ts";

interface Where {
	readonly connector?: string;
	readonly platform?: string;
	readonly tenant?: string;
	readonly channel?: string;
}

function acting(user: string, role: Role, where: Where = {}): Principal {
	const { platform = "discord", tenant = "guild", channel = "general" } = where;
	const place = { platform, tenant, channel, shared: false };
	const person = { id: `${platform}:${tenant}:${user}`, name: user, role, place };
	const id = where.connector ?? `connector:${platform}`;
	return { id, kind: "connector", platform, person };
}

const ada = acting("ada", "member");
const question: Elicitation = { type: "text", label: "Which?", options: [], required: true, validation: "" };

/** Opens a prompt of `tool`, in a run for which Ada, a member, sent the message. */
async function openPrompt(
	tool: "edit" | "critical" | "question" | "password",
	profile: PlaceProfile = {},
	settings: Partial<ChatSettings> = {},
) {
	const model = new ScriptedModel([calls("c1", tool)], [says("done")]);
	const tools = [
		probeTool("edit", { classes: ["write"] }),
		probeTool("critical", { classes: ["irreversible"] }),
		probeTool("question", {
			classes: ["person"],
			run: async (context) => JSON.stringify(await context.ask(question)),
		}),
		probeTool("password", {
			classes: ["person"],
			run: async (context) => JSON.stringify(await context.ask({ ...question, type: "password" })),
		}),
	];
	const chat = { ...noChat, ...settings, places: { "discord:guild:general": profile } };
	const t = await TestRuntime.open({ model, tools, chat });
	const session = await t.create(ada);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.send(unkeyed(ada), session, { content: "go" });
	const { prompt } = await log.next("prompt.requested");
	const state = async () => {
		const { token } = prompt;
		const row = await t.store.read((db) =>
			db.selectFrom("prompts").select("state").where("token", "=", token).executeTakeFirst(),
		);
		return row?.state;
	};
	return {
		t,
		log,
		prompt,
		state,
		/** Returns the error of an answer, or "" if it was accepted. */
		answer: (by: Principal, response: object = { value: true }): Promise<string> =>
			t.runtime.answer(unkeyed(by), prompt.token, response).then(
				() => "",
				(reason: Error) => reason.message,
			),
		async audited(): Promise<string[]> {
			await t.settle();
			const rows = await t.store.read((db) =>
				db
					.selectFrom("audit")
					.select(["principal", "decision"])
					.where("action", "=", "approval.decide")
					.orderBy("seq")
					.execute(),
			);
			return rows.map(({ principal, decision }) => `${principal} ${decision}`);
		},
		async ended(): Promise<string> {
			const { content } = await log.next("assistant.message");
			log.check();
			return content;
		},
		[Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
	};
}

const channels: readonly Where[] = [
	{ channel: "general" },
	{ channel: "random" },
	{ tenant: "other", channel: "general" },
	{ platform: "slack", channel: "general" },
];

const identities: readonly (readonly [string, (where: Where) => Principal])[] = [
	["an owner", (where) => acting("olga", "owner", where)],
	["an approver", (where) => acting("abe", "approver", where)],
	["the requester, a member", (where) => acting("ada", "member", where)],
	["another member", (where) => acting("max", "member", where)],
	["a guest", (where) => acting("gus", "guest", where)],
	["a stranger", (where) => acting("sid", "stranger", where)],
	["a stranger with an owner's name", (where) => acting("0lga", "stranger", where)],
	["an owner by way of another connector", (where) => acting("olga", "owner", { ...where, connector: "x" })],
	[
		"a connector without a person",
		() => ({ id: "connector:discord", kind: "connector", platform: "discord" }),
	],
	["an observer", () => ({ id: "observer:1", kind: "observer", sessions: "all" })],
	["the agent", () => ({ id: "agent", kind: "agent" })],
	["an observer without sessions", () => ({ id: "observer:2", kind: "observer" })],
];

test("only the approver of this channel can approve, among twelve approvers of four channels", async () => {
	const pressing = identities.flatMap(([name, identity]) =>
		channels.map((where) => ({ name: `${name} in ${JSON.stringify(where)}`, by: identity(where) })),
	);
	const [here] = channels;
	const mayApprove = ["an owner", "an approver"].map((name) => `${name} in ${JSON.stringify(here)}`);
	await using chat = await openPrompt("edit");
	for (const { name, by } of pressing.filter((one) => !mayApprove.includes(one.name))) {
		expect(await chat.answer(by), name).not.toBe("");
		expect(await chat.state(), name).toBe("open");
	}
	expect(await chat.answer(operator)).toBe("");
	expect(await chat.ended()).toBe("done");
	const allowed = pressing.filter((one) => mayApprove.includes(one.name));
	expect(allowed).toHaveLength(2);
	for (const { name, by } of allowed) {
		await using other = await openPrompt("edit");
		expect(await other.answer(by), name).toBe("");
		expect(await other.ended()).toBe("done");
	}
});

test("a refusal names the missing role and how to get it, and is audited", async () => {
	await using chat = await openPrompt("edit");
	expect(await chat.answer(ada)).toBe("only approvers of this channel can approve this: ask one of them");
	expect(await chat.answer(acting("sid", "stranger"))).toContain("request a code with pair");
	expect(await chat.answer(acting("abe", "approver", { channel: "random" }))).toBe("prompt not found");
	expect(await chat.answer(acting("abe", "approver", { platform: "slack" }))).toBe("prompt not found");
	expect(await chat.answer(acting("abe", "approver"))).toBe("");
	const refused = ["ada", "sid", "abe"].map((user) => `discord:guild:${user} refused`);
	const written = [...refused, "slack:guild:abe refused", "discord:guild:abe approved"];
	expect((await chat.audited()).toSorted()).toEqual(written.toSorted());
	expect(await chat.log.next("prompt.answered")).toMatchObject({ by: "discord:guild:abe", value: true });
	await chat.ended();
});

test("the role is checked at the moment of the answer", async () => {
	await using chat = await openPrompt("edit");
	expect(await chat.answer(acting("abe", "guest"))).toContain(
		"only approvers of this channel can approve this",
	);
	expect(await chat.answer(acting("abe", "approver"))).toBe("");
	await chat.ended();
});

test.each(["member", "guest"] as const)(
	"any principal that sees the question can deny it: a %s does",
	async (role) => {
		for (const response of [{ cancelled: true }, { value: false }, { value: "no" }]) {
			await using chat = await openPrompt("critical");
			expect(await chat.answer(acting("sid", "stranger"), response)).not.toBe("");
			expect(await chat.answer(acting("gus", role), response)).toBe("");
			expect(await chat.log.next("prompt.answered")).toMatchObject({
				cancelled: true,
				by: "discord:guild:gus",
			});
			await chat.ended();
		}
	},
);

test("always-required approvals cannot be given through a chat platform", async () => {
	await using chat = await openPrompt("critical");
	for (const response of [{ value: true }, { value: "yes" }, { cancelled: false }]) {
		expect(await chat.answer(acting("olga", "owner"), response)).not.toBe("");
		expect(await chat.state()).toBe("open");
	}
	expect(await chat.answer(acting("olga", "owner"))).toContain("in a chat, you can only deny it");
	expect(await chat.answer(operator)).toBe("");
	expect(await chat.ended()).toBe("done");
});

test("a question is for the requester and for approvers", async () => {
	for (const [by, counts] of [
		[acting("max", "member"), false],
		[acting("ada", "guest"), true],
		[acting("abe", "approver"), true],
		[acting("ada", "stranger"), false],
		[acting("ada", "member", { channel: "random" }), false],
	] as const) {
		await using chat = await openPrompt("question");
		expect((await chat.answer(by, { value: "blue" })) === "", by.person?.id).toBe(counts);
		if (!counts) await chat.answer(operator, { value: "red" });
		await chat.log.next("tool.completed");
		await chat.ended();
	}
});

test("if the operator has named approvers, only members among them approve", async () => {
	const approvers = ["discord:guild:max", "discord:guild:gus"];
	for (const [by, counts] of [
		[acting("max", "member"), true],
		[acting("max", "approver"), true],
		[acting("max", "stranger"), false],
		[acting("gus", "guest"), false],
		[acting("abe", "approver"), false],
		[acting("olga", "owner"), false],
	] as const) {
		await using chat = await openPrompt("edit", { approvers });
		const refusal = await chat.answer(by);
		expect(refusal === "", `${by.person?.id} ${by.person?.role}: ${refusal}`).toBe(counts);
		if (!counts) expect(await chat.answer(operator)).toBe("");
		await chat.ended();
	}
	await using critical = await openPrompt("critical", { approvers });
	expect(await critical.answer(acting("max", "member"))).toContain("in a chat, you can only deny it");
	await critical.answer(operator, { cancelled: true });
	await critical.ended();
});

test("the profile of a channel sets the wait for its questions", async () => {
	await using chat = await openPrompt("edit", { approvalMs: 5_000 });
	expect(chat.prompt.expiresAt - chat.t.clock.now()).toBe(5_000);
	chat.t.clock.advance(5_000);
	await chat.ended();
	expect(await chat.state()).toBe("expired");
});

test("a late answer has no effect, and is not an error for principals that could have answered", async () => {
	await using chat = await openPrompt("edit");
	expect(await chat.answer(acting("abe", "approver"))).toBe("");
	expect(await chat.answer(ada, { value: true })).toBe("");
	expect(await chat.answer(acting("sid", "stranger"))).not.toBe("");
	await chat.ended();
});

const olga = acting("olga", "owner");
const typedDecisions: readonly object[] = [
	{ value: "once", typed: true },
	{ value: "session", typed: true },
	{ cancelled: true, typed: true },
	{ cancelled: true, reason: "use tabs", typed: true },
];

test("an approver approves a call by a typed answer, and the audit records that it was typed", async () => {
	await using chat = await openPrompt("edit");
	expect(await chat.answer(ada, { value: "once", typed: true })).toContain(
		"only approvers of this channel can approve this",
	);
	expect(await chat.answer(olga, { value: "once", typed: true })).toBe("");
	expect(await chat.ended()).toBe("done");
	const decided = await chat.t.store.read((db) =>
		db.selectFrom("audit").select("args").where("action", "=", "approval.decide").execute(),
	);
	expect(decided.map(({ args }) => args).filter((args) => args?.includes("typed"))).toEqual([
		expect.stringContaining('"typed":true'),
	]);
});

test("no typed answer decides an approval if the operator has turned that off, and questions still accept one", async () => {
	await using chat = await openPrompt("edit", {}, { typedApprovals: false });
	for (const response of typedDecisions) {
		expect(await chat.answer(olga, response)).toContain("typed approvals are turned off");
		expect(await chat.state()).toBe("open");
	}
	expect(await chat.audited()).toContain("discord:guild:olga refused");
	expect(await chat.answer(olga)).toBe("");
	await using prompt = await openPrompt("question", {}, { typedApprovals: false });
	expect(await prompt.answer(ada, { text: "blue", typed: true })).toBe("");
});

test("no typed answer approves or denies a call that always requires approval", async () => {
	await using chat = await openPrompt("critical");
	for (const response of typedDecisions) {
		expect(await chat.answer(olga, response)).not.toBe("");
		expect(await chat.state()).toBe("open");
	}
	expect(await chat.answer(olga, { cancelled: true })).toBe("");
});

test("no typed answer gives a password", async () => {
	await using chat = await openPrompt("password");
	expect(await chat.answer(ada, { text: "sesame", typed: true })).toContain("a password cannot be typed");
	expect(await chat.state()).toBe("open");
});
