import { expect, test } from "vitest";
import { abe, acting, ada, answering, asking, openElsewhere } from "../testing/elsewhere-scene.ts";
import { unkeyed } from "../testing/test-runtime.ts";
import type { PlaceProfile } from "../vocabulary/chat-settings.ts";
import { operator, type Principal } from "../vocabulary/principal.ts";

test("an approver of the named channel sees and answers approvals of the asking channel, and the answer names both channels", async () => {
	await using chat = await openElsewhere();
	expect(chat.prompt.approval?.alsoIn).toEqual([answering]);
	const [open] = await chat.t.runtime.prompts.list(abe, { limit: 10, approvals: true });
	expect(open).toMatchObject({
		prompt: { token: chat.prompt.token },
		sessionId: chat.session,
		place: asking,
		requester: { id: "slack:team:ada", name: "Name of ada" },
	});
	expect(await chat.answer(abe)).toBe("");
	expect(await chat.log.next("prompt.answered")).toMatchObject({
		by: "discord:guild:abe",
		byName: "Name of abe",
		value: true,
	});
	expect((await chat.log.next("assistant.message")).content).toBe("done");
	await chat.t.settle();
	const rows = await chat.t.store.read((db) =>
		db
			.selectFrom("audit")
			.select(["principal", "decision", "args"])
			.where("action", "=", "approval.decide")
			.execute(),
	);
	expect(rows).toEqual([
		{ principal: "discord:guild:abe", decision: "approved", args: JSON.stringify({ place: answering }) },
	]);
	expect(await chat.listed(abe)).toEqual([]);
});

test("without approvals, a list has only the same channel, and the session stays closed", async () => {
	await using chat = await openElsewhere();
	expect(await chat.t.runtime.prompts.list(abe, { limit: 10 })).toEqual([]);
	for (const action of ["session.read", "session.write", "prompt.read"] as const) {
		await expect(chat.t.runtime.check(abe, chat.session, action)).rejects.toMatchObject({
			code: "not_found",
		});
	}
	expect(await chat.answer(operator)).toBe("");
});

const refused: readonly (readonly [who: string, by: Principal, why: string | RegExp])[] = [
	["a member there", acting("max", "member"), /only approvers of this channel/],
	["a guest there", acting("gus", "guest"), /only approvers of this channel/],
	["a stranger there", acting("sid", "stranger"), /discord:guild:sid has no access/],
	[
		"an approver in another channel there",
		acting("abe", "approver", "discord:guild:other"),
		"prompt not found",
	],
	["an approver of another guild", acting("abe", "approver", "discord:other:desk"), "prompt not found"],
	[
		"an approver by another platform's connector",
		acting("abe", "approver", "matrix:guild:desk"),
		"prompt not found",
	],
	["an approver in a shared channel", acting("abe", "approver", answering, true), "prompt not found"],
	[
		"a connector without a person",
		{ id: "connector:discord", kind: "connector", platform: "discord" },
		"prompt not found",
	],
];

test.each(refused)("%s neither answers nor sees the approval", async (_, by, why) => {
	await using chat = await openElsewhere();
	for (const response of [{ value: "once" }, { cancelled: true }]) {
		expect(await chat.answer(by, response)).toEqual(expect.stringMatching(why));
	}
	expect(await chat.listed(by)).not.toContain(chat.prompt.token);
	expect(await chat.listed(abe)).toEqual([chat.prompt.token]);
	expect(await chat.answer(operator)).toBe("");
});

test.each([
	["is not named", { [asking]: {}, [answering]: {} }],
	["has no settings", { [asking]: { approveIn: [answering] } }],
	["has only the settings of its guild", { [asking]: { approveIn: [answering] }, "discord:guild": {} }],
	["is named by the channel that it names", { [asking]: {}, [answering]: { approveIn: [asking] } }],
])("no approval is answered in a channel that %s", async (_, places: Record<string, PlaceProfile>) => {
	await using chat = await openElsewhere({ places });
	expect(chat.prompt.approval?.alsoIn).toBeUndefined();
	expect(await chat.answer(abe)).toBe("prompt not found");
	expect(await chat.listed(abe)).toEqual([]);
	expect(await chat.answer(operator)).toBe("");
});

test("a removed channel no longer answers, also for open questions", async () => {
	for (const forgotten of [asking, answering]) {
		await using chat = await openElsewhere({ places: {} });
		const { places } = chat.t.runtime.trust;
		await places.set(unkeyed(), answering, { mention: "required" });
		await places.set(unkeyed(), asking, { approveIn: [answering] });
		expect(await chat.listed(abe)).toEqual([chat.prompt.token]);
		await places.remove(unkeyed(), forgotten);
		expect(await chat.listed(abe)).toEqual([]);
		expect(await chat.answer(abe)).toBe("prompt not found");
		expect(await chat.answer(operator)).toBe("");
	}
});

test("if one of the two channels is shared with other organisations, no approval is answered in the other one", async () => {
	await using from = await openElsewhere({ asker: acting("ada", "member", asking, true) });
	expect(await from.listed(abe)).toEqual([]);
	expect(await from.answer(abe)).toBe("prompt not found");
	expect(await from.answer(operator)).toBe("");

	await using to = await openElsewhere();
	const visitor = acting("max", "member", answering, true);
	const session = await to.t.create(visitor);
	await to.t.runtime.send(unkeyed(visitor), session, { content: "hello" });
	// People of another organisation were present at the last message. The connector's later report about the channel
	// does not matter.
	expect(await to.listed(abe)).toEqual([]);
	expect(await to.answer(abe)).toBe("prompt not found");
	expect(await to.answer(operator)).toBe("");
});

test.each(["question", "secret"] as const)(
	"a %s of the agent is answered only in its own channel",
	async (tool) => {
		await using chat = await openElsewhere({ tool });
		expect(await chat.listed(abe)).toEqual([]);
		for (const response of [{ value: "blue" }, { cancelled: true }]) {
			expect(await chat.answer(abe, response)).toBe("prompt not found");
		}
		await expect(chat.t.runtime.prompts.secret(abe, chat.prompt.token)).rejects.toThrow("prompt not found");
		expect(await chat.answer(operator, { cancelled: true })).toBe("");
	},
);

test("a trust request for a channel is answered only in that channel", async () => {
	await using chat = await openElsewhere();
	const { grants } = chat.t.runtime.trust;
	const terms = {
		place: asking,
		people: null,
		tools: null,
		classes: null,
		maxActions: 5,
		lifeMs: 60_000,
		reason: "release",
	};
	const requested = await grants.request(unkeyed(ada), terms, { sessionId: chat.session });
	expect(requested.status).toBe("requested");
	expect(await chat.listed(acting("olga", "owner"))).toEqual([chat.prompt.token]);
	const { prompt } = await chat.log.next("prompt.requested");
	for (const response of [{ value: "yes" }, { cancelled: true }]) {
		const answered = chat.t.runtime.answer(unkeyed(acting("olga", "owner")), prompt.token, response);
		await expect(answered).rejects.toThrow("prompt not found");
	}
	expect(await chat.answer(operator)).toBe("");
});

test("approvers in another channel can only deny calls that always require approval", async () => {
	await using chat = await openElsewhere({ tool: "critical" });
	expect(await chat.listed(abe)).toEqual([chat.prompt.token]);
	expect(await chat.answer(abe, { value: "yes" })).toContain("in a chat, you can only deny it");
	expect(await chat.answer(acting("olga", "owner"), { value: "yes" })).toContain(
		"in a chat, you can only deny it",
	);
	expect(await chat.answer(acting("max", "member"), { cancelled: true })).toContain(
		"only approvers of this channel",
	);
	expect(await chat.answer(abe, { cancelled: true })).toBe("");
	expect(await chat.log.next("prompt.answered")).toMatchObject({ by: "discord:guild:abe", cancelled: true });
});

test("an approver in another channel approves a call once and unchanged", async () => {
	await using chat = await openElsewhere();
	expect(chat.prompt.approval?.allowSession).toBe(true);
	for (const response of [{ value: "session" }, { value: true, arguments: { path: "other" } }]) {
		expect(await chat.answer(abe, response)).toContain("approve a call once and unchanged");
	}
	expect(await chat.answer(abe)).toBe("");
});

test("only the operator's named approvers of that channel may answer there", async () => {
	const approvers = ["discord:guild:max"];
	const places = { [asking]: { approveIn: [answering] }, [answering]: { approvers } };
	await using chat = await openElsewhere({ places });
	expect(await chat.answer(abe)).toContain("only approvers of this channel can approve");
	expect(await chat.listed(abe)).toContain("only approvers of this channel can approve");
	expect(await chat.answer(acting("max", "guest"))).toContain("only approvers of this channel");
	expect(await chat.answer(acting("max", "member"))).toBe("");
});

test("a requester cannot bypass the approvers of their channel through another one", async () => {
	const answeringPlace = "slack:team:desk";
	const places = {
		[asking]: { approveIn: [answeringPlace], approvers: ["slack:team:olga"] },
		[answeringPlace]: {},
	};
	const asker = acting("ann", "approver", asking);
	await using chat = await openElsewhere({ places, asker });
	expect(await chat.answer(acting("ann", "approver", answeringPlace))).toContain(
		"only approvers of this channel can approve",
	);
	expect(await chat.answer(acting("bob", "approver", answeringPlace))).toBe("");
	// In the same guild, the id already identifies the person.
	expect(await chat.log.next("prompt.answered")).not.toHaveProperty("byName");
});

test("a late answer has no effect, and principals that could have answered get an explanation", async () => {
	await using chat = await openElsewhere();
	expect(await chat.answer(abe)).toBe("");
	const late = (by: Principal) => chat.t.runtime.answer(unkeyed(by), chat.prompt.token, { cancelled: true });
	expect(await late(acting("olga", "owner"))).toBe(false);
	await expect(late(acting("max", "member"))).rejects.toMatchObject({ code: "permission_denied" });
	expect((await chat.log.next("assistant.message")).content).toBe("done");
});

test("an answer fails if the operator removes the permission before it arrives", async () => {
	await using chat = await openElsewhere();
	const { places } = chat.t.runtime.trust;
	const answeredIn = places.answeredIn.bind(places);
	let reads = 0;
	// The setting is withdrawn between the check and the commit.
	places.answeredIn = (place) => (reads++ === 0 ? answeredIn(place) : []);
	expect(await chat.answer(abe)).toBe("prompt not found");
	places.answeredIn = answeredIn;
	expect(await chat.answer(abe)).toBe("");
});

test("the question names no channel in which it cannot be answered", async () => {
	await using from = await openElsewhere({ asker: acting("ada", "member", asking, true) });
	expect(from.prompt.approval).toBeDefined();
	expect(from.prompt.approval?.alsoIn).toBeUndefined();
	expect(await from.answer(operator)).toBe("");
});

test("approvals that a chat can give precede always-required ones", async () => {
	await using chat = await openElsewhere({ tool: "critical" });
	const { t, prompt } = chat;
	const other = { ...prompt, token: "prompt_other" };
	await t.store.commit(async (tx) => {
		const row = await tx.selectFrom("prompts").selectAll().executeTakeFirstOrThrow();
		const later = { token: other.token, floor: 0, created_at: Number(row.created_at) + 1 };
		const request = JSON.stringify(other);
		await tx
			.insertInto("prompts")
			.values({ ...row, ...later, request })
			.execute();
	});
	expect(await chat.listed(abe)).toEqual(["prompt_other", prompt.token]);
});

test("observers see no list of approvals", async () => {
	await using chat = await openElsewhere();
	const observer = { id: "observer:wall", kind: "observer", sessions: "all" } as const;
	expect(await chat.listed(observer)).toMatch(/^the observer does not have the permission prompt\.approve/);
	expect(await chat.t.runtime.prompts.list(observer, { limit: 10 })).toHaveLength(1);
	expect(await chat.answer(operator)).toBe("");
});
