import type { Scene, Step } from "../step.ts";

const slow = "long: 60 tokens at 2 per second";
const write = "write: notes.txt <<< hello";

const added: readonly Step[] = [
	{
		shows: ["I am waiting for the approval above. Your message is next.", "[Stop] [Add to running request]"],
	},
	{ clicks: "Add to running request", by: "Mia" },
	{ answered: /only the author/i },
	{ shows: "Your message is next", times: 1 },
	{ clicks: "Add to running request", by: "Max" },
	{ answered: "Added to the running request" },
	{ hides: "Your message is next" },
];

const answeredOnce: readonly Step[] = [
	{ clicks: "Approve once", by: "Alex" },
	{ shows: ["[offline] second", "[Good]"], times: 1 },
	{ shows: "[Good]", times: 1 },
	{ shows: "Approved once", times: 1 },
	{ file: "notes.txt", has: "hello" },
];

const onDiscord: readonly Step[] = [
	{ says: `@Parley ${write}` },
	{ shows: "[Approve once]" },
	{ says: "@Parley say: second", by: "Max" },
];

const onSlack: readonly Step[] = [
	{ says: `@Parley ${write}`, in: "top", as: "root" },
	{ shows: "[Approve once]" },
	{ replies: "@Parley say: second", to: "root", by: "Max" },
];

function scenes(start: readonly Step[]): readonly Scene[] {
	return [
		{
			name: "the author of a queued message adds it to the running request, which answers both once",
			place: { busy: "offer" },
			steps: [...start, ...added, ...answeredOnce],
		},
		{
			name: "a message that was added is answered once after a restart of both processes",
			place: { busy: "offer" },
			steps: [...start, ...added, { restarts: "both" }, ...answeredOnce],
		},
		{
			name: "a message that was added is answered once after the loss of the connector's database",
			place: { busy: "offer" },
			steps: [...start, ...added, { losesDatabase: true }, { passes: 60_000 }, ...answeredOnce],
		},
		{
			name: "a press while the gateway is stopped adds the message once after its start",
			place: { busy: "offer" },
			steps: [
				...start,
				{ shows: "[Add to running request]" },
				{ stops: "gateway" },
				{ clicks: "Add to running request", by: "Max" },
				{ starts: "gateway" },
				{ hides: "Your message is next" },
				...answeredOnce,
			],
		},
		{
			name: "a queued message that its author does not add is answered in its turn",
			place: { busy: "offer" },
			steps: [
				...start,
				{ shows: "[Add to running request]" },
				{ calls: "notice", on: "[Add to running request]" },
				{ clicks: "Approve once", by: "Alex" },
				{ shows: ["write_file returned", "[Good]"], times: 1 },
				{ shows: ["[offline] second", "[Good]"], times: 1 },
				{ hides: "Add to running request" },
			],
		},
		{
			name: "without the setting, a message only waits",
			steps: [
				...start,
				{ shows: ["Your message is next.", "[Stop]"] },
				{ hides: "Add to running request" },
				{ clicks: "Approve once", by: "Alex" },
				{ shows: ["[offline] second", "[Good]"], times: 1 },
			],
		},
	];
}

export const busy: readonly Scene[] = [
	...scenes(onDiscord),
	{
		name: "with reactions, the notice has the button, and both messages show the result",
		place: { busy: "offer", status: "reactions" },
		steps: [
			{ says: `@Parley ${slow}` },
			{ typing: true },
			{ says: "@Parley say: second", by: "Max" },
			{ shows: ["Your message is next.", "[Stop] [Add to running request]"] },
			{ clicks: "Add to running request", by: "Max" },
			{ answered: "Added to the running request" },
			{ passes: 40_000 },
			{ showsOnly: ["t60"] },
			{ shows: ["t60", "[offline] second"] },
		],
	},
];

export const slackBusy: readonly Scene[] = scenes(onSlack);
