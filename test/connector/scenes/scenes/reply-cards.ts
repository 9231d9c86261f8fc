import type { Scene, Step } from "../step.ts";

/** Requests writes of several files in one reply. */
function writes(...paths: readonly string[]): Step {
	return { says: `@Parley ${paths.map((path) => `write: ${path} <<< ${path}!`).join("\n& ")}` };
}

const three: Step[] = [
	writes("a.txt", "b.txt", "c.txt"),
	{ shows: ["3 calls of the agent", "+++ a.txt", "+++ b.txt", "+++ c.txt", "[Approve all] [Deny all]"] },
];

function written(...paths: readonly string[]): Step[] {
	return paths.map((file) => ({ file, has: `${file}!` }));
}

function missing(...paths: readonly string[]): Step[] {
	return paths.map((file) => ({ file, has: null }));
}

export const replyCards: readonly Scene[] = [
	{
		name: "three calls of one reply are one card before the first answer",
		steps: [
			...three,
			{ shows: ["[Approve 1]", "[Deny 1]", "[Approve 2]", "[Approve 3]", "Expires"] },
			{ shows: "Approval", times: 1 },
			...missing("a.txt", "b.txt", "c.txt"),
		],
	},
	{
		name: "the calls of a card are answered in any order and by different people, over a restart of the connector",
		steps: [
			...three,
			{ clicks: "Approve 3", by: "Alex" },
			{ shows: ["**3.** `write_file` · write c.txt", "✅ **Approved once** by @Alex", "[Approve 2]"] },
			{ hides: "[Approve 3]" },
			...missing("a.txt", "c.txt"),
			{ restarts: "connector" },
			{ clicks: "Deny 1", by: "Olga", fills: { reason: "not that one" } },
			{ shows: ["⛔ **Denied** by @Olga", "not that one", "[Approve 2]"] },
			{ hides: "[Approve all]" },
			{ clicks: "Approve 2", by: "Alex" },
			{ shows: ["write_file returned", "not that one"], times: 1 },
			{ shows: "Approval", times: 1 },
			{ hides: "[Deny" },
			...missing("a.txt"),
			...written("b.txt", "c.txt"),
		],
	},
	{
		name: "a restart of both processes between two answers loses no call and shows no card twice",
		steps: [
			...three,
			{ clicks: "Approve 2", by: "Alex" },
			{ shows: "✅ **Approved once** by @Alex" },
			{ restarts: "both" },
			{ clicks: "Approve all", by: "Olga" },
			{ answered: ["✅ **Approved:**", "write a.txt", "write c.txt"] },
			{ shows: "write_file returned", times: 1 },
			{ shows: "Approval", times: 1 },
			...written("a.txt", "b.txt", "c.txt"),
		],
	},
	{
		name: "commands of one reply share a card, and one whose files another has changed requires approval again, with their names",
		sandbox: true,
		steps: [
			{ file: "run.sh", gets: "echo good\n" },
			{ says: "@Parley run: echo echo bad > run.sh\n& run: sh run.sh\n& run: cat run.sh" },
			{ shows: ["3 calls of the agent", "sh run.sh", "cat run.sh", "[Approve all] [Deny all]"] },
			{ clicks: "Approve 2", by: "Olga" },
			{ shows: "✅ **Approved once** by @Olga" },
			{ restarts: "both" },
			{ clicks: "Approve 1", by: "Alex" },
			{ shows: ["**asked again**", "files changed since the first question", "run.sh", "[Approve 4]"] },
			{ file: "run.sh", has: "echo bad\n" },
			{ clicks: "Approve 4", by: "Alex" },
			{ shows: ["4 calls of the agent", "**No answer**", "files changed: the call is asked again"] },
			{ hides: "[Approve 3]" },
			{ shows: ["cat run.sh", "**asked again**", "[Approve once]"] },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "run_command returned" },
			{ shows: "Approval", times: 2 },
		],
	},
	{
		name: "after the connector lost its database the answers are shown on the same card",
		steps: [
			...three,
			{ clicks: "Approve 2", by: "Alex" },
			{ shows: "✅ **Approved once** by @Alex" },
			{ losesDatabase: true },
			{ clicks: "Approve all", by: "Alex" },
			{ shows: ["3 calls of the agent", "write a.txt", "write b.txt", "write c.txt"], times: 1 },
			{ hides: "[Approve" },
			{ shows: "Approval", times: 1 },
			...written("a.txt", "b.txt", "c.txt"),
		],
	},
	{
		name: "Approve all omits calls that always require approval, with a note",
		steps: [
			writes("a.txt", ".env", "c.txt"),
			{
				shows: [
					"**2.** `write_file` · 🔒 **only the operator can approve this**",
					"parley answer",
					"[Approve all]",
				],
			},
			{ hides: "[Approve 2]" },
			{ clicks: "Approve all", by: "Alex" },
			{ answered: ["✅ **Approved:**", "write a.txt", "write c.txt", "**Not approved:**", "write .env"] },
			{ shows: ["write a.txt", "✅ **Approved once** by @Alex", "[Deny 2]"] },
			...missing(".env"),
			{ clicks: "Deny 2", by: "Alex", fills: {} },
			{ shows: "write_file returned" },
			...written("a.txt", "c.txt"),
			...missing(".env"),
		],
	},
	{
		name: "a call that is too long for a shared card is alone on its own card, and Approve all does not approve it",
		steps: [
			{
				file: "big.txt",
				gets: Array.from({ length: 800 }, (_, line) => `line ${line} of the old text\n`).join(""),
			},
			writes("big.txt", "a.txt", "b.txt"),
			{ shows: ["2 calls of the agent", "+++ a.txt", "+++ b.txt", "[Approve 2]", "[Approve 3]"] },
			{ shows: ["the agent wants to use `write_file` · write big.txt", "Not complete here", "[Details]"] },
			{ clicks: "Approve all", by: "Alex" },
			{ answered: ["✅ **Approved:**", "write a.txt", "write b.txt"] },
			{ clicks: "Approve once", by: "Alex" },
			{ answered: "Not accepted: longer than 16 KiB" },
			{ clicks: "Deny", by: "Alex", fills: {} },
			{ shows: "write_file returned" },
			{ shows: "Approval", times: 2 },
			...written("a.txt", "b.txt"),
		],
	},
	{
		name: "a member without the right approves no call with Approve all, and gets the reason",
		steps: [
			...three,
			{ clicks: "Approve all" },
			{
				answered: [
					"**Not approved:**",
					"write a.txt: only approvers of this channel can approve this",
					"write c.txt",
				],
			},
			{ shows: "[Approve all]" },
			...missing("a.txt", "b.txt", "c.txt"),
		],
	},
	{
		name: "if two people press Approve all, each call gets one answer",
		steps: [
			...three,
			{
				together: [
					{ clicks: "Approve all", by: "Alex" },
					{ clicks: "Approve all", by: "Olga" },
				],
			},
			{ answered: ["**Not approved:**", "already answered", "@Alex"] },
			{ shows: "write_file returned", times: 1 },
			{ hides: "by @Olga" },
			...written("a.txt", "b.txt", "c.txt"),
		],
	},
	{
		name: "a late press of Approve all changes no answer, and reports the answers",
		steps: [
			...three,
			{ clicks: "Approve all", by: "Alex" },
			{ shows: "write_file returned" },
			{ clicks: "Approve all", on: "3 calls of the agent", by: "Olga", late: true },
			{ answered: ["**Not approved:**", "write c.txt: already answered: ✅ **Approved once** by @Alex"] },
			{ shows: "write_file returned", times: 1 },
		],
	},
	{
		name: "Deny all denies the remaining calls with one reason",
		steps: [
			...three,
			{ clicks: "Approve 2", by: "Alex" },
			{ shows: "✅ **Approved once** by @Alex" },
			{ clicks: "Deny all", by: "Olga", fills: { reason: "not today" } },
			{ answered: ["⛔ **Denied:**", "write a.txt", "write c.txt"] },
			{ shows: ["write_file returned", "write_file failed", "not today"] },
			...written("b.txt"),
			...missing("a.txt", "c.txt"),
		],
	},
	{
		name: "calls that do not fit on a card are on a second card",
		only: "discord",
		steps: [
			writes("1.txt", "2.txt", "3.txt", "4.txt", "5.txt", "6.txt"),
			{ shows: ["4 calls of the agent", "[Approve 4]"], times: 1 },
			{ shows: ["2 calls of the agent", "[Approve 5]", "[Approve 6]"], times: 1 },
			{ clicks: "Approve all", on: "+++ 5.txt", by: "Alex" },
			{ answered: ["✅ **Approved:**", "write 5.txt", "write 6.txt"] },
			{ clicks: "Approve all", on: "+++ 1.txt", by: "Alex" },
			{ shows: "write_file returned" },
			{ shows: "Approval", times: 2 },
			...written("1.txt", "4.txt", "6.txt"),
		],
	},
	{
		name: "calls that do not fit on a card are on a second card in Slack",
		only: "slack",
		steps: [
			writes(...Array.from({ length: 11 }, (_, index) => `${index + 1}.txt`)),
			{ shows: ["9 calls of the agent", "[Approve 9]"], times: 1 },
			{ shows: ["2 calls of the agent", "[Approve 10]", "[Approve 11]"], times: 1 },
			{ clicks: "Approve all", on: "+++ 10.txt", by: "Alex" },
			{ clicks: "Approve all", on: "+++ 1.txt", by: "Alex" },
			{ shows: "write_file returned" },
			{ shows: "Approval", times: 2 },
			...written("1.txt", "9.txt", "11.txt"),
		],
	},
	{
		name: "a reply names the call by its number",
		only: "discord",
		steps: [
			...three,
			{ replies: "approve", to: "[Approve all]", by: "Alex" },
			{ shows: "this post shows 3 calls. Reply **approve 1**" },
			{ replies: "deny 2: use another name", to: "[Approve all]", by: "Alex" },
			{ shows: ["⛔ **Denied** by @Alex", "use another name"] },
			{ replies: "approve 1", to: "[Approve all]", by: "Alex" },
			{ replies: "approve 3", to: "[Approve 3]", by: "Alex" },
			{ shows: ["write_file returned", "use another name"] },
			...written("a.txt", "c.txt"),
			...missing("b.txt"),
		],
	},
];
