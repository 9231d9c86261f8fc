import { expect, test } from "vitest";
import { acting, asking, openElsewhere } from "../testing/elsewhere-scene.ts";
import { unkeyed } from "../testing/test-runtime.ts";
import type { Principal } from "../vocabulary/principal.ts";

const answeringPlace = "slack:team:desk";
const abroad = "slack:other:desk";
const places = { [asking]: { approveIn: [answeringPlace, abroad] }, [answeringPlace]: {}, [abroad]: {} };
const bob = acting("bob", "approver", answeringPlace);
const tooLittle = /^only approvers of this channel can approve this/;

test.each([answeringPlace, abroad])(
	"a requester without the right to approve in their channel cannot approve in %s with their role there",
	async (where) => {
		await using chat = await openElsewhere({ places, asker: acting("ann", "member", asking) });
		const ann = acting("ann", "owner", where);
		for (const response of [{ value: "once" }, { cancelled: true }]) {
			expect(await chat.answer(ann, response)).toMatch(tooLittle);
		}
		expect(await chat.answer(bob)).toBe("");
	},
);

test("a requester with the right to approve in their channel may also do so elsewhere", async () => {
	await using chat = await openElsewhere({ places, asker: acting("ann", "approver", asking) });
	expect(await chat.answer(acting("ann", "approver", abroad))).toBe("");
	// Members of this team do not know the id of a person from another team.
	expect(await chat.log.next("prompt.answered")).toMatchObject({
		by: "slack:other:ann",
		byName: "Name of ann",
	});
});

test("the current rights of the requester apply", async () => {
	const { person, ...connector } = acting("ann", "approver", asking);
	if (!person) throw new Error("a connector that acts for nobody");
	const asker: Principal = { ...connector, person: { ...person, platformRoles: [] } };
	await using chat = await openElsewhere({ places, asker, roles: { "slack:team:ann": "approver" } });
	await chat.t.runtime.trust.people.setRole(unkeyed(), "slack:team:ann", "member");
	expect(await chat.answer(acting("ann", "approver", answeringPlace))).toMatch(tooLittle);
	expect(await chat.answer(bob)).toBe("");
});

test("the author of an added message is a requester", async () => {
	await using chat = await openElsewhere({ places, asker: acting("mia", "member", asking), again: true });
	const { t, session, log } = chat;
	await t.runtime.steer(unkeyed(acting("ann", "member", asking)), session, { content: "and that" });
	expect(await chat.answer(bob)).toBe("");
	const { prompt } = await log.next("prompt.requested");
	const answer = (by: Principal) => t.runtime.answer(unkeyed(by), prompt.token, { value: "once" });
	await expect(answer(acting("ann", "approver", answeringPlace))).rejects.toThrow(tooLittle);
	expect(await answer(bob)).toBe(true);
});

test("a person who replied to the task is a requester", async () => {
	await using chat = await openElsewhere({ places, asker: acting("mia", "member", asking) });
	const { t, session, prompt } = chat;
	const requested = { title: "Tidy", description: "tidy" };
	const { id } = await t.runtime.tasks.submit(unkeyed(), session, requested);
	await t.store.commit(async (tx) => {
		const participants = JSON.stringify([acting("ann", "member", asking).person]);
		await tx.updateTable("tasks").set({ speakers: participants }).where("id", "=", id).execute();
		const request = JSON.stringify({ ...prompt, taskId: id });
		await tx.updateTable("prompts").set({ request }).where("token", "=", prompt.token).execute();
	});
	expect(await chat.answer(acting("ann", "approver", answeringPlace))).toMatch(tooLittle);
	expect(await chat.answer(bob)).toBe("");
});
