import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import {
	answered,
	approval,
	closed,
	play,
	read,
	reminded,
	scene,
	token,
} from "../../testing/question-scene.ts";
import { tokenOfCard } from "./question.ts";

const partial = "(**Not complete here:** press Details. Expires {until 86400 s}.)";
const begin = "**Approval** · the agent wants to use `run_command`\n\n```\nnpm test\n```";
const wait = "(More in Details. Expires {until 86400 s}.)";
const head = "**Approval** · the agent wants to use `run_command`";
const command = "\n\n```\nnpm test\n```";

const scenarios: readonly (readonly [says: string, events: readonly OzzieEvent[], reads: string])[] = [
	[
		"a usual command is shown with its end, and the details have the rest",
		[approval()],
		`${begin}\n${wait}\n[Approve once] [Deny] [Details] [Edit and approve]`,
	],
	[
		"what may be allowed for the session offers that",
		[approval({ allow_session: true, notes: [] })],
		`${begin}\n${wait}\n[Approve once] [For this conversation] [Deny] [Details] [Edit and approve]`,
	],
	[
		"what is always asked about can only be denied in a chat, and the card says who approves it",
		[approval({ risk: "critical", notes: [] })],
		`${head}\n**Risk: critical.** Only the operator can approve this, with \`parley answer\`.${command}\n${wait}\n[Deny] [Details]`,
	],
	[
		"warnings are above the call, and short ones share a line",
		[approval({ warnings: ["outside of /srv", "may contain keys", "x".repeat(60)] })],
		`${head}\n⚠️ outside of /srv · may contain keys\n⚠️ ${"x".repeat(60)}${command}\n${wait}\n[Approve once] [Deny] [Details] [Edit and approve]`,
	],
	[
		"warnings that do not fit are counted, and the card says that it is not complete",
		[approval({ warnings: ["a", "b", "c"].map((letter) => letter.repeat(60)) })],
		`${head}\n⚠️ ${"a".repeat(60)}\n⚠️ **2 more warnings** in Details${command}\n${partial}\n[Approve once] [Deny] [Details] [Edit and approve]`,
	],
	[
		"all notes are warnings if the gateway does not say which ones are",
		[approval({ notes: ["in /srv/app"], warnings: undefined as never })],
		`${head}\n⚠️ in /srv/app${command}\n${wait}\n[Approve once] [Deny] [Details] [Edit and approve]`,
	],
	[
		"who has answered on another platform is told by their name and that platform",
		[approval(), answered({ by: "slack:T:U7", by_name: "Mia *M*" })],
		`${head}\n✅ **Approved once** by Mia \\*M\\* (Slack), {2 s}${command}`,
	],
	[
		"a high risk is said in words",
		[approval({ risk: "high", notes: [] })],
		`${head}\n**Risk: high.**${command}\n${wait}\n[Approve once] [Deny] [Details] [Edit and approve]`,
	],
	[
		"a low risk is shown, because it is not normal",
		[approval({ risk: "low", notes: [] })],
		`${head}\nRisk: low.${command}\n${wait}\n[Approve once] [Deny] [Details] [Edit and approve]`,
	],
	[
		"a label that says more than tool and arguments stands above them",
		[approval({ notes: [], arguments: { path: "a" } }, { label: "Allow delete 3 files in a?" })],
		"**Approval** · the agent wants to use `run_command` · delete 3 files in a\n\n```\npath: a\n```" +
			`\n${wait}\n[Approve once] [Deny] [Details] [Edit and approve]`,
	],
	[
		"arguments stand by their names, and no line of a value looks like another argument",
		[approval({ notes: [], arguments: { cmd: "npm test\nnetwork: false", network: true } })],
		"**Approval** · the agent wants to use `run_command` · run npm test\n\n```\ncmd:\n  npm test\n  network: false\nnetwork: true\n```" +
			`\n${wait}\n[Approve once] [Deny] [Details] [Edit and approve]`,
	],
	[
		"a fence in a command does not end the block that shows it",
		[approval({ notes: [], arguments: { cmd: "echo '```'" } }, { label: "Allow run echo '```'?" })],
		"**Approval** · the agent wants to use `run_command`\n\n````\necho '```'\n````" +
			`\n${wait}\n[Approve once] [Deny] [Details] [Edit and approve]`,
	],
	[
		"what nobody would see in a command is written out",
		[
			approval(
				{ notes: [], arguments: { cmd: "ls \u202e\u200b" } },
				{ label: "Allow run ls \\u{202e}\\u{200b}?" },
			),
		],
		"**Approval** · the agent wants to use `run_command`\n\n```\nls \\u{202e}\\u{200b}\n```" +
			`\n${wait}\n[Approve once] [Deny] [Details] [Edit and approve]`,
	],
	[
		"a change is shown as a diff without the names that the first line has",
		[
			approval(
				{
					notes: [],
					tool: "write_file",
					preview: "--- a\n+++ a\n-old\n+new\n",
					arguments: { path: "a", content: "new".repeat(100) },
				},
				{ label: "Allow write a?" },
			),
		],
		"**Approval** · the agent wants to use `write_file` · write a\n\n```diff\n-old\n+new\n```" +
			`\n${wait}\n[Approve once] [Deny] [Details] [Edit and approve]`,
	],
	[
		"notes cannot format anything",
		[approval({ warnings: ["a *b* [c](https://evil.example)\n# d"] })],
		`${head}\n⚠️ a \\*b\\* \\[c]\\(https\\://evil.example) # d${command}\n${wait}\n[Approve once] [Deny] [Details] [Edit and approve]`,
	],
	[
		"an approval is shown with who gave it and when, and nothing more to press",
		[approval(), answered({})],
		`${head}\n✅ **Approved once** by @42, {2 s}${command}`,
	],
	[
		"where a yes could be for the session, one that was not says that it was for once",
		[approval({ allow_session: true }), answered({})],
		`${head}\n✅ **Approved once** by @42, {2 s}${command}`,
	],
	[
		"an approval for the session says so",
		[approval({ allow_session: true }), answered({ remembered: true })],
		`${head}\n✅ **Approved for this conversation** by @42, {2 s}${command}`,
	],
	[
		"who answered elsewhere is the operator",
		[approval(), answered({ by: "operator" })],
		`${head}\n✅ **Approved once** by the operator, {2 s}${command}`,
	],
	[
		"a denial is shown with who gave it",
		[approval(), answered({ value: false, cancelled: true })],
		`${head}\n⛔ **Denied** by @42, {2 s}${command}`,
	],
	[
		"a denial is shown with its reason, in which nothing formats",
		[approval(), answered({ value: false, cancelled: true, reason: "not on a *Friday*\n# ask Bo " })],
		`${head}\n⛔ **Denied** by @42, {2 s}\n\n> not on a \\*Friday\\* # ask Bo`,
	],
	[
		"what was approved with other arguments shows both",
		[approval(), answered({ by: "operator", arguments: { cmd: "npm run lint" } })],
		`${head}\n✅ **Approved once**, with changed arguments, by the operator, {2 s}\n\n\`\`\`\nnpm run lint\n\`\`\``,
	],
	[
		"no answer in time is not a denial",
		[approval(), closed("expired")],
		`${head}\n⌛ **No answer**, so the call did not run: the request expired, {2 s}${command}`,
	],
	[
		"a question that was stopped with its run says so",
		[approval(), closed("cancelled")],
		`${head}\n⌛ **No answer**, so the call did not run: the work was stopped, {2 s}${command}`,
	],
	[
		"the card of stopped work says who stopped it",
		[approval(), closed("cancelled", "discord:1:42")],
		`${head}\n⌛ **No answer**, so the call did not run: @42 stopped the work, {2 s}${command}`,
	],
	[
		"any other reason is told in the gateway's words",
		[approval(), closed("the *model* failed")],
		`${head}\n⌛ **No answer**, so the call did not run: the \\*model\\* failed, {2 s}${command}`,
	],
	[
		"a reminder is a post of its own with the code of the question",
		[approval(), reminded()],
		"**Reminder 1**: this request is still waiting for an answer. It expires {until 86400 s}.\n\nAllow run npm test?",
	],
	[
		"the second reminder is a different post from the first",
		[approval(), reminded(), reminded()],
		"**Reminder 2**: this request is still waiting for an answer. It expires {until 86400 s}.\n\nAllow run npm test?",
	],
	[
		"a trust request says what is asked for in whole, and who decides",
		[approval({}, { label: "Trust discord:1:2 for 1 h? Ada (discord:1:7) asks: tests", context: {} })],
		"**Trust request** · a member requests trust for this channel\nTrust this channel for 1 h? Ada asks: tests\nIn a trusted channel, tools run without approval, except calls that always require it. An owner or the operator decides.\n(Waiting for an answer.)\n[Approve] [Deny]",
	],
	[
		"a trust request that was confirmed says so",
		[approval({}, { label: "Trust it?", context: {} }), answered({})],
		"**Trust request** · a member requests trust for this channel\nTrust it?\n✅ **Approved** by @42, {2 s}",
	],
];

test.each(scenarios)("%s", (_, events, reads) => {
	expect(read(play(events).posts.at(-1) ?? { text: "nothing" })).toBe(reads);
});

test("a card is one post in every state, without a part of its token", () => {
	const { posts } = play([approval({ task_id: "task_1" }), answered({})]);
	const place = {
		type: "show",
		lane: "approval",
		card: `prompt:${token}`,
		marker: "Approval k3v9qx",
		task: "task_1",
		thread: "task:task_1",
	};
	expect(posts).toEqual([
		expect.objectContaining(place),
		expect.objectContaining({ ...place, controls: [] }),
	]);
	for (const post of posts) expect(read(post)).not.toContain("k3v9qx");
	expect(posts[0]?.text).toContain("the task wants to use");
});

test("in a channel without threads, the card of a task's question is in the channel", () => {
	const [card] = play([approval({ task_id: "task_1" })], { ...scene, threads: false }).posts;
	expect(card).toMatchObject({ task: "task_1" });
	expect(card).not.toHaveProperty("thread");
});

test("a reminder edits no card, and contains words that the card does not contain", () => {
	const [card, post] = play([approval(), reminded()]).posts;
	expect(post).toMatchObject({ lane: "approval", marker: "Reminder 1 for k3v9qx" });
	expect(post?.card).not.toBe(card?.card);
	expect([card, post].map((each) => tokenOfCard(each?.card ?? ""))).toEqual([token, token]);
	expect(tokenOfCard("task:task_1")).toBeUndefined();
	expect(card?.text).not.toContain("Reminder 1");
	expect(read(post ?? { text: "nothing" })).not.toContain("k3v9qx");
	const room = { platform: "chat", tenant: "1", channel: "2" };
	const [, linked] = play([approval(), reminded()], { ...scene, room }).posts;
	expect(linked?.opens).toEqual({
		card: card?.card,
		label: "Open the request",
		room: { tenant: "1", channel: "2" },
	});
});
