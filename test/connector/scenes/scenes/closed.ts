import type { DiscordSite } from "../discord-site.ts";
import type { Scene, Step } from "../step.ts";

const long = "@Parley long: 20 tokens at 2 per second";
const closedText = "because it is closed. My answer:";

const growsInThread: readonly Step[] = [
	{ says: "@Parley say: hello", as: "hello" },
	{ shows: "hello" },
	{ opensThread: "work", of: "hello" },
	{ says: long, in: "work" },
	{ shows: ["t3", "[Stop]"], in: "work" },
];

function answeredElsewhere(room: string): readonly Step[] {
	return [
		{ shows: closedText, in: "dm", times: 1 },
		{ shows: "t20", in: "dm", times: 1 },
		{ hides: "t20", in: room },
		{ stuck: ["waits until its thread or channel is open again: "] },
	];
}

function completeIn(room: string): readonly Step[] {
	return [
		{ shows: ["t20", "[Good]"], in: room, times: 1 },
		{ hides: "[Stop]", in: room },
		{ shows: "t20", in: "dm", times: 1 },
		{ stuck: [] },
	];
}

const otherRoomWorks: readonly Step[] = [
	{ says: "@Parley say: still here", by: "Max", in: "random" },
	{ shows: "[offline] still here", in: "random", times: 1 },
];

export const closedChannels: readonly Scene[] = [
	{
		name: "an answer whose channel is archived arrives in direct messages, and is completed when the channel is open again",
		only: "slack",
		steps: [
			{ says: long },
			{ shows: ["t3", "[Stop]"] },
			{ archives: "general" },
			{ passes: 60_000 },
			...answeredElsewhere("general"),
			...otherRoomWorks,
			{ reopens: "general" },
			...completeIn("general"),
			{ says: "@Parley say: next" },
			{ shows: "[offline] next", times: 1 },
		],
	},
	{
		name: "an answer whose channel is archived is completed after a restart, and arrives once in direct messages",
		only: "slack",
		steps: [
			{ says: long },
			{ shows: ["t3", "[Stop]"] },
			{ archives: "general" },
			{ passes: 60_000 },
			{ restarts: "both" },
			{ passes: 60_000 },
			...answeredElsewhere("general"),
			{ stops: "connector" },
			{ reopens: "general" },
			{ starts: "connector" },
			...completeIn("general"),
		],
	},
];

export const closedThreads: readonly Scene<DiscordSite>[] = [
	...(["archives", "locks"] as const).map((closes): Scene<DiscordSite> => {
		const step: Step = closes === "locks" ? { locks: "work" } : { archives: "work", locked: true };
		return {
			name: `an answer whose thread a moderator ${closes === "locks" ? "locks" : "locks and archives"} arrives in direct messages, and is completed when the thread is open again`,
			steps: [
				...growsInThread,
				step,
				{ passes: 60_000 },
				...answeredElsewhere("work"),
				...otherRoomWorks,
				{ reopens: "work" },
				...completeIn("work"),
				{ says: "@Parley say: next", in: "work" },
				{ shows: "[offline] next", in: "work", times: 1 },
			],
		};
	}),
	{
		name: "an answer whose thread is locked is completed after a restart, and arrives once in direct messages",
		steps: [
			...growsInThread,
			{ archives: "work", locked: true },
			{ restarts: "connector" },
			{ passes: 90_000 },
			...answeredElsewhere("work"),
			{ restarts: "both" },
			{ passes: 60_000 },
			...answeredElsewhere("work"),
			{ stops: "connector" },
			{ reopens: "work" },
			{ starts: "connector" },
			...completeIn("work"),
		],
	},
	{
		name: "with Manage Threads, an answer in a locked thread is completed there, and the thread is archived again",
		steps: [
			...growsInThread,
			{
				what: "an administrator gives Parley Manage Threads",
				does: ({ site }) => site.general.permit(site.simulator.bot, { allow: ["ManageThreads"] }),
			},
			{ archives: "work", locked: true },
			{ passes: 60_000 },
			{ shows: ["t20", "[Good]"], in: "work", times: 1 },
			{ hides: "[Stop]", in: "work" },
			{ hides: "t20", in: "dm" },
			{ stuck: [] },
			{
				what: "the thread is locked and archived",
				does: ({ site }) => {
					const room = site.room("work", site.people.Mia);
					if (room.closed.join() !== "locked,archived")
						throw new Error(`it is ${room.closed.join() || "open"}`);
				},
			},
		],
	},
	{
		name: "after a loss of the database, an answer whose thread is locked is not sent again, and is completed later",
		steps: [
			...growsInThread,
			{ archives: "work", locked: true },
			{ passes: 60_000 },
			...answeredElsewhere("work"),
			{ losesDatabase: true },
			{ passes: 90_000 },
			...answeredElsewhere("work"),
			{ reopens: "work" },
			...completeIn("work"),
		],
	},
	{
		name: "an answer that was not shown before its thread was locked arrives only in direct messages",
		place: { live: "off" },
		errors: [/a post was given up/],
		steps: [
			...growsInThread.slice(0, 4),
			{ passes: 3000 },
			{ archives: "work", locked: true },
			{ passes: 60_000 },
			{ shows: closedText, in: "dm", times: 1 },
			{ shows: "t20", in: "dm", times: 1 },
			{ stuck: ["dead: "] },
			{ reopens: "work" },
			{ passes: 5000 },
			{ hides: "t3", in: "work" },
			{ says: "@Parley say: next", in: "work" },
			{ shows: "[offline] next", in: "work", times: 1 },
		],
	},
	{
		name: "a card in a locked thread is closed when the thread is open again",
		// The log reports that the notice about the stopped work was given up.
		errors: [/a post was given up/],
		steps: [
			{ says: "@Parley say: hello", as: "hello" },
			{ shows: "hello" },
			{ opensThread: "work", of: "hello" },
			{ says: "@Parley write: notes.txt <<< hello", in: "work" },
			{ shows: "[Approve once]", in: "work" },
			{ archives: "work", locked: true },
			{ commands: "/stop" },
			{ passes: 5000 },
			{ shows: "[Approve once]", in: "work" },
			{ reopens: "work" },
			{ shows: "⌛ **No answer**", in: "work" },
			{ hides: "[Approve once]", in: "work" },
			{ stuck: ["dead: "] },
		],
	},
	{
		name: "an answer of several posts arrives complete in direct messages, and each post is completed later",
		steps: [
			{ says: "@Parley say: hello", as: "hello" },
			{ shows: "hello" },
			{ opensThread: "work", of: "hello" },
			{ says: "@Parley long: 900 tokens at 60 per second", in: "work" },
			{ shows: ["t30", "[Stop]"], in: "work" },
			{ locks: "work" },
			{ passes: 60_000 },
			{ shows: closedText, in: "dm", times: 1 },
			{ shows: "t899 t900", in: "dm", times: 1 },
			{ shows: "t1 t2 t3", in: "dm", times: 1 },
			{ hides: "t899 t900", in: "work" },
			{ reopens: "work" },
			{ shows: ["t899 t900", "[Good]"], in: "work", times: 1 },
			{ shows: "t1 t2 t3", in: "work", times: 1 },
			{ hides: "[Stop]", in: "work" },
			{ shows: "t899 t900", in: "dm", times: 1 },
			{ stuck: [] },
		],
	},
];
