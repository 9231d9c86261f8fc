import { has, shownPosts } from "../shown-posts.ts";
import type { Scene, Step } from "../step.ts";

const grows: readonly Step[] = [
	{ says: "@Parley long: 20 tokens at 2 per second" },
	{ shows: ["t3", "[Stop]"] },
];
const othersWork: readonly Step[] = [
	{ passes: 60_000 },
	{ says: "@Parley say: still here", by: "Max", in: "random" },
	{ shows: "[offline] still here", in: "random", times: 1 },
];

export const hostile: readonly Scene[] = [
	{
		name: "a channel that is deleted while an answer grows in it does not affect other channels",
		errors: [/a post was given up/],
		steps: [...grows, { removes: "channel", in: "general" }, ...othersWork, { stuck: ["dead: "] }],
	},
	{
		name: "a growing answer that a moderator deletes is complete in one post, or in none",
		steps: [
			...grows,
			{ moderates: "[Stop]" },
			...othersWork,
			{ hides: "[Stop]" },
			{
				what: "the answer is complete in one post, or in none",
				does: ({ site }) => {
					const posts = shownPosts(site, site.room("general", site.people.Mia)).filter((post) =>
						has(post, "t3"),
					);
					if (posts.length > 1 || posts.some((post) => !has(post, "t20")))
						throw new Error(`the posts of the answer are:\n${posts.join("\n")}`);
				},
			},
			{ says: "@Parley say: next" },
			{ shows: "[offline] next", times: 1 },
			{ stuck: [] },
		],
	},
	{
		name: "a channel in which Parley may no longer write while an answer grows does not affect other channels",
		only: "discord",
		steps: [...grows, { forbids: ["SendMessages"] }, ...othersWork],
	},
	{
		name: "concurrent presses of three people on two cards decide each card once",
		steps: [
			{ says: "@Parley write: a.txt <<< a", as: "a" },
			{ shows: ["write a.txt", "[Approve once]"] },
			{ says: "@Parley write: b.txt <<< b", by: "Max", in: "random" },
			{ shows: ["write b.txt", "[Approve once]"], in: "random" },
			{
				together: [
					{ clicks: "Approve once", on: "write a.txt", by: "Alex" },
					{ clicks: "Approve once", on: "write a.txt", by: "Alex" },
					{ clicks: "Approve once", on: "write b.txt", by: "Olga", in: "random" },
					{ clicks: "Approve once", on: "write a.txt", by: "Olga" },
					{ clicks: "Approve once", on: "write b.txt", by: "Alex", in: "random" },
					{ clicks: "Approve once", on: "write b.txt", by: "Gus", in: "random" },
				],
			},
			{ shows: "write_file returned", times: 1 },
			{ shows: "write_file returned", in: "random", times: 1 },
			{ shows: "✅ **Approved once** by @Alex", times: 1 },
			{ hides: "by @Gus", in: "random" },
		],
	},
	{
		name: "an edit of the request changes nothing about its open approval, also over a restart",
		steps: [
			{ says: "@Parley write: a.txt <<< safe", as: "m" },
			{ shows: ["write a.txt", "+safe", "[Approve once]"] },
			{ edits: "m", into: "@Parley write: a.txt <<< evil" },
			{ restarts: "both" },
			{ clicks: "Approve once", on: "+safe", by: "Alex" },
			{ shows: "✅ **Approved once** by @Alex", times: 1 },
			{ file: "a.txt", has: "safe" },
		],
	},
	{
		name: "a request that its author deletes while its approval waits runs no call",
		steps: [
			{ says: "@Parley write: a.txt <<< a", as: "m" },
			{ shows: "[Approve once]" },
			{ deletes: "m" },
			{ hides: "[Approve once]" },
			{ file: "a.txt", has: null },
		],
	},
];
