import type { SlackSite } from "../slack-site.ts";
import type { Scene, Step } from "../step.ts";
import { trusted } from "./access.ts";

const slow = "long: 60 tokens at 2 per second";

/** Behaviour of Slack only. `top`: the channel itself, in which every message starts its own thread. */
export const slack: readonly Scene<SlackSite>[] = [
	{
		name: "a mention comes as two events in any order, and each of them twice: it is answered once",
		steps: [
			{
				what: "Slack sends everything twice, and what is later sooner",
				does: ({ site: { world } }) => {
					world.delivery.disorder = { duplicate: 1, reorder: 0.5 };
				},
			},
			{
				together: ["one", "two", "three", "four"].map((word) => ({
					says: `@Parley say: ${word}.`,
					in: "top",
				})),
			},
			...["one", "two", "three", "four"].map((word): Step => ({ shows: `[offline] ${word}.`, times: 1 })),
		],
	},
	{
		name: "the list of an answer is a plan, which is edited",
		steps: [
			{ says: "@Parley todo: > look | change\ntodo: x look | x change\nsay: all changed", in: "top" },
			{ shows: ["(plan: Steps ▰▰ 2 of 2)", "✅ look", "✅ change"], times: 1 },
			{ shows: "all changed", times: 1 },
		],
	},
	{
		name: "each mention at the top begins a conversation of its own, and none waits for another",
		steps: [
			{ says: `@Parley ${slow}`, in: "top", as: "slow" },
			{ says: "@Parley say: meanwhile", by: "Max", in: "top", as: "quick" },
			{ shows: "[offline] meanwhile" },
			{ hides: "Yours is next" },
			{ replies: "stop", to: "slow" },
			{ shows: "[Again]", times: 2 },
		],
	},
	{
		name: "what is written in a thread that began with a mention is for Parley, also after its database was lost",
		steps: [
			{ says: "@Parley say: first", in: "top", as: "root" },
			{ shows: "[offline] first" },
			{ replies: "say: second", to: "root", by: "Max" },
			{ shows: "[offline] second" },
			{ losesDatabase: true },
			{ replies: "say: third", to: "root" },
			{ shows: "[offline] third", times: 1 },
			{ replies: "@Max what do you think?", to: "root" },
			{ showsOnly: [], in: "top" },
			{ showsOnly: ["first", "second", "third"] },
		],
	},
	{
		name: "a thread of people is theirs: Parley answers there when it is named",
		steps: [
			{ says: "about the release", in: "top", as: "root" },
			{ replies: "say: nobody asked", to: "root", by: "Max" },
			{ replies: "@Parley say: in here", to: "root" },
			{ showsOnly: ["[offline] in here"] },
			{ showsOnly: [], in: "top" },
		],
	},
	{
		name: "who calls somebody else below a card speaks to them",
		steps: [
			{ commands: "/task new", with: { text: "say: done", title: "Tidy" } },
			{ shows: "✅ **Done**", in: "Tidy" },
			{ says: "@Max look at this", in: "Tidy" },
			{ hides: "is over", in: "Tidy" },
		],
	},
	{
		name: "a conversation of several people is answered in a thread when it names Parley",
		steps: [
			{ says: "say: among us", in: "group", as: "root" },
			{ replies: "@Parley say: all of you", to: "root", in: "group" },
			{ showsOnly: ["[offline] all of you"], in: "group" },
		],
	},
	{
		name: "a thread in direct messages is a conversation of its own",
		steps: [
			{ says: "say: at the top", in: "dm", as: "root" },
			{ shows: "[offline] at the top", in: "dm" },
			{ replies: "say: in the thread", to: "root", in: "dm" },
			{ shows: "[offline] in the thread", in: "thread" },
		],
	},
	{
		name: "commands are written in threads, after the name or without it where the thread is ours",
		steps: [
			{ says: "@Parley say: begin", in: "top", as: "root" },
			{ shows: "[offline] begin" },
			{ replies: "@Parley /task list", to: "root" },
			{ shows: "There are no tasks here yet" },
			{ replies: `@Parley ${slow}`, to: "root" },
			{ typing: true },
			{ passes: 2000 },
			{ replies: "!stop", to: "root" },
			{ shows: /stopped here|Stopped: “long: 60 tokens/ },
		],
	},
	{
		name: "a command that is not one is explained to who gave it",
		steps: [
			{ commands: "/parley dance" },
			{ told: ["I do not know that command", "`/parley ask`"] },
			{ commands: "/parley help" },
			{ told: ["`/parley task new`", "`/parley trust on`"] },
			{ showsOnly: [] },
		],
	},
	{
		name: "where Parley is not, a command says how to invite it",
		steps: [
			{ what: "Parley is sent away", does: ({ site }) => site.random.channel.loses() },
			{ commands: "/ask", with: { text: "say: hello" }, in: "random" },
			{ told: ["I am not in this conversation", "/invite @parley"] },
		],
	},
	{
		name: "a message that is passed on without a word of one's own has been read",
		steps: [
			{
				what: "Mia passes on what Max has said",
				does: ({ site: { people, general } }) => {
					const { Mia, Max } = people;
					const said = Max?.person.says("count the files", { in: general.channel });
					if (Mia && said) Mia.person.says("", { in: Mia.person.dm, forwards: said });
				},
			},
			{ shows: "[offline] Hello! I am the offline model", in: "dm" },
			{ hides: "Write to me what is to be done", in: "dm" },
		],
	},
	{
		name: "a message is made a task from its menu",
		steps: [
			{ says: "say: from the menu", by: "Max", in: "top", as: "m" },
			{ commands: "Make it a task", on: "m" },
			{ told: "is submitted" },
			{ shows: ["✅ Done", "task id"] },
			{ shows: "[offline] from the menu" },
		],
	},
	{
		name: "a question that was asked by command is answered in the thread of its card",
		steps: [
			{ commands: "/ask", with: { text: "choose: tea | coffee" } },
			{ replies: "milk", to: "<Choose one" },
			{ shows: "That does not fit, and the question is still open", in: "thread" },
			{ replies: "Coffee", to: "<Choose one" },
			{ shows: ["✅ **Answered** by @Mia", "> coffee"] },
		],
	},
	{
		name: "a call that was asked for by command is allowed in the thread of its card, by who may",
		steps: [
			{ commands: "/ask", with: { text: "write: notes.txt <<< hello" } },
			{ replies: "approve", to: "[Approve once]" },
			{ shows: "That was not taken", in: "thread" },
			{ replies: "approve", to: "[Approve once]", by: "Alex" },
			{ shows: ["✅ **Approved", "by @Alex"] },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "a guest of the workspace is one, whatever the configuration says, and may change nothing",
		steps: [
			{ commands: "/whoami", by: "Gus" },
			{ told: "**guest**" },
			{ says: "@Parley write: notes.txt <<< mine", by: "Gus", in: "top" },
			{ shows: "[Good]" },
			{ hides: "[Approve once]" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "somebody of another organisation is a stranger in a shared channel, and our own people stay what they are",
		steps: [
			{
				what: "the channel is shared, and Eve of Globex writes",
				does: ({ site }) => {
					const globex = site.world.team("Globex");
					site.general.channel.shares(globex);
					const eve = site.player("Eve", {}, globex);
					site.general.channel.joins(eve);
					eve.says(`${site.mention} write: notes.txt <<< hers`, { in: site.room("top", eve) });
				},
			},
			{ shows: "I do not know you yet" },
			{ file: "notes.txt", has: null },
			{ says: "@Parley write: notes.txt <<< ours", in: "top" },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "write_file returned" },
			{ file: "notes.txt", has: "ours" },
		],
	},
	{
		name: "trust ends when the channel becomes a shared one",
		sandbox: true,
		steps: [
			...trusted,
			{
				what: "it is shared with Globex",
				does: ({ site }) => site.general.channel.shares(site.world.team("Globex")),
			},
			{ shows: /🔒 Tools ask here again: who may read or write here has changed/, times: 1 },
			{ says: "@Parley write: notes.txt <<< hello", in: "top" },
			{ shows: "[Approve once]" },
			{ says: "@Parley stop", in: "top" },
		],
	},
	{
		name: "trust ends when a guest joins, and not when one of our own people does",
		sandbox: true,
		steps: [
			...trusted,
			{ what: "Sam comes again", does: ({ site }) => leaveAndJoin(site, "Sam") },
			{ hides: "🔒" },
			{ what: "Gus comes again", does: ({ site }) => leaveAndJoin(site, "Gus") },
			{ shows: /🔒 Tools ask here again: who may read or write here has changed/, times: 1 },
		],
	},
	{
		name: "trust ends when a guest has joined while nobody was there to see it",
		sandbox: true,
		steps: [
			...trusted,
			// Parley does not read channels without a conversation.
			{ says: "@Parley say: hello", in: "top" },
			{ shows: "[offline] hello" },
			{ stops: "connector" },
			{ passes: 7 * 60_000 },
			{ what: "Gus comes again", does: ({ site }) => leaveAndJoin(site, "Gus") },
			{ passes: 7 * 60_000 },
			{
				what: "Slack has given up to tell of it",
				does: ({ site }) => void site.world.delivery.lost.splice(0),
			},
			{ starts: "connector" },
			{ shows: /🔒 Tools ask here again/, times: 1 },
		],
	},
	{
		name: "what calls Parley in a thread of others, or answers it for the first time, is found after an absence",
		steps: [
			{ says: "@Parley say: hello", in: "top" },
			{ shows: "[offline] hello" },
			{ commands: "/ask", with: { text: "choose: tea | coffee" } },
			{ shows: "Choose one", in: "top" },
			{ stops: "connector" },
			{ passes: 7 * 60_000 },
			{ says: "about the release", by: "Max", in: "top", as: "theirs" },
			{ replies: "@Parley say: in your thread", to: "theirs" },
			{ replies: "Coffee", to: "<Choose one" },
			{ passes: 7 * 60_000 },
			{
				what: "Slack has given up to tell of it",
				does: ({ site }) => void site.world.delivery.lost.splice(0),
			},
			{ starts: "connector" },
			{ shows: "[offline] in your thread", times: 1 },
			{ shows: ["✅ **Answered** by @Mia", "> coffee"] },
		],
	},
];

function leaveAndJoin(site: SlackSite, name: "Sam" | "Gus"): void {
	site.general.channel.loses(site.people[name]);
	site.general.channel.joins(site.people[name]);
}
