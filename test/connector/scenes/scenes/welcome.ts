import type { DiscordSite } from "../discord-site.ts";
import type { SlackSite } from "../slack-site.ts";
import type { Scene } from "../step.ts";

const usual = "Summarise the last messages here";

/** Scenes on Discord, where the welcome in a channel is visible to all its members. */
export const welcome: readonly Scene<DiscordSite>[] = [
	{
		name: "a channel is welcomed at the first request, once",
		welcome: true,
		steps: [
			{ says: "@Parley say: good morning", as: "m" },
			{ shows: ["to Mia", "[offline] good morning"] },
			{
				shows: ["Hello! Mention me with your request.", "@Alex", "or the operator can approve it", usual],
				times: 0,
			},
			{
				shows: [
					"Hello! Mention me with your request.",
					"@owners, @approvers or the operator can approve it",
					usual,
				],
			},
			{ restarts: "both" },
			{ says: "@Parley say: good evening", by: "Max" },
			{ shows: ["to Max", "[offline] good evening"] },
			{ shows: "Hello!", times: 1 },
		],
	},
	{
		name: "a new server is welcomed in the channel of its notices, also after a loss of the database",
		welcome: true,
		steps: [
			{ shows: ["Hello! Mention me with your request.", "Try:"], in: "random" },
			{ says: "@Parley say: hi", in: "random" },
			{ shows: "[offline] hi", in: "random" },
			{ losesDatabase: true },
			{ says: "@Parley say: hi again", in: "random" },
			{ shows: "[offline] hi again", in: "random" },
			{ shows: "Hello!", in: "random", times: 1 },
		],
	},
	{
		name: "a person is welcomed in direct messages",
		welcome: true,
		steps: [
			{ says: "say: hi", in: "dm" },
			{
				shows: ["Hello! Write to me here.", "@Olga", "or the operator can approve it", usual],
				in: "dm",
				to: "Mia",
			},
			{ shows: "[offline] hi", in: "dm", to: "Mia" },
			{ says: "say: hi again", in: "dm" },
			{ shows: "[offline] hi again", in: "dm", to: "Mia" },
			{ shows: "Hello!", in: "dm", to: "Mia", times: 1 },
		],
	},
	{
		name: "a person without access gets instructions in place of a welcome",
		welcome: true,
		steps: [
			{ says: "@Parley say: hello", by: "Sam" },
			{ shows: "You do not have access yet", to: "Sam", times: 1 },
			{ hides: "You do not have access yet" },
			{ hides: "Hello!" },
		],
	},
];

/** Scenes on Slack, where the welcome is private. */
export const welcomeInSlack: readonly Scene<SlackSite>[] = [
	{
		name: "a person is welcomed at the first request, in private and once",
		welcome: true,
		steps: [
			{ says: "@Parley say: good morning" },
			{ shows: "[offline] good morning" },
			{
				shows: [
					"Hello! Mention me with your request.",
					"Olga",
					"Alex",
					"or the operator can approve it",
					usual,
				],
				to: "Mia",
			},
			{ hides: "Hello!" },
			{ restarts: "both" },
			{ says: "@Parley say: good evening" },
			{ shows: "[offline] good evening" },
			{ shows: "Hello!", to: "Mia", times: 1 },
			{ says: "@Parley say: me too", by: "Max" },
			{ shows: "Hello!", to: "Max", times: 1 },
		],
	},
	{
		name: "a channel is welcomed when a person invites the bot, once",
		welcome: true,
		steps: [
			{
				does: ({ site }) => {
					site.random.channel.loses();
					site.random.channel.joins(undefined, site.people.Mia);
				},
				what: "Mia invites Parley to random",
			},
			{
				shows: ["Hello! Mention me with your request.", "Olga", "or the operator can approve it"],
				in: "random",
			},
			{
				does: ({ site }) => {
					site.random.channel.loses();
					site.random.channel.joins(undefined, site.people.Max);
				},
				what: "Max invites Parley again",
			},
			{ says: "@Parley say: hi", in: "random" },
			{ shows: "[offline] hi", in: "random" },
			{ shows: "Hello!", in: "random", times: 1 },
		],
	},
	{
		name: "a person is welcomed in direct messages, once",
		welcome: true,
		steps: [
			{ says: "say: hi", in: "dm" },
			{ shows: ["Hello! Write to me here.", usual], in: "dm", to: "Mia" },
			{ says: "say: hi again", in: "dm" },
			{ shows: "[offline] hi again", in: "dm", to: "Mia" },
			{ shows: "Hello!", in: "dm", to: "Mia", times: 1 },
		],
	},
	{
		name: "a person without access gets instructions that only they see, once a day",
		welcome: true,
		steps: [
			{ says: "@Parley say: hello", by: "Sam" },
			{ shows: "You do not have access yet", to: "Sam" },
			{ hides: "You do not have access yet" },
			{ hides: "Hello!", to: "Sam" },
			{ says: "@Parley say: hello?", by: "Sam" },
			{ passes: 3_600_000 },
			{ says: "@Parley say: hello??", by: "Sam" },
			{ shows: "You do not have access yet", to: "Sam", times: 1 },
		],
	},
];
