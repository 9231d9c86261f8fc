import type { DiscordSite } from "../discord-site.ts";
import type { Scene, Step } from "../step.ts";

/** The connector ends, and Discord does not keep events for it. */
const forgotten: Step<DiscordSite>[] = [
	{ stops: "connector" },
	{ what: "Discord forgets the session", does: ({ site: { world } }) => world.gateway.forgetSessions() },
];

/** Events on Discord while the connector is away. */
export const away: readonly Scene<DiscordSite>[] = [
	{
		name: "the connection to the platform is cut: what was said meanwhile is answered after it is back",
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
		name: "what is said while the connector is stopped is answered when it is back",
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
		name: "a thread that was opened while the connector was away, and Discord forgot it, is heard",
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
		name: "the first direct message of somebody who is known is heard, although nobody was there",
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
		name: "what Discord does not let be read for a while is read later, and nobody waits for it",
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
		name: "what was said while the connector was away is answered although its database was lost, once",
		steps: [
			{ says: "@Parley say: before" },
			{ shows: "[offline] before" },
			{ what: "the database is lost", does: (town) => town.loseDatabase() },
			{ says: "@Parley say: meanwhile" },
			{ starts: "connector" },
			{ showsOnly: ["[offline] before", "[offline] meanwhile"] },
		],
	},
	{
		name: "what was answered outside of sessions is not answered again because the database was lost",
		// On Slack these answers are in separate threads.
		only: "discord",
		steps: [
			{ says: "@Parley say: hello" },
			{ shows: "[offline] hello" },
			{ says: "@Parley !help", by: "Max" },
			{ says: "@Parley" },
			{ shows: "Write to me what is to be done", times: 1 },
			// For some minutes, Discord itself merges two posts with the same nonce.
			{ passes: 900_000 },
			{ stops: "connector" },
			{ says: "@Parley !whoami" },
			{ losesDatabase: true },
			{ passes: 120_000 },
			{ shows: "Write to me what is to be done", times: 1 },
			{ shows: ["to Max", "`/task"], times: 1 },
			{ shows: "member", times: 1 },
		],
	},
];
