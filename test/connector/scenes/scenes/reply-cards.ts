import type { Scene, Step } from "../step.ts";

function writes(...paths: readonly string[]): Step {
	return { says: `@Parley ${paths.map((path) => `write: ${path} <<< ${path}!`).join("\n& ")}` };
}

const three: Step[] = [
	writes("a.txt", "b.txt", "c.txt"),
	{
		shows: [
			"the agent wants to make 3 calls",
			"+a.txt!",
			"+b.txt!",
			"+c.txt!",
			"[Approve all] [Deny all] [Details]",
		],
	},
];

function decides(label: string, by: "Alex" | "Olga", fills?: Readonly<Record<string, string>>): Step[] {
	return [
		{ clicks: "Details", by },
		{ answered: [`[${label}]`] },
		fills === undefined ? { clicks: label, by } : { clicks: label, by, fills },
	];
}

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
			{ shows: ["the agent wants to make 3 calls", "More in Details. Expires"] },
			{ shows: "Approval", times: 1 },
			...missing("a.txt", "b.txt", "c.txt"),
		],
	},
	{
		name: "the calls of a card are answered in any order and by different people, over a restart of the connector",
		steps: [
			...three,
			...decides("Approve 3", "Alex"),
			{ shows: [/✅ \*\*Approved once\*\* by @Alex, .*: \*\*3\.\*\* write c\.txt/, "[Approve all]"] },
			...missing("a.txt", "c.txt"),
			{ restarts: "connector" },
			...decides("Deny 1", "Olga", { reason: "not that one" }),
			{ shows: ["⛔ **Denied** by @Olga", "not that one", "[Approve 2]", "[Deny 2]"] },
			{ hides: "[Approve all] [Deny all] [Details]" },
			{ clicks: "Approve 2", on: "the agent wants to make 3 calls", by: "Alex" },
			{ shows: ["write_file returned", "not that one"], times: 1 },
			{ shows: "Approval", times: 1 },
			...missing("a.txt"),
			...written("b.txt", "c.txt"),
		],
	},
	{
		name: "a restart of both processes between two answers loses no call and shows no card twice",
		steps: [
			...three,
			...decides("Approve 2", "Alex"),
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
			{ shows: ["the agent wants to make 3 calls", "sh run.sh", "cat run.sh", "[Approve all] [Deny all]"] },
			...decides("Approve 2", "Olga"),
			{ shows: "✅ **Approved once** by @Olga" },
			{ restarts: "both" },
			...decides("Approve 1", "Alex"),
			{ shows: ["the agent wants to make 4 calls", "**asked again**", "files changed"] },
			{ file: "run.sh", has: "echo bad\n" },
			{ clicks: "Details", by: "Alex" },
			{ answered: ["files changed since the first question", "run.sh", "[Approve 4]"] },
			{ clicks: "Approve 4", by: "Alex" },
			{
				shows: ["the agent wants to make 4 calls", "**No answer**", "files changed: the call is asked again"],
			},
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
			...decides("Approve 2", "Alex"),
			{ shows: "✅ **Approved once** by @Alex" },
			{ losesDatabase: true },
			{ clicks: "Approve all", by: "Alex" },
			{ shows: ["the agent wants to make 3 calls", "write a.txt", "write b.txt", "write c.txt"], times: 1 },
			{ shows: "Approval", times: 1 },
			...written("a.txt", "b.txt", "c.txt"),
		],
	},
	{
		name: "Approve all omits calls that always require approval, with a note",
		steps: [
			writes("a.txt", ".env", "c.txt"),
			{
				shows: ["**2.** `write_file` · 🔒 **only the operator**: `parley answer", "[Approve all]"],
			},
			{ clicks: "Details", by: "Alex" },
			{ answered: ["write .env", "Risk: critical", "[Approve 1]", "[Deny 2]", "[Approve 3]"] },
			{ hides: "[Approve 2]" },
			{ clicks: "Approve all", by: "Alex" },
			{ answered: ["✅ **Approved:**", "write a.txt", "write c.txt", "**Not approved:**", "write .env"] },
			{ shows: ["write a.txt", "✅ **Approved once** by @Alex", "[Deny 2] [Details]"] },
			...missing(".env"),
			{ clicks: "Deny 2", on: "the agent wants to make 3 calls", by: "Alex", fills: {} },
			{ shows: "write_file returned" },
			...written("a.txt", "c.txt"),
			...missing(".env"),
		],
	},
	{
		name: "Approve all shows calls that do not fit on the card first, and then approves them",
		steps: [
			writes("a.txt", "b.txt", "c.txt", "d.txt", "e.txt", "f.txt", "g.txt", "h.txt"),
			{
				shows: [
					"the agent wants to make 8 calls",
					"… 4 more in Details",
					"[Approve all] [Deny all] [Details]",
				],
				times: 1,
			},
			{ clicks: "Approve all", by: "Alex" },
			{ answered: ["shortens some of these calls", "write h.txt", "[Approve all] [Deny all]"] },
			...missing("a.txt", "h.txt"),
			{ shows: "✅ **Approved once**", times: 0 },
			{ clicks: "Approve all", on: "shortens some of these calls", by: "Alex" },
			{ shows: [/✅ \*\*Approved once\*\* by @Alex, .*: calls 1–8/], times: 1 },
			{ shows: "write_file returned", times: 1 },
			...written("a.txt", "h.txt"),
		],
	},
	{
		name: "one of many calls is chosen in the details and denied",
		steps: [
			writes("a.txt", "b.txt", "c.txt", "d.txt", "e.txt", "f.txt"),
			{ shows: ["the agent wants to make 6 calls", "… 2 more in Details"] },
			{ clicks: "Details", by: "Alex" },
			{ answered: ["write f.txt", "Choose a call"] },
			{ chooses: ["6. write_file · write f.txt"], by: "Alex" },
			{ answered: ["write f.txt", "[Approve 6]", "[Deny 6]", "[Edit 6]"] },
			{ clicks: "Deny 6", by: "Alex", fills: { reason: "too many" } },
			{ shows: [/⛔ \*\*Denied\*\* by @Alex, .*: \*\*6\.\*\* write f\.txt/] },
			{ clicks: "Approve all", by: "Olga" },
			{ answered: "shortens some of these calls" },
			{ clicks: "Approve all", on: "shortens some of these calls", by: "Olga" },
			{ answered: ["✅ **Approved:**", "write a.txt", "write e.txt"] },
			{ shows: ["calls 1–5", "by @Olga", "by @Alex"] },
			...written("a.txt", "e.txt"),
			...missing("f.txt"),
		],
	},
	{
		name: "a call that is too long for the card is denied alone, and Approve all approves the others",
		steps: [
			{
				file: "big.txt",
				gets: Array.from({ length: 800 }, (_, line) => `line ${line} of the old text\n`).join(""),
			},
			writes("big.txt", "a.txt", "b.txt"),
			{
				shows: [
					"the agent wants to make 3 calls",
					"write big.txt",
					"+a.txt!",
					"+b.txt!",
					"Not complete here",
				],
			},
			{ clicks: "Approve all", by: "Alex" },
			{ answered: ["shortens some of these calls", "[Approve all]"] },
			{ clicks: "Approve all", on: "shortens some of these calls", by: "Alex" },
			{
				answered: [
					"✅ **Approved:**",
					"write a.txt",
					"write b.txt",
					"**Not approved:**",
					"longer than 16 KiB",
				],
			},
			{ clicks: "Deny 1", on: "the agent wants to make 3 calls", by: "Alex", fills: {} },
			{ shows: "write_file returned" },
			{ shows: "Approval", times: 1 },
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
			{ clicks: "Approve all", on: "the agent wants to make 3 calls", by: "Olga", late: true },
			{ answered: ["**Not approved:**", "write c.txt: already answered: ✅ **Approved once** by @Alex"] },
			{ shows: "write_file returned", times: 1 },
		],
	},
	{
		name: "Deny all denies the remaining calls with one reason",
		steps: [
			...three,
			...decides("Approve 2", "Alex"),
			{ shows: "✅ **Approved once** by @Alex" },
			{ clicks: "Deny all", by: "Olga", fills: { reason: "not today" } },
			{ answered: ["⛔ **Denied:**", "write a.txt", "write c.txt"] },
			{ shows: ["write_file returned", "write_file failed", "not today"] },
			...written("b.txt"),
			...missing("a.txt", "c.txt"),
		],
	},
	{
		name: "a reply to a post with several calls decides nothing",
		only: "discord",
		steps: [
			...three,
			{ replies: "approve", to: "[Approve all]", by: "Alex" },
			{ shows: "Not decided, because this post shows 3 calls.", times: 1 },
			{ replies: "approve 2", to: "[Approve all]", by: "Alex" },
			{ shows: "Not decided, because this post shows 3 calls.", times: 2 },
			...missing("a.txt", "b.txt", "c.txt"),
		],
	},
];
