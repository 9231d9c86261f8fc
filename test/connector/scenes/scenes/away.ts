import type { DiscordSite } from "../discord-site.ts";
import type { Scene, Step } from "../step.ts";

const forgotten: Step<DiscordSite>[] = [
	{ stops: "connector" },
	{
		what: "Discord forgets the session",
		does: ({ site: { simulator } }) => simulator.gateway.forgetSessions(),
	},
];

export const away: readonly Scene<DiscordSite>[] = [
	{
		name: "messages during a lost connection are answered after it is restored",
		steps: [
			{ says: "@Parley say: before" },
			{ shows: "[offline] before" },
			{ cuts: "socket" },
			{ together: [{ says: "@Parley say: meanwhile" }] },
			{ passes: 65_000 },
			{ showsOnly: ["[offline] before", "[offline] meanwhile"] },
		],
	},
	{
		name: "messages while the connector is stopped are answered after its start",
		steps: [
			{ says: "@Parley say: before" },
			{ shows: "[offline] before" },
			{ stops: "connector" },
			{ says: "@Parley say: while away" },
			{ starts: "connector" },
			{ showsOnly: ["[offline] before", "[offline] while away"] },
		],
	},
	{
		name: "a thread that was opened while the connector was stopped is read, although Discord does not replay it",
		only: "discord",
		steps: [
			{ says: "about the release", as: "m" },
			{ passes: 61_000 },
			...forgotten,
			{ opensThread: "Release", of: "m" },
			{ says: "@Parley say: in here", in: "Release" },
			{ says: "@Parley say: in a channel of which nothing was known", in: "random" },
			{ starts: "connector" },
			{ showsOnly: [["(to Mia)", "[offline] in here"]], in: "Release" },
			{ showsOnly: ["[offline] in a channel of which nothing was known"], in: "random" },
		],
	},
	{
		name: "the first direct message of a paired person is read, although the connector was stopped",
		only: "discord",
		steps: [
			{ says: "@Parley say: before" },
			{ shows: "[offline] before" },
			{ passes: 61_000 },
			...forgotten,
			{ says: "say: in private", in: "dm" },
			{ starts: "connector" },
			{ showsOnly: ["[offline] in private"], in: "dm" },
		],
	},
	{
		name: "a channel that Discord refuses to read is read later, and other channels do not wait",
		only: "discord",
		steps: [
			{ says: "@Parley say: before" },
			{ shows: "[offline] before" },
			...forgotten,
			{ says: "@Parley say: missed" },
			...Array.from({ length: 5 }, (): Step<DiscordSite> => ({ fault: "read", is: { status: 500 } })),
			{ starts: "connector" },
			{ passes: 20_000 },
			{ says: "@Parley say: live" },
			{ shows: "[offline] live" },
			{ hides: "[offline] missed" },
			{ passes: 60_000 },
			{ showsOnly: ["[offline] before", "[offline] live", "[offline] missed"] },
		],
	},
	{
		name: "messages while the connector was stopped are answered once, although its database was lost",
		steps: [
			{ says: "@Parley say: before" },
			{ shows: "[offline] before" },
			{ what: "the database is lost", does: (played) => played.loseDatabase() },
			{ says: "@Parley say: meanwhile" },
			{ starts: "connector" },
			{ showsOnly: ["[offline] before", "[offline] meanwhile"] },
		],
	},
	{
		name: "answers outside of sessions are not repeated after the database was lost",
		// On Slack, these answers are posted in separate threads.
		only: "discord",
		steps: [
			{ says: "@Parley say: hello" },
			{ shows: "[offline] hello" },
			{ says: "@Parley !help", by: "Max" },
			{ says: "@Parley" },
			{ shows: "Write your request in the same message", times: 1 },
			// For some minutes, Discord merges two posts with the same nonce. This step waits until the nonce has expired.
			{ passes: 900_000 },
			{ stops: "connector" },
			{ says: "@Parley !whoami" },
			{ losesDatabase: true },
			{ passes: 120_000 },
			{ shows: "Write your request in the same message", times: 1 },
			{ shows: ["to Max", "`/task"], times: 1 },
			{ shows: "Your role is **member**", times: 1 },
		],
	},
];
