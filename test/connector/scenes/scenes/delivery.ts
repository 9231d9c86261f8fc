import type { DiscordSite } from "../discord-site.ts";
import type { Fault, Scene, Step } from "../step.ts";

const [post, edit, read] = ["post", "edit", "read"];
const hello: Step[] = [{ says: "@Parley say: hello" }];
const once: Step = { showsOnly: ["[offline] hello"] };

/** Discord refuses a second post with the same nonce, so that an unclear request is repeated without a lookup. */
function repeated(name: string, is: Fault): Scene<DiscordSite> {
	const asked: string[] = [];
	const posts = "POST /channels/{channel_id}/messages";
	return {
		...{ name: `${name}: Discord is asked once more at once, and nothing is looked up`, only: "discord" },
		steps: [
			{ fault: post, is },
			{
				what: "every other request is noted",
				does({ site: { world } }) {
					world.network.each((label) => {
						asked.push(label);
						return undefined;
					});
				},
			},
			...hello,
			once,
			{
				what: "the one request after the fault has brought the answer",
				does() {
					const found = asked.filter((label) => label.endsWith("/channels/{channel_id}/messages"));
					if (found.join() !== posts) throw new Error(`these were asked: ${asked.join()}`);
				},
			},
		],
	};
}

const takesNoPosts: Step<DiscordSite> = {
	what: "Discord takes no posts",
	does({ site: { world } }) {
		world.network.each((label) =>
			label === "POST /channels/{channel_id}/messages" ? { status: 503 } : undefined,
		);
	},
};

/** Repeats under Discord's enforced nonces, and after their time. */
export const repeats: readonly Scene<DiscordSite>[] = [
	repeated("a 503 before the commit", { status: 503 }),
	repeated("a 503 after the commit", { status: 503, drop: "after-commit" }),
	repeated("a connection that ends before the commit", { drop: "before" }),
	repeated("a connection that ends after the commit", { drop: "after-commit" }),
	{
		name: "Discord denies a post for longer than it knows the nonce, and looking for it fails at first: it is found",
		only: "discord",
		steps: [
			takesNoPosts,
			{ fault: post, is: { drop: "after-commit" } },
			{ fault: read, is: { status: 500 } },
			{ fault: read, is: { drop: "before" } },
			...hello,
			{ passes: 120_000 },
			once,
		],
	},
	{
		name: "Discord denies a post for longer than it knows the nonce, and lets nobody look: the operator decides",
		only: "discord",
		steps: [
			takesNoPosts,
			{ fault: post, is: { drop: "after-commit" } },
			{ fault: read, is: { status: 403 } },
			...hello,
			{ passes: 90_000 },
			{ stuck: ["held: it may have been posted, and nobody can look"] },
			once,
		],
	},
	{
		name: "Discord refuses every post for long: it is given up, and what follows comes all the same",
		only: "discord",
		errors: [/a post was given up/],
		steps: [
			takesNoPosts,
			...hello,
			{ passes: 60 * 60_000 },
			{ stuck: ["dead: not posted after 8 attempts"] },
			{ what: "Discord is well again", does: ({ site: { world } }) => world.network.heal() },
			{ says: "@Parley say: next" },
			{ showsOnly: ["[offline] next"] },
		],
	},
];

/** Faults between the connector and the platform. */
export const delivery: readonly Scene[] = [
	{
		name: "the platform wants it slower: it is posted later, once",
		steps: [{ fault: post, is: { status: 429, retryAfter: 3000 } }, ...hello, { passes: 5000 }, once],
	},
	{
		name: "the platform wants everything slower: it is posted later, once",
		steps: [
			{ fault: post, is: { status: 429, retryAfter: 3000, scope: "global" } },
			...hello,
			{ passes: 5000 },
			once,
		],
	},
	{
		name: "the platform fails and has not posted it: it is posted once",
		steps: [{ fault: post, is: { status: 500 } }, ...hello, { passes: 60_000 }, once],
	},
	{
		name: "the platform fails and has posted it: it is found, and not posted again",
		steps: [{ fault: post, is: { status: 502, drop: "after-commit" } }, ...hello, { passes: 60_000 }, once],
	},
	{
		name: "the connection ends before the platform has read it: it is posted once",
		steps: [{ fault: post, is: { drop: "before" } }, ...hello, { passes: 60_000 }, once],
	},
	{
		name: "the connection ends after the platform has posted it: it is found",
		steps: [{ fault: post, is: { drop: "after-commit" } }, ...hello, { passes: 60_000 }, once],
	},
	{
		name: "the platform takes its time: it is posted once",
		steps: [{ fault: post, is: { delayMs: 8000 } }, ...hello, { passes: 10_000 }, once],
	},
	{
		name: "it may have been posted, and looking for it fails at first: it is found later",
		only: "slack",
		steps: [
			{ fault: post, is: { drop: "after-commit" } },
			{ fault: read, is: { status: 500 } },
			{ fault: read, is: { drop: "before" } },
			...hello,
			{ passes: 120_000 },
			once,
		],
	},
	{
		name: "two that say the same are told apart, when one may have been posted",
		steps: [
			...hello,
			{ shows: "[offline] hello" },
			{ fault: post, is: { drop: "before" } },
			...hello,
			{ passes: 60_000 },
			{ showsOnly: ["[offline] hello", "[offline] hello"] },
		],
	},
	{
		name: "it fails again and again: it is given up, and what follows comes all the same",
		only: "slack",
		errors: [/a post was given up/],
		steps: [
			...Array.from({ length: 8 }, (): Step => ({ fault: post, is: { status: 503 } })),
			...hello,
			{ passes: 30 * 60_000 },
			{ stuck: ["dead: not posted after 8 attempts"] },
			{ says: "@Parley say: next" },
			{ showsOnly: ["[offline] next"] },
		],
	},
	{
		name: "a card whose change may not have arrived shows the newest at last",
		steps: [
			{ says: "@Parley write: notes.txt <<< hi" },
			{ shows: "[Approve once]" },
			{ fault: edit, is: { drop: "before" } },
			{ clicks: "Approve once", by: "Alex" },
			{ passes: 30_000 },
			{ shows: ["Approval", "by @Alex"], times: 1 },
		],
	},
	{
		name: "a card that somebody has deleted is not changed any more, and the answer comes",
		errors: [/a post was given up/],
		steps: [
			{ says: "@Parley write: notes.txt <<< hi" },
			{ shows: "[Approve once]" },
			{ moderates: "[Approve once]" },
			{ says: "@Parley stop" },
			{ shows: "Stopped" },
		],
	},
	{
		name: "a channel in which Parley may not write is told to the operator alone",
		only: "discord",
		errors: [/a post was given up/],
		steps: [
			{ forbids: ["SendMessages"] },
			...hello,
			{ stuck: ["dead: Discord answered 403"] },
			{ showsOnly: [] },
		],
	},
	{
		name: "a channel that is deleted meanwhile takes nothing else with it",
		errors: [/a post was given up/],
		steps: [
			{ says: "@Parley long: 20 tokens at 2 per second", in: "random" },
			{ removes: "channel", in: "random" },
			{ passes: 30_000 },
			...hello,
			once,
		],
	},
	{
		name: "where Parley may open no threads, a task tells everything in the channel",
		only: "discord",
		steps: [
			{ forbids: ["CreatePublicThreads"] },
			{ commands: "/task new", with: { text: "say: tidy", title: "Tidy" } },
			{ shows: ["✅ **Done**", "[offline] tidy"] },
		],
	},
	{
		name: "a thread that was archived is opened again by what comes into it",
		only: "discord",
		steps: [
			{ says: "@Parley !task new title:Tidy review: Right? <<< A plan.\nsay: carried out" },
			{ shows: "[Approve]", in: "Tidy" },
			{ archives: "Tidy" },
			{ commands: "/task list" },
			{ notes: /task id (\w+)/ },
			{ commands: "/task reply", with: { id: "{1}", text: "approve" }, by: "Alex" },
			{ shows: ["✅ **Done**", "carried out"], in: "Tidy" },
		],
	},
	{
		name: "a thread that was deleted loses nothing: the channel hears it",
		only: "discord",
		errors: [/a post was given up/],
		steps: [
			{ says: "@Parley !task new title:Tidy review: Right? <<< A plan.\nsay: carried out" },
			{ shows: "[Approve]", in: "Tidy" },
			{ notes: /task id (\w+)/ },
			{ removes: "thread", in: "Tidy" },
			{ commands: "/task reply", with: { id: "{1}", text: "approve" }, by: "Alex" },
			{ passes: 90_000 },
			{ shows: ["✅ **Done**", "carried out"] },
		],
	},
	{
		name: "where Parley may not read what was written, an answer comes once, without its reply",
		only: "discord",
		steps: [
			{ forbids: ["ReadMessageHistory"] },
			...hello,
			{ passes: 60_000 },
			once,
			{ hides: "to Mia" },
			{ stuck: [] },
		],
	},
	{
		name: "where Parley may attach no files, the words of a long answer come, and say so",
		only: "discord",
		steps: [
			{ forbids: ["AttachFiles"] },
			{ file: "huge.txt", gets: "A sentence of some words.\n".repeat(1000) },
			{ says: "@Parley read: huge.txt" },
			{ shows: ["A sentence", "Without its file: I may not attach files here.", "[Good]"], times: 1 },
			{ stuck: [] },
		],
	},
	{
		name: "a file that Discord refuses as too large is named in its post, with what to do",
		only: "discord",
		steps: [
			{ file: "report.zip", gets: "x".repeat(3 * 1024 * 1024) },
			{ fault: post, is: { status: 413 } },
			{ says: "@Parley send: report.zip" },
			{ shows: ["The file report.zip (3 MB) is too large", "ask me to split it"], times: 1 },
			{ stuck: [] },
		],
	},
	{
		name: "a file whose name Discord writes anew is found, when it may have been posted",
		only: "discord",
		steps: [
			{ file: "My report (final) 1.csv", gets: "a,b\n1,2\n" },
			{ fault: post, is: { drop: "after-commit" } },
			{ fault: post, is: { drop: "after-commit" } },
			{ says: "@Parley send: My report (final) 1.csv" },
			{ passes: 120_000 },
			{ shows: "file: My_report_final_1.csv", times: 1 },
			{ shows: "[Good]", times: 1 },
			{ stuck: [] },
		],
	},
	{
		name: "two answers to commands that say the same stand there once each, with a restart between them",
		steps: [
			{ commands: "/ask", with: { text: "say: the same" } },
			{ shows: "[offline] the same", times: 1 },
			{ restarts: "connector" },
			{ fault: post, is: { drop: "before" } },
			{ commands: "/ask", with: { text: "say: the same" } },
			{ passes: 60_000 },
			{ shows: "[offline] the same", times: 2 },
			{ stuck: [] },
		],
	},
	{
		name: "what a task says after its thread was locked goes to the room",
		only: "discord",
		// Its question is in the thread, which can no longer be changed.
		errors: [/a post was given up/],
		steps: [
			{ says: "@Parley !task new title:Tidy review: Right? <<< A plan.\nsay: carried out" },
			{ shows: "[Approve]", in: "Tidy" },
			{ archives: "Tidy", locked: true },
			{ commands: "/task list" },
			{ notes: /task id (\w+)/ },
			{ commands: "/task reply", with: { id: "{1}", text: "approve" }, by: "Alex" },
			{ shows: ["✅ **Done**", "carried out"], times: 1 },
			{ hides: "carried out", in: "Tidy" },
		],
	},
	{
		name: "while the gateway is away a press is taken, and done when it is back",
		steps: [
			{ says: "@Parley write: notes.txt <<< hi" },
			{ shows: "[Approve once]" },
			{ stops: "gateway" },
			{ clicks: "Approve once", by: "Alex" },
			{ passes: 4000 },
			{ starts: "gateway" },
			{ shows: "by @Alex" },
			{ shows: "write_file returned", times: 1 },
			{ toldNothing: true },
		],
	},
	{
		name: "Discord loses the first answer to a press: the second one is taken",
		only: "discord",
		steps: [
			{ says: "@Parley say: hello" },
			{ shows: "[Good]" },
			{ fault: "POST /interactions/{interaction_id}/{interaction_token}/callback", is: { drop: "before" } },
			{ clicks: "Good" },
			{ told: "Thank you, noted." },
		],
	},
];
