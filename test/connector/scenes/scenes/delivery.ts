import type { DiscordSite } from "../discord-site.ts";
import type { Fault, Scene, Step } from "../step.ts";

const [post, edit, read] = ["post", "edit", "read"];
const hello: Step[] = [{ says: "@Parley say: hello" }];
const once: Step = { showsOnly: ["[offline] hello"] };
/** Settings without context messages, so that each read request is a lookup of a post. */
const onlyLookups = { context: 0 };
/** Settings without growing answers, so that a fault of the next post affects the complete answer. */
const onlyEnds = { live: "off" } as const;

/**
 * Returns a scene in which the connector repeats a request without a lookup, because Discord creates no second post
 * with the same nonce.
 */
function repeated(name: string, is: Fault): Scene<DiscordSite> {
	const requests: string[] = [];
	const posts = "POST /channels/{channel_id}/messages";
	return {
		...{ name: `${name}: Discord is asked once more at once, and nothing is looked up`, only: "discord" },
		place: onlyLookups,
		steps: [
			{ fault: post, is },
			{
				what: "every other request is noted",
				does({ site: { simulator } }) {
					simulator.network.each((label) => {
						requests.push(label);
						return undefined;
					});
				},
			},
			...hello,
			once,
			{
				what: "the one request after the fault has brought the answer",
				does() {
					const lookups = requests.filter((label) => label.endsWith("/channels/{channel_id}/messages"));
					if (lookups.join() !== posts) throw new Error(`these were asked: ${requests.join()}`);
				},
			},
		],
	};
}

const refusesPosts: Step<DiscordSite> = {
	what: "Discord takes no posts",
	does({ site: { simulator } }) {
		simulator.network.each((label) =>
			label === "POST /channels/{channel_id}/messages" ? { status: 503 } : undefined,
		);
	},
};

export const repeats: readonly Scene<DiscordSite>[] = [
	repeated("a 503 before the commit", { status: 503 }),
	repeated("a 503 after the commit", { status: 503, drop: "after-commit" }),
	repeated("a connection that ends before the commit", { drop: "before" }),
	repeated("a connection that ends after the commit", { drop: "after-commit" }),
	{
		name: "Discord returns errors until the nonce has expired, and the first lookup fails: a later lookup finds the post",
		only: "discord",
		place: onlyLookups,
		steps: [
			refusesPosts,
			{ fault: post, is: { drop: "after-commit" } },
			{ fault: read, is: { status: 500 } },
			{ fault: read, is: { drop: "before" } },
			...hello,
			{ passes: 120_000 },
			once,
		],
	},
	{
		name: "Discord returns errors until the nonce has expired, and refuses lookups: the operator decides",
		only: "discord",
		place: onlyLookups,
		steps: [
			refusesPosts,
			{ fault: post, is: { drop: "after-commit" } },
			{ fault: read, is: { status: 403 } },
			...hello,
			{ passes: 90_000 },
			{ stuck: ["held: the connector cannot check whether the post was sent"] },
			once,
		],
	},
	{
		name: "Discord refuses a post for long: it is abandoned, and later posts arrive",
		only: "discord",
		errors: [/a post was given up/],
		steps: [
			refusesPosts,
			...hello,
			{ passes: 60 * 60_000 },
			{ stuck: ["dead: not posted after 8 attempts"] },
			{ what: "Discord is well again", does: ({ site: { simulator } }) => simulator.network.heal() },
			{ says: "@Parley say: next" },
			{ showsOnly: ["[offline] next"] },
		],
	},
];

export const delivery: readonly Scene[] = [
	{
		name: "the platform limits a post: it is posted later, once",
		steps: [{ fault: post, is: { status: 429, retryAfter: 3000 } }, ...hello, { passes: 5000 }, once],
	},
	{
		name: "the platform limits all requests: the post is made later, once",
		steps: [
			{ fault: post, is: { status: 429, retryAfter: 3000, scope: "global" } },
			...hello,
			{ passes: 5000 },
			once,
		],
	},
	{
		name: "the platform fails and has not made the post: it is made once",
		steps: [{ fault: post, is: { status: 500 } }, ...hello, { passes: 60_000 }, once],
	},
	{
		name: "the platform returns an error after it created the post: a lookup finds the post, and it is not repeated",
		steps: [{ fault: post, is: { status: 502, drop: "after-commit" } }, ...hello, { passes: 60_000 }, once],
	},
	{
		name: "the connection ends before the platform has read the request: the post is made once",
		steps: [{ fault: post, is: { drop: "before" } }, ...hello, { passes: 60_000 }, once],
	},
	{
		name: "the connection ends after the platform created the post: a lookup finds the post",
		steps: [{ fault: post, is: { drop: "after-commit" } }, ...hello, { passes: 60_000 }, once],
	},
	{
		name: "the platform is slow: the post is made once",
		steps: [{ fault: post, is: { delayMs: 8000 } }, ...hello, { passes: 10_000 }, once],
	},
	{
		name: "a post may exist, and the first lookup fails: it is found later",
		only: "slack",
		place: onlyLookups,
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
		name: "two posts with the same text are distinguished when one of them may exist",
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
		name: "a post fails repeatedly: it is abandoned, and later posts arrive",
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
		name: "a card with an unclear change shows the newest state in the end",
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
		name: "a card that a person has deleted is no longer changed, and the answer arrives",
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
		name: "a channel in which Parley may not write is reported to the operator only",
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
		name: "a channel that is deleted does not affect other channels",
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
		name: "if Parley may not open threads, a task posts everything in the channel",
		only: "discord",
		steps: [
			{ forbids: ["CreatePublicThreads"] },
			{ commands: "/task new", with: { text: "say: tidy", title: "Tidy" } },
			{ shows: ["✅ **Done**", "[offline] tidy"] },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "an archived thread is opened again by a post",
		only: "discord",
		steps: [
			{ says: "@Parley !task new title:Tidy review: Right? <<< A plan.\nsay: carried out" },
			{ shows: "[Approve]", in: "Tidy" },
			{ notified: ["Mia"] },
			{ archives: "Tidy" },
			{ commands: "/task list" },
			{ commands: "/task reply", with: { id: "Tidy", text: "approve" }, by: "Alex" },
			{ shows: ["✅ **Done**", "carried out"], in: "Tidy" },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "posts of a deleted thread go to the channel",
		only: "discord",
		errors: [/a post was given up/],
		steps: [
			{ says: "@Parley !task new title:Tidy review: Right? <<< A plan.\nsay: carried out" },
			{ shows: "[Approve]", in: "Tidy" },
			{ notified: ["Mia"] },
			{ removes: "thread", in: "Tidy" },
			{ commands: "/task reply", with: { id: "Tidy", text: "approve" }, by: "Alex" },
			{ passes: 90_000 },
			{ shows: ["✅ **Done**", "carried out"] },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "if Parley may not read the message, its answer arrives once, without a reply reference",
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
		name: "if Parley may not attach files, a long answer arrives as text, with a note",
		only: "discord",
		steps: [
			{ forbids: ["AttachFiles"] },
			{ file: "huge.txt", gets: "A sentence of some words.\n".repeat(1000) },
			{ says: "@Parley read: huge.txt" },
			{
				shows: [
					"A sentence",
					"File not attached: I have no permission to attach files here. Ask an administrator to give me “Attach Files”.",
					"[Good]",
				],
				times: 1,
			},
			{ stuck: [] },
		],
	},
	{
		name: "a file that Discord refuses as too large is named in its post, with a next step",
		only: "discord",
		place: onlyEnds,
		steps: [
			{ file: "report.zip", gets: "x".repeat(3 * 1024 * 1024) },
			{ fault: post, is: { status: 413 } },
			{ says: "@Parley send: report.zip" },
			{ shows: ["The file report.zip (3 MB) is too large", "ask me to split it"], times: 1 },
			{ stuck: [] },
		],
	},
	{
		name: "a post with a file that Discord renames is found if it may exist",
		only: "discord",
		place: onlyEnds,
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
		name: "two answers to commands with the same text are posted once each, with a restart between them",
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
		name: "posts of a task after its thread was locked go to the channel",
		only: "discord",
		steps: [
			{ says: "@Parley !task new title:Tidy review: Right? <<< A plan.\nsay: carried out" },
			{ shows: "[Approve]", in: "Tidy" },
			{ notified: ["Mia"] },
			{ archives: "Tidy", locked: true },
			{ commands: "/task list" },
			{ commands: "/task reply", with: { id: "Tidy", text: "approve" }, by: "Alex" },
			{ shows: ["✅ **Done**", "carried out"], times: 1 },
			{ hides: "carried out", in: "Tidy" },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "a press while the gateway is stopped is stored, and performed after its start",
		steps: [
			{ says: "@Parley write: notes.txt <<< hi" },
			{ shows: "[Approve once]" },
			{ stops: "gateway" },
			{ clicks: "Approve once", by: "Alex" },
			{ passes: 4000 },
			{ starts: "gateway" },
			{ shows: "by @Alex" },
			{ shows: "write_file returned", times: 1 },
			{ answeredNothing: true },
		],
	},
	{
		name: "Discord loses the first answer to a press: the second one arrives",
		only: "discord",
		steps: [
			{ says: "@Parley say: hello" },
			{ shows: "[Good]" },
			{ fault: "POST /interactions/{interaction_id}/{interaction_token}/callback", is: { drop: "before" } },
			{ clicks: "Good" },
			{ answered: "Thank you for your feedback." },
		],
	},
];
