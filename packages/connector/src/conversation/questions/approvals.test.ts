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

const begin = "**Approval k3v9qx** · the agent wants to use `run_command`\n\n```\nnpm test\n```";
const wait = "(Expires {86400 s} (at 86400 s).)";

const scenarios: readonly (readonly [says: string, events: readonly OzzieEvent[], reads: string])[] = [
	[
		"a command is shown with where it runs, its risk and its end",
		[approval()],
		`${begin}\n\n- in /srv/app\n\nRisk: normal.\n${wait}\n[Approve once] [Deny]`,
	],
	[
		"what may be allowed for the session offers that",
		[approval({ allow_session: true, notes: [] })],
		`${begin}\n\nRisk: normal.\n${wait}\n[Approve once] [For this session] [Deny]`,
	],
	[
		"what is always asked about can only be denied in a chat, and the card says who approves it",
		[approval({ risk: "critical", notes: [] })],
		`${begin}\n\n**Risk: critical.** Only the operator can approve this, with \`parley answer k3v9qx\` or in \`parley chat\`. You can deny it here.\n${wait}\n[Deny]`,
	],
	[
		"who sees it and may not approve it reads where else somebody may",
		[approval({ notes: [], also_in: ["discord:1:2"] })],
		`${begin}\n\nRisk: normal.\n${wait.slice(0, -1)} Approvers in a channel of Discord can answer it too, with the command approvals.)\n[Approve once] [Deny]`,
	],
	[
		"what is always asked about is said to be denied elsewhere, not approved",
		[approval({ risk: "critical", notes: [], also_in: ["discord:1:2"] })],
		`${begin}\n\n**Risk: critical.** Only the operator can approve this, with \`parley answer k3v9qx\` or in \`parley chat\`. You can deny it here.\n${wait.slice(0, -1)} Approvers in a channel of Discord can deny it too, with the command approvals.)\n[Deny]`,
	],
	[
		"several rooms of a platform are told as such",
		[approval({ notes: [], also_in: ["discord:1:2", "slack:T:C", "discord:1:3"] })],
		`${begin}\n\nRisk: normal.\n${wait.slice(0, -1)} Approvers in channels of Discord and Slack can answer it too, with the command approvals.)\n[Approve once] [Deny]`,
	],
	[
		"who has answered on another platform is told by their name and that platform",
		[approval(), answered({ by: "slack:T:U7", by_name: "Mia *M*" })],
		`${begin}\n\n✅ **Approved once** by Mia \\*M\\* (Slack), at 2 s`,
	],
	[
		"a high risk is said in words",
		[approval({ risk: "high", notes: [] })],
		`${begin}\n\n**Risk: high.**\n${wait}\n[Approve once] [Deny]`,
	],
	[
		"a label that says more than tool and arguments stands above them",
		[approval({ notes: [], arguments: { path: "a" } }, { label: "Allow delete 3 files in a?" })],
		"**Approval k3v9qx** · the agent wants to use `run_command`\n\nAllow delete 3 files in a?\n\n```\npath: a\n```" +
			`\n\nRisk: normal.\n${wait}\n[Approve once] [Deny]`,
	],
	[
		"arguments stand by their names, and no line of a value looks like another argument",
		[approval({ notes: [], arguments: { cmd: "npm test\nnetwork: false", network: true } })],
		"**Approval k3v9qx** · the agent wants to use `run_command`\n\nAllow run npm test?\n\n```\ncmd:\n  npm test\n  network: false\nnetwork: true\n```" +
			`\n\nRisk: normal.\n${wait}\n[Approve once] [Deny]`,
	],
	[
		"a fence in a command does not end the block that shows it",
		[approval({ notes: [], arguments: { cmd: "echo '```'" } }, { label: "Allow run echo '```'?" })],
		"**Approval k3v9qx** · the agent wants to use `run_command`\n\n````\necho '```'\n````" +
			`\n\nRisk: normal.\n${wait}\n[Approve once] [Deny]`,
	],
	[
		"what nobody would see in a command is written out",
		[
			approval(
				{ notes: [], arguments: { cmd: "ls \u202e\u200b" } },
				{ label: "Allow run ls \\u{202e}\\u{200b}?" },
			),
		],
		"**Approval k3v9qx** · the agent wants to use `run_command`\n\n```\nls \\u{202e}\\u{200b}\n```" +
			`\n\nRisk: normal.\n${wait}\n[Approve once] [Deny]`,
	],
	[
		"a change is shown as a diff, and a long text that the diff tells only by its length",
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
		"**Approval k3v9qx** · the agent wants to use `write_file`\n\n```\npath: a\ncontent: (300 characters)\n```\n\n```diff\n--- a\n+++ a\n-old\n+new\n```" +
			`\n\nRisk: normal.\n\nSome details do not fit here. Press **Show all**.\n${wait}\n[Approve once] [Deny] [Show all]`,
	],
	[
		"notes cannot format anything",
		[approval({ notes: ["a *b* [c](https://evil.example)\n# d"] })],
		`${begin}\n\n- a \\*b\\* \\[c]\\(https\\://evil.example) \\# d\n\nRisk: normal.\n${wait}\n[Approve once] [Deny]`,
	],
	[
		"an approval is shown with who gave it and when, and nothing more to press",
		[approval(), answered({})],
		`${begin}\n\n✅ **Approved once** by @42, at 2 s`,
	],
	[
		"where a yes could be for the session, one that was not says that it was for once",
		[approval({ allow_session: true }), answered({})],
		`${begin}\n\n✅ **Approved once** by @42, at 2 s`,
	],
	[
		"an approval for the session says so",
		[approval({ allow_session: true }), answered({ remembered: true })],
		`${begin}\n\n✅ **Approved for this session** by @42, at 2 s`,
	],
	[
		"who answered elsewhere is the operator",
		[approval(), answered({ by: "operator" })],
		`${begin}\n\n✅ **Approved once** by the operator, at 2 s`,
	],
	[
		"a denial is shown with who gave it",
		[approval(), answered({ value: false, cancelled: true })],
		`${begin}\n\n⛔ **Denied** by @42, at 2 s`,
	],
	[
		"a denial is shown with its reason, in which nothing formats",
		[approval(), answered({ value: false, cancelled: true, reason: "not on a *Friday*\n# ask Bo " })],
		`${begin}\n\n⛔ **Denied** by @42, at 2 s\n\n> not on a \\*Friday\\*\n> \\# ask Bo`,
	],
	[
		"what was approved with other arguments shows both",
		[approval(), answered({ by: "operator", arguments: { cmd: "npm run lint" } })],
		`${begin}\n\n✅ **Approved once**, with changed arguments, by the operator, at 2 s\n\nApproved arguments:\n\n\`\`\`\nnpm run lint\n\`\`\``,
	],
	[
		"no answer in time is not a denial",
		[approval(), closed("expired")],
		`${begin}\n\n⌛ **No answer**, so the call did not run: the time to answer is over, at 2 s`,
	],
	[
		"a question that was stopped with its run says so",
		[approval(), closed("cancelled")],
		`${begin}\n\n⌛ **No answer**, so the call did not run: the work was stopped, at 2 s`,
	],
	[
		"any other reason is told in the gateway's words",
		[approval(), closed("the *model* failed")],
		`${begin}\n\n⌛ **No answer**, so the call did not run: the \\*model\\* failed, at 2 s`,
	],
	[
		"a reminder is a post of its own with the code of the question",
		[approval(), reminded()],
		"**Reminder 1 for k3v9qx**: still waiting for an answer, expires {86400 s}.\n\nAllow run npm test?",
	],
	[
		"the second reminder is another post than the first",
		[approval(), reminded(), reminded()],
		"**Reminder 2 for k3v9qx**: still waiting for an answer, expires {86400 s}.\n\nAllow run npm test?",
	],
	[
		"a trust request says what is asked for in whole, and who decides",
		[approval({}, { label: "Trust discord:1:2 for 1 h? Ada (discord:1:7) asks: tests", context: {} })],
		"**Trust request k3v9qx** · a member requests trust for this channel\n\n> Trust this channel for 1 h? Ada asks: tests\n\nAn owner or the operator decides. Tools then run here without approval, except calls that always require it.\n(Waiting for an answer.)\n[Approve] [Deny]",
	],
	[
		"a trust request that was confirmed says so",
		[approval({}, { label: "Trust it?", context: {} }), answered({})],
		"**Trust request k3v9qx** · a member requests trust for this channel\n\n> Trust it?\n\n✅ **Approved** by @42, at 2 s",
	],
];

test.each(scenarios)("%s", (_, events, reads) => {
	expect(read(play(events).posts.at(-1) ?? { text: "nothing" })).toBe(reads);
});

test("a card is one post that is found by its title whatever became of it", () => {
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
	for (const { text, marker = "-" } of posts) expect(text).toContain(marker);
	expect(posts[0]?.text).toContain("the task wants to use");
});

test("in a room without threads, the card of a task's question is in the room", () => {
	const [card] = play([approval({ task_id: "task_1" })], { ...scene, threads: false }).posts;
	expect(card).toMatchObject({ task: "task_1" });
	expect(card).not.toHaveProperty("thread");
});

test("a reminder edits no card, and has words that its card lacks", () => {
	const [card, post] = play([approval(), reminded()]).posts;
	expect(post).toMatchObject({ lane: "approval", marker: "Reminder 1 for k3v9qx" });
	expect(post?.card).not.toBe(card?.card);
	expect([card, post].map((each) => tokenOfCard(each?.card ?? ""))).toEqual([token, token]);
	expect(tokenOfCard("task:task_1")).toBeUndefined();
	expect(card?.text).not.toContain("Reminder 1 for k3v9qx");
	expect(post?.text).not.toContain(card?.marker);
});
