import type { DiscordSite } from "../discord-site.ts";
import type { Scene, Step } from "../step.ts";

const write = "@Parley write: notes.txt <<< hello";
const requestsApproval: Step[] = [
	{ says: write },
	{ shows: ["Approval", "`write_file`", "notes.txt", "[Approve once]", "[Deny]"] },
];

export const approvals: readonly Scene<DiscordSite>[] = [
	{
		name: "a call that requires approval shows its effect before it runs",
		steps: [
			...requestsApproval,
			{ shows: ["+hello", "More in Details", "Expires", "[Details]"] },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "an approver approves a call once: it runs, and the card shows the approver and the time",
		steps: [
			...requestsApproval,
			{ clicks: "Approve once", by: "Alex" },
			{ shows: ["✅ **Approved", "by @Alex", "second"] },
			{ shows: ["(to Mia", "write_file returned"] },
			{ answeredNothing: true },
			{ file: "notes.txt", has: "hello" },
			{ hides: "[Approve once]" },
		],
	},
	{
		name: "an owner may approve a call as well",
		steps: [
			...requestsApproval,
			{ clicks: "Approve once", by: "Olga" },
			{ shows: "by @Olga" },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "a denial can have a reason, which the agent gets",
		steps: [
			...requestsApproval,
			{ clicks: "Deny", by: "Alex", fills: { reason: "not in this folder" } },
			{ shows: ["⛔ **Denied** by @Alex"] },
			{ shows: ["(to Mia", "write_file failed", "not in this folder"] },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a denial needs no reason",
		steps: [
			...requestsApproval,
			{ clicks: "Deny", by: "Olga", fills: {} },
			{ shows: "⛔ **Denied** by @Olga" },
			{ shows: "failed" },
		],
	},
	{
		name: "the requester cannot approve without the right, and gets the reason",
		steps: [
			...requestsApproval,
			{ clicks: "Approve once" },
			{ answered: ["Not accepted", "approver"] },
			{ shows: "[Approve once]" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "another member cannot approve",
		steps: [
			...requestsApproval,
			{ clicks: "Approve once", by: "Max" },
			{ answered: "Not accepted" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a guest cannot approve",
		steps: [
			...requestsApproval,
			{ clicks: "Approve once", by: "Gus" },
			{ answered: "Not accepted" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a person without access cannot approve",
		steps: [
			...requestsApproval,
			{ clicks: "Approve once", by: "Sam" },
			{ answered: /Not accepted|You do not have access yet/ },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "the requester cannot deny for others without the right, but can stop the work",
		steps: [
			...requestsApproval,
			{ says: "@Parley stop" },
			{ shows: ["⌛ **No answer**, so the call did not run", "stopped the work"] },
			{ hides: "[Approve once]" },
		],
	},
	{
		name: "the approval of a sub-agent names the person who stopped the work",
		steps: [
			{ says: "@Parley delegate: Count <<< write: notes.txt <<< hello" },
			{ shows: "[Approve once]" },
			{ says: "@Parley stop" },
			{ shows: ["⌛ **No answer**, so the call did not run", "@Mia stopped the work"] },
			{ hides: "[Approve once]" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "the first of two simultaneous presses decides, and the other person is informed",
		steps: [
			...requestsApproval,
			{
				together: [
					{ clicks: "Approve once", by: "Alex" },
					{ clicks: "Approve once", by: "Olga" },
				],
			},
			{ answered: ["Already answered", "@Alex"] },
			{ shows: "by @Alex", times: 1 },
			{ hides: "by @Olga" },
		],
	},
	{
		name: "after an approval for the session, the same call needs no further approval",
		steps: [
			...requestsApproval,
			{ clicks: "For this conversation", by: "Alex" },
			{ shows: "✅ **Approved for this conversation** by @Alex" },
			{ shows: "write_file returned" },
			{ says: "@Parley write: notes.txt <<< again" },
			{ shows: "write_file returned", times: 2 },
			{ shows: "Approval", times: 1 },
			{ file: "notes.txt", has: "again" },
		],
	},
	{
		name: "a call without an answer in time does not run",
		place: { approvalHours: 0.1 },
		steps: [
			...requestsApproval,
			{ passes: 7 * 60_000 },
			{ shows: ["⌛ **No answer**, so the call did not run", "the request expired"] },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a reply approves a call if the person may",
		only: "discord",
		steps: [
			...requestsApproval,
			{ replies: "approve", to: "[Approve once]", by: "Alex" },
			{ shows: "by @Alex" },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "a reply denies a call, with its reason",
		only: "discord",
		steps: [
			...requestsApproval,
			{ replies: "deny: use another name", to: "[Approve once]", by: "Alex" },
			{ shows: "⛔ **Denied** by @Alex" },
			{ shows: ["write_file failed", "use another name"] },
		],
	},
	{
		name: "a reply other than yes or no decides nothing",
		only: "discord",
		steps: [
			...requestsApproval,
			{ replies: "hm, maybe", to: "[Approve once]", by: "Alex" },
			{ shows: "Not decided. Reply **approve**" },
			{ shows: "[Approve once]" },
		],
	},
	{
		name: "a reply without the right changes nothing",
		only: "discord",
		steps: [
			...requestsApproval,
			{ replies: "approve", to: "[Approve once]" },
			{ shows: "Not accepted" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a button still works after both processes were restarted",
		steps: [
			...requestsApproval,
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
			...requestsApproval,
			{ losesDatabase: true },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "by @Alex", times: 1 },
			{ shows: "Approval", times: 1 },
			{ shows: "write_file returned", times: 1 },
		],
	},
	{
		name: "an answer of the operator in another client shows on the card",
		steps: [
			...requestsApproval,
			{
				what: "the operator approves at a terminal",
				does: async ({ sceneGateway, operator }) => {
					const { prompts } = await sceneGateway.through(operator.request("list_prompts", {}));
					const own = prompts.filter(({ session_id }) => session_id === prompts.at(-1)?.session_id);
					const prompt = own.at(-1);
					if (prompt === undefined) throw new Error("nothing waits");
					const answer = { token: prompt.token, value: "once" };
					await sceneGateway.through(
						operator.request("prompt_response", answer, { sessionId: prompt.session_id }),
					);
				},
			},
			{ shows: "by the operator" },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "calls of two replies are two cards with separate answers",
		steps: [
			{ says: "@Parley write: a.txt <<< a\nwrite: b.txt <<< b" },
			{ clicks: "Approve once", on: "write a.txt", by: "Alex" },
			{ clicks: "Deny", on: "write b.txt", by: "Alex", fills: {} },
			{ shows: "Approval", times: 2 },
			{ shows: ["a.txt", "✅ **Approved"] },
			{ shows: ["b.txt", "⛔ **Denied**"] },
			{ file: "a.txt", has: "a" },
			{ file: "b.txt", has: null },
		],
	},
	{
		name: "a call that does not fit on its card can be read completely",
		only: "discord",
		steps: [
			{
				file: "big.txt",
				gets: Array.from({ length: 200 }, (_, line) => `line ${line} of the old text\n`).join(""),
			},
			{ says: "@Parley write: big.txt <<< new" },
			{ shows: ["Not complete here", "[Details]"] },
			{ clicks: "Details", by: "Alex" },
			{ answered: ["write_file", "big.txt"] },
		],
	},
	{
		name: "the details of a call are private, with all notes, its risk and its end",
		steps: [
			...requestsApproval,
			{ clicks: "Details" },
			{
				answered: ["write_file", "+hello", "creates a new file", "writes a file", "Risk: normal", "Expires"],
			},
			{ hides: "creates a new file" },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "✅ **Approved once** by @Alex" },
		],
	},
	{
		name: "a call that only the operator may approve can only be denied here",
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
		name: "a person who has lost the role can no longer approve",
		only: "discord",
		steps: [
			...requestsApproval,
			{
				what: "Alex is no longer an approver",
				does: ({ site }) => site.people.Alex.loses(site.simulator.home.role("approvers")),
			},
			{ clicks: "Approve once", by: "Alex" },
			{ answered: /Not accepted|You do not have access yet/ },
			{ file: "notes.txt", has: null },
		],
	},
];
