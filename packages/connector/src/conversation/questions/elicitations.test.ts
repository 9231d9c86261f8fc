import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import {
	answered,
	closed,
	elicitation,
	offer,
	play,
	read,
	reminded,
	scene,
	session,
} from "../../testing/question-scene.ts";

const begin = "**Question** · the agent asks\n\n> Which colour?";
const wait = "(Waiting for an answer.)";
const colours = [offer("red", { label: "Red" }), offer("green"), offer("blue", { disabled: true })];
const many = Array.from({ length: 27 }, (_, index) => offer(`o${index + 1}`));
const listed = many.slice(0, 25).map(({ value }) => value);

const scenarios: readonly (readonly [says: string, events: readonly OzzieEvent[], reads: string])[] = [
	[
		"a question is answered in a form or by a reply",
		[elicitation({})],
		`${begin}\n\nPress **Answer**, or reply to this post.\n${wait}\n[Answer]`,
	],
	[
		"what need not be answered can be skipped",
		[elicitation({ required: false })],
		`${begin}\n\nPress **Answer**, or reply to this post.\n${wait}\n[Answer] [Skip]`,
	],
	[
		"a default, an example and a pattern are shown as they are",
		[elicitation({ default: "red", placeholder: "#f00", validation: "[a-z]+`?" })],
		`${begin}\n\n- Default: \`red\`\n- For example: \`#f00\`\n- Must match: \`\`[a-z]+\`?\`\`\n\nPress **Answer**, or reply to this post.\n${wait}\n[Answer]`,
	],
	[
		"one of several options is chosen from a list, and what cannot be chosen is said",
		[elicitation({ type: "select", options: colours })],
		`${begin}\n\n- Not available: blue\n\nChoose one below.\n${wait}\n{Choose one 1-1: Red | green}`,
	],
	[
		"an option need not be chosen where nothing is required",
		[elicitation({ type: "select", options: colours.slice(0, 2), required: false })],
		`${begin}\n\nChoose one below.\n${wait}\n{Choose one 0-1: Red | green}\n[Skip]`,
	],
	[
		"several options are chosen at once, one at least",
		[elicitation({ type: "multi", options: colours.slice(0, 2) })],
		`${begin}\n\nChoose below.\n${wait}\n{Choose any 1-2: Red | green}`,
	],
	[
		"options for which the list has no room are named and can be written",
		[elicitation({ type: "select", options: many })],
		`${begin}\n\n- Also possible: o26, o27\n\nChoose one below, or press **Answer** to write your own answer.\n${wait}\n{Choose one 1-1: ${listed.join(" | ")}}\n[Answer]`,
	],
	[
		"a long option is shown shortened, and whole behind a button",
		[elicitation({ type: "select", options: [offer("x".repeat(150))] })],
		`${begin}\n\nChoose one below.\n\nSome details do not fit here. Press **Show all**.\n${wait}\n{Choose one 1-1: ${"x".repeat(99)}…}\n[Show all]`,
	],
	[
		"a password is entered on a page and nowhere else",
		[elicitation({ type: "password", label: "API key" })],
		`**Question** · the agent asks for a secret\nAPI key\nPress **Enter it on a page**. The value never appears in this chat. Do not write it here.\n${wait}\n[Enter it on a page]`,
	],
	[
		"the words of who asks stay a quotation whatever they hold",
		[elicitation({ label: "# Approved\n\n> by **Ada** \u202e" })],
		`**Question** · the agent asks\n\n> \\# Approved\n>\n> \\> by \\*\\*Ada\\*\\* \\u{202e}\n\nPress **Answer**, or reply to this post.\n${wait}\n[Answer]`,
	],
	[
		"an answer is shown with who gave it and when",
		[elicitation({}), answered({ value: "deep *blue*" })],
		`${begin}\n\n✅ **Answered** by @42, {2 s}\n\n> deep \\*blue\\*`,
	],
	[
		"chosen options are shown by their names",
		[elicitation({ type: "multi", options: colours }), answered({ value: ["red", "green"] })],
		`${begin}\n\n✅ **Answered** by @42, {2 s}\n\n> Red, green`,
	],
	[
		"an empty answer is told as one",
		[elicitation({ required: false }), answered({ value: "" })],
		`${begin}\n\n✅ **Answered** by @42, {2 s}\n\nThe answer is empty.`,
	],
	[
		"a password that was entered is not shown",
		[elicitation({ type: "password" }), answered({ value: null })],
		"**Question** · the agent asks for a secret\nWhich colour?\n✅ **Answered** by @42, {2 s}\n\nThe value is not shown.",
	],
	[
		"who skips a question is named",
		[elicitation({ required: false }), answered({ value: null, cancelled: true })],
		`${begin}\n\n⏭️ **Skipped** by @42, {2 s}`,
	],
	[
		"no answer in time is told as that",
		[elicitation({}), closed("expired")],
		`${begin}\n\n⌛ **No answer**: the request expired, {2 s}`,
	],
	[
		"a question of a deleted conversation is closed",
		[elicitation({}), deleted()],
		`${begin}\n\n⌛ **No answer**: the conversation was deleted, {2 s}`,
	],
	[
		"a long question is shortened in its reminder",
		[elicitation({ label: "x".repeat(400) }), reminded()],
		`**Reminder 1**: this request is still waiting for an answer.\n\n${"x".repeat(159)}…`,
	],
];

test.each(scenarios)("%s", (_, events, reads) => {
	expect(read(play(events).posts.at(-1) ?? { text: "nothing" })).toBe(reads);
});

function deleted(): OzzieEvent {
	return { type: "event", event: "session.deleted", session_id: session, seq: 2, payload: {} };
}

test("inside a thread, a reply is offered only if people of the platform can reply to one post", () => {
	const inThread = { ...scene, thread: "t" };
	const without = { ...inThread, platform: { ...scene.platform, repliesInThreads: false } };
	const [can, cannot] = [inThread, without].map((where) => play([elicitation({})], where).posts[0]?.text);
	expect(can).toContain("or reply to this post");
	expect(cannot).toContain("Press **Answer**.");
});
