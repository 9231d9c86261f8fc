import type { DiscordSite } from "../discord-site.ts";
import type { Scene, SceneNotices, Step } from "../step.ts";
import { deletes } from "./deleted.ts";

const minuteMs = 60_000;

const byMention: SceneNotices = {
	groups: [
		{ people: ["Alex"], by: ["mention"] },
		{ people: ["Olga"], by: ["mention"] },
	],
	remindMinutes: 30,
	escalateMinutes: 60,
};

const write: Step = { says: "@Parley write: notes.txt <<< hello" };
const requestsApproval: Step[] = [
	write,
	{ shows: ["Approval", "[Approve once]"] },
	{ shows: /approval for `write_file`\*\* is waiting for your decision/, times: 1 },
	{ notified: ["Alex"] },
];

function passes(minutes: number): Step {
	return { passes: minutes * minuteMs };
}

export const notices: readonly Scene[] = [
	{
		name: "approvers are notified once, reminded once, and then the next group is notified once",
		notices: byMention,
		steps: [
			...requestsApproval,
			passes(29),
			{ notified: [] },
			passes(2),
			{ shows: "**Reminder:**", times: 1 },
			{ notified: ["Alex"] },
			passes(58),
			{ notified: [] },
			passes(3),
			{ shows: "has no decision yet", times: 1 },
			{ notified: ["Olga"] },
			passes(600),
			{ notified: [] },
			{ clicks: "Approve once", by: "Olga" },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "a restart of both processes repeats no notice, and loses none",
		notices: byMention,
		steps: [
			...requestsApproval,
			{ restarts: "both" },
			{ shows: /approval for `write_file`\*\* is waiting for your decision/, times: 1 },
			{ notified: [] },
			{ stops: "connector" },
			{ stops: "gateway" },
			passes(300),
			{ starts: "gateway" },
			{ starts: "connector" },
			{ shows: "**Reminder:**", times: 1 },
			{ notified: ["Alex"] },
			{ restarts: "both" },
			passes(61),
			{ shows: "has no decision yet", times: 1 },
			{ shows: "**Reminder:**", times: 1 },
			{ notified: ["Olga"] },
		],
	},
	{
		name: "a lost database repeats no notice",
		notices: byMention,
		steps: [
			...requestsApproval,
			passes(31),
			{ shows: "**Reminder:**", times: 1 },
			{ notified: ["Alex"] },
			{ losesDatabase: true },
			{ shows: /approval for `write_file`\*\* is waiting for your decision/, times: 1 },
			{ shows: "**Reminder:**", times: 1 },
			{ notified: [] },
		],
	},
	{
		name: "a decided approval has neither a reminder nor an escalation",
		notices: byMention,
		steps: [
			...requestsApproval,
			{ clicks: "Deny", by: "Alex", fills: {} },
			{ shows: "⛔ **Denied** by @Alex" },
			passes(200),
			{ hides: /Reminder|no decision yet/ },
			{ notified: [] },
		],
	},
	{
		name: "a stopped run has neither a reminder nor an escalation",
		notices: byMention,
		steps: [
			...requestsApproval,
			{ says: "@Parley stop" },
			{ shows: "stopped the work" },
			passes(200),
			{ hides: /Reminder|no decision yet/ },
			{ notified: [] },
		],
	},
	{
		name: "an approval of a deleted conversation has neither a reminder nor an escalation",
		notices: byMention,
		steps: [
			...requestsApproval,
			deletes,
			{ shows: /stopped the work|the conversation was deleted/ },
			passes(200),
			{ hides: /Reminder|no decision yet/ },
			{ notified: [] },
		],
	},
	{
		name: "a changed call still has its reminder, and a decision of several people ends the notices",
		notices: byMention,
		steps: [
			{ says: "@Parley write: prod/notes.txt <<< hello" },
			{ shows: "0 of 2 approvals" },
			{ notified: ["Alex"] },
			{ clicks: "Edit and approve", by: "Olga", fills: { content: "good evening" } },
			{ shows: "**1 of 2 approvals**: @Olga" },
			passes(31),
			{ shows: "**Reminder:**", times: 1 },
			{ notified: ["Alex"] },
			{ clicks: "Approve once", by: "Alex" },
			{ file: "prod/notes.txt", has: "good evening" },
			passes(200),
			{ hides: "no decision yet" },
			{ notified: [] },
		],
	},
	{
		name: "the calls of one card have one notice and one reminder",
		notices: byMention,
		steps: [
			{ says: "@Parley write: a.txt <<< one\n& write: b.txt <<< two" },
			{ shows: ["2 calls", "[Approve all]"] },
			{ shows: "are waiting for your decision", times: 1 },
			{ notified: ["Alex"] },
			passes(31),
			{ shows: ["**Reminder:**", "2 approvals"], times: 1 },
			{ notified: ["Alex"] },
		],
	},
	{
		name: "an approver is notified by direct message, which leads to the conversation",
		notices: { ...byMention, groups: [{ people: ["Alex"], by: ["direct", "mention"] }] },
		steps: [
			write,
			{ shows: "[Approve once]" },
			{
				shows: [/approval for `write_file`\*\* is waiting for your decision/, "here"],
				in: "dm",
				to: "Alex",
				times: 1,
			},
			{ hides: /approval for `write_file`\*\* is waiting for your decision/ },
			passes(31),
			{ shows: "**Reminder:**", in: "dm", to: "Alex", times: 1 },
			{ restarts: "both" },
			passes(200),
			{ shows: /approval for `write_file`\*\* is waiting for your decision/, in: "dm", to: "Alex", times: 1 },
			{ shows: "**Reminder:**", in: "dm", to: "Alex", times: 1 },
			{ notified: [] },
		],
	},
	{
		name: "a notice in the approval channel has the details, and the approval can be answered there",
		notices: { ...byMention, groups: [{ people: ["Alex"], by: ["channel", "mention"] }], approveIn: true },
		steps: [
			write,
			{ shows: "[Approve once]" },
			{
				shows: [/approval for `write_file`\*\* is waiting for your decision/, "[Details]"],
				in: "random",
				times: 1,
			},
			{ notified: ["Alex"] },
			{ clicks: "Details", in: "random", by: "Max" },
			{ answered: /approve/ },
			{ clicks: "Details", in: "random", by: "Alex" },
			{ answered: ["write_file", "notes.txt", "+hello", "[Approve once]"] },
			{ file: "notes.txt", has: null },
			{ hides: /approval for `write_file`\*\* is waiting for your decision/ },
		],
	},
	{
		name: "without an approval channel, the next way is used",
		notices: { ...byMention, groups: [{ people: ["Alex"], by: ["channel", "mention"] }] },
		steps: [
			write,
			{ shows: /approval for `write_file`\*\* is waiting for your decision/, times: 1 },
			{ notified: ["Alex"] },
		],
	},
];

export const discordNotices: readonly Scene<DiscordSite>[] = [
	{
		name: "an approver with closed direct messages is notified in the next way",
		notices: { ...byMention, groups: [{ people: ["Alex", "Olga"], by: ["direct", "mention"] }] },
		steps: [
			{
				what: "Alex closes the direct messages",
				does: ({ site }) => {
					site.people.Alex.user.acceptsDirect = false;
				},
			},
			write,
			{ shows: /approval for `write_file`\*\* is waiting for your decision/, times: 1 },
			{ notified: ["Alex"] },
			{ shows: /approval for `write_file`\*\* is waiting for your decision/, in: "dm", to: "Olga", times: 1 },
		],
	},
	{
		name: "an approver who cannot be reached at all is reported to the operator",
		notices: { ...byMention, groups: [{ people: ["Alex"], by: ["direct"] }] },
		errors: [/./],
		steps: [
			{
				what: "Alex closes the direct messages",
				does: ({ site }) => {
					site.people.Alex.user.acceptsDirect = false;
				},
			},
			write,
			{ shows: "[Approve once]" },
			{ stuck: ["a direct message for"] },
		],
	},
];

export const slackNotices: readonly Scene[] = [
	{
		name: "an approver to whom Slack opens no direct messages is notified in the next way",
		notices: { ...byMention, groups: [{ people: ["Alex"], by: ["direct", "mention"] }] },
		steps: [
			{ fault: "conversations.open", is: { error: "user_disabled" } },
			write,
			{ shows: /approval for `write_file`\*\* is waiting for your decision/, times: 1 },
			{ notified: ["Alex"] },
		],
	},
];
