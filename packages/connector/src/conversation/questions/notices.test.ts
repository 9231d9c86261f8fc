import type { NoticePayload, OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { answered, approval, event, play, read, scene, token, writes } from "../../testing/question-scene.ts";

const people = ["discord:1:42", "discord:1:43"];
const mention: NoticePayload = { people, by: ["mention"] };

function reminder(notify: NoticePayload & { readonly escalated: boolean }): OzzieEvent {
	return event("prompt.reminder", { token, label: "?", expires_at: "", run_id: "run_1", notify });
}

function noticesIn(events: readonly OzzieEvent[], where = scene) {
	return play(events, where).posts.filter(({ notifies }) => notifies);
}

test("one post below the card mentions all people of a group", () => {
	const { posts } = play([approval({ notify: mention })], { ...scene, link: "https://chat.example/1" });
	expect(posts).toHaveLength(2);
	expect(posts[1]).toMatchObject({
		card: `prompt:${token}:notice:0:0`,
		notifies: { people: ["42", "43"], ways: ["mention"], channels: [] },
		text: "**An approval for `run_command`** is waiting for your decision [here](https://chat.example/1). It expires {until 86400 s}.\n> run npm test",
	});
});

test("each person gets a direct message, and each approval channel gets a post with the details", () => {
	const direct = noticesIn([approval({ notify: { people, by: ["direct", "mention"] } })]);
	expect(direct.map(({ notifies }) => notifies)).toEqual([
		{ people: ["42"], ways: ["direct", "mention"], channels: [] },
		{ people: ["43"], ways: ["direct", "mention"], channels: [] },
	]);
	expect(new Set(direct.map(({ card }) => card)).size).toBe(2);
	// The text omits the call, because some readers of these messages may not see the call.
	expect(direct[0]?.text).toBe(
		"**An approval for `run_command`** is waiting for your decision. It expires {until 86400 s}.",
	);
	const channels = ["discord:1:7", "discord:1:8"];
	const posts = noticesIn([approval({ notify: { people, by: ["channel"], channels } })]);
	expect(posts.map(({ notifies }) => notifies?.channels)).toEqual([["7"], ["8"]]);
	expect(posts.map(read)).toEqual([
		expect.stringContaining("[Details]"),
		expect.stringContaining("[Details]"),
	]);
});

test("a group of roles alone has one post", () => {
	const notify: NoticePayload = { people: [], roles: ["77"], by: ["direct", "mention"] };
	expect(noticesIn([approval({ notify })]).map(({ notifies }) => notifies)).toEqual([
		{ people: [], roles: ["77"], ways: ["direct", "mention"], channels: [] },
	]);
});

test("beside direct messages to people, the roles of the group get one post by the next way that reaches roles", () => {
	const notice = (by: NoticePayload["by"], more: Partial<NoticePayload> = {}) =>
		noticesIn([approval({ notify: { people, roles: ["77"], by, ...more } })]).map(({ notifies }) => notifies);
	expect(notice(["direct", "mention"])).toEqual([
		{ people: ["42"], ways: ["direct", "mention"], channels: [] },
		{ people: ["43"], ways: ["direct", "mention"], channels: [] },
		{ people: [], roles: ["77"], ways: ["mention"], channels: [] },
	]);
	const channels = ["discord:1:7"];
	expect(notice(["direct", "channel", "mention"], { channels }).at(-1)).toEqual({
		...{ people: [], roles: ["77"], ways: ["channel", "mention"], channels: ["7"] },
	});
	// No way of the notice reaches the roles, so the operator gets a report.
	expect(notice(["direct"]).at(-1)).toEqual({ people: [], roles: ["77"], ways: ["direct"], channels: [] });
	expect(notice(["direct", "mention"], { roles: [] })).toHaveLength(2);
});

test("a reminder and an escalation replace the usual reminder", () => {
	const events = [
		approval({ notify: mention }),
		reminder({ ...mention, escalated: false }),
		reminder({ people: ["discord:1:44"], by: ["mention"], escalated: true }),
	];
	expect(noticesIn(events).map(({ text, notifies }) => [text, notifies?.people])).toEqual([
		[expect.stringContaining("**An approval for `run_command`** is waiting"), ["42", "43"]],
		[expect.stringContaining("**Reminder:** the approval for `run_command` is still waiting"), ["42", "43"]],
		[expect.stringContaining("**An approval for `run_command`** has no decision yet"), ["44"]],
	]);
	expect(play(events).posts).toHaveLength(4);
});

test("calls of one reply have one notice, and a decided call has no reminder", () => {
	const events = writes(["a.txt", "b.txt"], { context: { notify: mention } });
	expect(noticesIn(events).map(({ text }) => text)).toEqual([
		expect.stringContaining("**2 approvals** are waiting for your decision. They expire"),
	]);
	const late = [approval({ notify: mention }), answered({}), reminder({ ...mention, escalated: false })];
	expect(noticesIn(late)).toHaveLength(1);
});
