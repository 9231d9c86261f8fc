import type { DiscordSite } from "../discord-site.ts";
import type { Scene, Step } from "../step.ts";

const write = "@Parley write: notes.txt <<< hello";
const asks: Step[] = [
	{ says: write },
	{ shows: ["Approval", "`write_file`", "notes.txt", "[Approve once]", "[Deny]"] },
];

/** Calls that require approval. */
export const approvals: readonly Scene<DiscordSite>[] = [
	{
		name: "a call that is asked about shows what it would do, and does nothing yet",
		steps: [...asks, { shows: ["+hello", "Risk:", "Waits until"] }, { file: "notes.txt", has: null }],
	},
	{
		name: "an approver allows it once: it is done, and the card says who and when",
		steps: [
			...asks,
			{ clicks: "Approve once", by: "Alex" },
			{ shows: ["✅ **Approved", "by @Alex", "2026-01-01"] },
			{ shows: ["(to Mia)", "write_file returned"] },
			{ toldNothing: true },
			{ file: "notes.txt", has: "hello" },
			{ hides: "[Approve once]" },
		],
	},
	{
		name: "an owner may allow it, too",
		steps: [
			...asks,
			{ clicks: "Approve once", by: "Olga" },
			{ shows: "by @Olga" },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "who denies it can say why, and the agent hears it",
		steps: [
			...asks,
			{ clicks: "Deny", by: "Alex", fills: { reason: "not in this folder" } },
			{ shows: ["⛔ **Denied** by @Alex"] },
			{ shows: ["(to Mia)", "write_file failed", "not in this folder"] },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "nobody has to say why",
		steps: [
			...asks,
			{ clicks: "Deny", by: "Olga", fills: {} },
			{ shows: "⛔ **Denied** by @Olga" },
			{ shows: "failed" },
		],
	},
	{
		name: "who asked for it cannot allow it without the right, and is told so",
		steps: [
			...asks,
			{ clicks: "Approve once" },
			{ told: ["That was not taken", "approver"] },
			{ shows: "[Approve once]" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "another member cannot allow it",
		steps: [
			...asks,
			{ clicks: "Approve once", by: "Max" },
			{ told: "That was not taken" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a guest cannot allow it",
		steps: [
			...asks,
			{ clicks: "Approve once", by: "Gus" },
			{ told: "That was not taken" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a stranger cannot allow it",
		steps: [
			...asks,
			{ clicks: "Approve once", by: "Sam" },
			{ told: /not taken|do not know you/ },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "who asked for it cannot deny it for others without the right, but can stop it",
		steps: [
			...asks,
			{ says: "@Parley stop" },
			{ shows: ["⌛ **No answer**, so nothing was run", "the work was stopped first"] },
			{ hides: "[Approve once]" },
		],
	},
	{
		name: "of two that press at once the first one counts, and the other one is told",
		steps: [
			...asks,
			{
				together: [
					{ clicks: "Approve once", by: "Alex" },
					{ clicks: "Approve once", by: "Olga" },
				],
			},
			{ told: ["This was answered already", "@Alex"] },
			{ shows: "by @Alex", times: 1 },
			{ hides: "by @Olga" },
		],
	},
	{
		name: "for this session, the same is not asked again",
		steps: [
			...asks,
			{ clicks: "For this session", by: "Alex" },
			{ shows: "✅ **Approved for this session** by @Alex" },
			{ shows: "write_file returned" },
			{ says: "@Parley write: notes.txt <<< again" },
			{ shows: "write_file returned", times: 2 },
			{ shows: "Approval", times: 1 },
			{ file: "notes.txt", has: "again" },
		],
	},
	{
		name: "what nobody answers in time is not done",
		place: { approvalHours: 0.1 },
		steps: [
			...asks,
			{ passes: 7 * 60_000 },
			{ shows: ["⌛ **No answer**, so nothing was run", "nobody answered in time"] },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a reply allows it where somebody may",
		only: "discord",
		steps: [
			...asks,
			{ replies: "approve", to: "[Approve once]", by: "Alex" },
			{ shows: "by @Alex" },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "a reply denies it, with the reason",
		only: "discord",
		steps: [
			...asks,
			{ replies: "deny use another name", to: "[Approve once]", by: "Alex" },
			{ shows: "⛔ **Denied** by @Alex" },
			{ shows: ["write_file failed", "use another name"] },
		],
	},
	{
		name: "a reply that is neither yes nor no decides nothing",
		only: "discord",
		steps: [
			...asks,
			{ replies: "hm, maybe", to: "[Approve once]", by: "Alex" },
			{ shows: "Nothing was decided: that is neither yes nor no" },
			{ shows: "[Approve once]" },
		],
	},
	{
		name: "a reply without the right changes nothing",
		only: "discord",
		steps: [
			...asks,
			{ replies: "approve", to: "[Approve once]" },
			{ shows: "That was not taken" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a button still works after both processes were restarted",
		steps: [
			...asks,
			{ restarts: "both" },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "by @Alex" },
			{ shows: "write_file returned", times: 1 },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "a button still works after the connector lost its database, on the same card",
		steps: [
			...asks,
			{ losesDatabase: true },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "by @Alex", times: 1 },
			{ shows: "Approval", times: 1 },
			{ shows: "write_file returned", times: 1 },
		],
	},
	{
		name: "what the operator answers elsewhere shows on the card",
		steps: [
			...asks,
			{
				what: "the operator approves at a terminal",
				does: async ({ city, operator }) => {
					const { prompts } = await city.through(operator.request("list_prompts", {}));
					const own = prompts.filter(({ session_id }) => session_id === prompts.at(-1)?.session_id);
					const prompt = own.at(-1);
					if (prompt === undefined) throw new Error("nothing waits");
					const answer = { token: prompt.token, value: "once" };
					await city.through(operator.request("prompt_response", answer, { sessionId: prompt.session_id }));
				},
			},
			{ shows: "by the operator" },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "calls of two replies are two cards, each with an answer of its own",
		steps: [
			{ says: "@Parley write: a.txt <<< a\nwrite: b.txt <<< b" },
			{ clicks: "Approve once", on: "+++ a.txt", by: "Alex" },
			{ clicks: "Deny", on: "+++ b.txt", by: "Alex", fills: {} },
			{ shows: "Approval", times: 2 },
			{ shows: ["a.txt", "✅ **Approved"] },
			{ shows: ["b.txt", "⛔ **Denied**"] },
			{ file: "a.txt", has: "a" },
			{ file: "b.txt", has: null },
		],
	},
	{
		name: "a call that does not fit can be read as a whole",
		only: "discord",
		steps: [
			{
				file: "big.txt",
				gets: Array.from({ length: 200 }, (_, line) => `line ${line} of the old text\n`).join(""),
			},
			{ says: "@Parley write: big.txt <<< new" },
			{ shows: ["Not all of it fits here", "[Show all]"] },
			{ clicks: "Show all", by: "Alex" },
			{ told: "write_file" },
		],
	},
	{
		name: "what only the operator may allow can only be denied here",
		steps: [
			{ says: "@Parley write: .env <<< KEY=1" },
			{ shows: ["Risk: critical", "parley answer", "[Deny]"] },
			{ hides: "[Approve once]" },
			{ clicks: "Deny", by: "Alex", fills: {} },
			{ shows: "⛔ **Denied** by @Alex" },
			{ file: ".env", has: null },
		],
	},
	{
		name: "who has lost the role in the meantime cannot allow it any more",
		only: "discord",
		steps: [
			...asks,
			{
				what: "Alex is an approver no more",
				does: ({ site }) => site.people.Alex.loses(site.world.home.role("approvers")),
			},
			{ clicks: "Approve once", by: "Alex" },
			{ told: /not taken|do not know you/ },
			{ file: "notes.txt", has: null },
		],
	},
];
