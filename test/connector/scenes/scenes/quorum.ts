import type { DiscordSite } from "../discord-site.ts";
import type { SlackSite } from "../slack-site.ts";
import type { Scene, Step } from "../step.ts";

/** Steps that request two approvals, as the policy of the shared gateway requires for `prod`. */
const requestsApprovals: Step[] = [
	{ says: "@Parley write: prod/notes.txt <<< hello" },
	{
		shows: [
			"Approval",
			"write prod/notes.txt",
			"0 of 2 approvals",
			"two people for production",
			"[Approve once]",
		],
	},
];

export const quorum: readonly Scene[] = [
	{
		name: "a call that needs two approvals runs after the second, and the card names both people",
		steps: [
			...requestsApprovals,
			{ clicks: "Approve once", by: "Alex" },
			{ answeredNothing: true },
			{ shows: ["**1 of 2 approvals**: @Alex", "[Approve once]"] },
			{ file: "prod/notes.txt", has: null },
			{ clicks: "Approve once", by: "Olga" },
			{ shows: "✅ **Approved once** by @Alex and @Olga" },
			{ shows: "write_file returned" },
			{ file: "prod/notes.txt", has: "hello" },
		],
	},
	{
		name: "one person cannot approve twice, and the requester cannot approve at all",
		steps: [
			{ says: "@Parley write: prod/notes.txt <<< hello", by: "Olga" },
			{ shows: "0 of 2 approvals" },
			{ clicks: "Approve once", by: "Olga" },
			{ answered: ["Not accepted", "you requested this call and cannot approve it"] },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "**1 of 2 approvals**: @Alex" },
			{ clicks: "Approve once", by: "Alex" },
			{ answered: ["Not accepted", "you have approved this call already"] },
			{ clicks: "Approve once", by: "Mia" },
			{ answered: "Not accepted" },
			{ file: "prod/notes.txt", has: null },
		],
	},
	{
		name: "one denial is enough, also after an approval",
		steps: [
			...requestsApprovals,
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "1 of 2 approvals" },
			{ clicks: "Deny", by: "Olga", fills: { reason: "not today" } },
			{ shows: ["⛔ **Denied** by @Olga", "not today"] },
			{ shows: "write_file failed" },
			{ file: "prod/notes.txt", has: null },
		],
	},
	{
		name: "a typed approval does not count as one of several approvals, also as the last one, and a typed denial denies nothing",
		steps: [
			...requestsApprovals,
			{ replies: "approve", to: "0 of 2 approvals", by: "Alex" },
			{ hides: "1 of 2 approvals" },
			{ shows: "**0 of 2 approvals**" },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "**1 of 2 approvals**: @Alex" },
			{ replies: "approve", to: "1 of 2 approvals", by: "Olga" },
			{ replies: "deny: not today", to: "1 of 2 approvals", by: "Olga" },
			{ hides: "✅ **Approved once**" },
			{ hides: "**Denied**" },
			{ shows: ["**1 of 2 approvals**: @Alex", "[Approve once]"] },
			{ file: "prod/notes.txt", has: null },
		],
	},
	{
		name: "a message in the thread of a call that needs two approvals decides nothing",
		steps: [
			{ says: "@Parley say: hello", as: "hello" },
			{ shows: "hello" },
			{ opensThread: "work", of: "hello" },
			{ says: "@Parley write: prod/notes.txt <<< hello", in: "work" },
			{ clicks: "Approve once", by: "Alex", in: "work" },
			{ shows: "**1 of 2 approvals**: @Alex", in: "work" },
			{ says: "@Parley approve", by: "Olga", in: "work" },
			{ says: "@Parley deny", by: "Olga", in: "work" },
			{ hides: "✅ **Approved once**", in: "work" },
			{ hides: "**Denied**", in: "work" },
			{ shows: ["**1 of 2 approvals**: @Alex", "[Approve once]"], in: "work" },
			{ file: "prod/notes.txt", has: null },
		],
	},
	{
		name: "an approval from a list says that the call still waits for another",
		steps: [
			...requestsApprovals,
			{ commands: "/approvals", by: "Olga" },
			{ answered: "[Approve once]" },
			{ clicks: "Approve once", on: "Requested by", by: "Olga" },
			{ answered: "Your approval is recorded. The call needs 2 approvals in total." },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "✅ **Approved once** by @Olga and @Alex" },
			{ file: "prod/notes.txt", has: "hello" },
		],
	},
	{
		name: "a list that was shown before an edit approves nothing",
		steps: [
			...requestsApprovals,
			{ commands: "/approvals", by: "Olga" },
			{ answered: ["prod/notes.txt", "hello", "[Approve once]"] },
			{ clicks: "Edit and approve", by: "Alex", fills: { content: "good evening" } },
			{ shows: ["**1 of 2 approvals**: @Alex"] },
			{ clicks: "Approve once", on: "Requested by", by: "Olga" },
			{ answered: "this call has changed since this list was shown" },
			{ file: "prod/notes.txt", has: null },
		],
	},
	{
		name: "a vote survives a restart of both processes",
		steps: [
			...requestsApprovals,
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "1 of 2 approvals" },
			{ restarts: "both" },
			{ clicks: "Approve once", by: "Olga" },
			{ shows: "✅ **Approved once** by @Alex and @Olga" },
			{ shows: "write_file returned", times: 1 },
			{ file: "prod/notes.txt", has: "hello" },
		],
	},
];

/** Steps after an approver has voted and lost the role: only Olga's vote counts. */
const countsOnlyOlga: readonly Step[] = [
	{ clicks: "Approve once", by: "Olga" },
	{ shows: ["**1 of 2 approvals**: @Olga", "[Approve once]"] },
	{ hides: "✅ **Approved once**" },
	{ file: "prod/notes.txt", has: null },
];

export const discordQuorum: readonly Scene<DiscordSite>[] = [
	{
		name: "a person who lost the role before the deciding vote does not count",
		steps: [
			...requestsApprovals,
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "**1 of 2 approvals**: @Alex" },
			{
				what: "Alex loses the role",
				does: ({ site }) => site.people.Alex.loses(site.simulator.home.role("approvers")),
			},
			...countsOnlyOlga,
		],
	},
];

export const slackQuorum: readonly Scene<SlackSite>[] = [
	{
		name: "a person who became a guest before the deciding vote does not count",
		steps: [
			...requestsApprovals,
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "**1 of 2 approvals**: @Alex" },
			{ what: "Alex becomes a guest", does: ({ site }) => site.people.Alex.person.becomes("guest") },
			...countsOnlyOlga,
		],
	},
];
