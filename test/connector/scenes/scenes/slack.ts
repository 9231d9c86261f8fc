import type { SlackSite } from "../slack-site.ts";
import type { Scene, Step } from "../step.ts";
import { trusted } from "./access.ts";

const slow = "long: 60 tokens at 2 per second";

/**
 * Scenes about behaviour that only Slack has. `top` is the channel itself, where every request to Parley starts a
 * thread.
 */
export const slack: readonly Scene<SlackSite>[] = [
	{
		name: "a mention arrives as two events in any order, each of them twice, and is answered once",
		steps: [
			{
				what: "Slack sends everything twice, and what is later sooner",
				does: ({ site: { simulator } }) => {
					simulator.delivery.disorder = { duplicate: 1, reorder: 0.5 };
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
		name: "a copy of a conversation continues in its own thread, and its file is in the direct messages",
		steps: [
			{ says: "@Parley say: hello" },
			{ shows: "[offline] hello" },
			{ commands: "/session fork" },
			{ answered: "The copy continues in" },
			{ replies: "say: another way", to: "continues here as a copy", in: "top" },
			{ shows: "[offline] another way", in: "thread", times: 1 },
			{ hides: "[offline] hello", in: "thread" },
			{ commands: "/session export", in: "thread" },
			{ shows: "file: ", in: "dm" },
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
		name: "each mention at the top level starts a separate conversation, and none waits for another",
		steps: [
			{ says: `@Parley ${slow}`, in: "top", as: "slow" },
			{ says: "@Parley say: meanwhile", by: "Max", in: "top", as: "quick" },
			{ shows: "[offline] meanwhile" },
			{ hides: "Your message is next" },
			{ replies: "stop", to: "slow" },
			{ shows: "[Again]", times: 2 },
		],
	},
	{
		name: "messages in a thread that started with a mention are for Parley, even after its database was lost",
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
		name: "in a thread of people, Parley answers only mentions",
		steps: [
			{ says: "about the release", in: "top", as: "root" },
			{ replies: "say: nobody asked", to: "root", by: "Max" },
			{ replies: "@Parley say: in here", to: "root" },
			{ showsOnly: ["[offline] in here"] },
			{ showsOnly: [], in: "top" },
		],
	},
	{
		name: "a message that mentions another person below a card is not for Parley",
		steps: [
			{ commands: "/task new", with: { text: "say: done", title: "Tidy" } },
			{ shows: "✅ **Done**", in: "Tidy" },
			{ says: "@Max look at this", in: "Tidy" },
			{ hides: "has ended", in: "Tidy" },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "a group conversation is answered in a thread if it mentions Parley",
		steps: [
			{ says: "say: among us", in: "group", as: "root" },
			{ replies: "@Parley say: all of you", to: "root", in: "group" },
			{ showsOnly: ["[offline] all of you"], in: "group" },
		],
	},
	{
		name: "a thread in direct messages is a separate conversation",
		steps: [
			{ says: "say: at the top", in: "dm", as: "root" },
			{ shows: "[offline] at the top", in: "dm" },
			{ replies: "say: in the thread", to: "root", in: "dm" },
			{ shows: "[offline] in the thread", in: "thread" },
		],
	},
	{
		name: "commands in threads follow a mention, which Parley's own threads do not need",
		steps: [
			{ says: "@Parley say: begin", in: "top", as: "root" },
			{ shows: "[offline] begin" },
			{ replies: "@Parley /task list", to: "root" },
			{ shows: "This channel has no tasks yet" },
			{ replies: `@Parley ${slow}`, to: "root" },
			{ typing: true },
			{ passes: 2000 },
			{ replies: "!stop", to: "root" },
			{ shows: /stopped by|Stopped by [^:]*: “long: 60 tokens/ },
		],
	},
	{
		name: "an unknown command is explained in private",
		steps: [
			{ commands: "/parley dance" },
			{ answered: ["I do not know this command", "`/parley ask`"] },
			{ commands: "/parley help" },
			{ answered: ["`/parley task new`", "`/parley trust on`"] },
			{ showsOnly: [] },
		],
	},
	{
		name: "in a channel without Parley, a command explains how to invite it",
		steps: [
			{ what: "Parley is sent away", does: ({ site }) => site.random.channel.loses() },
			{ commands: "/ask", with: { text: "say: hello" }, in: "random" },
			{ answered: ["I am not in this conversation", "/invite @parley"] },
		],
	},
	{
		name: "a forwarded message without a comment is read",
		steps: [
			{
				what: "Mia passes on what Max has said",
				does: ({ site: { people, general } }) => {
					const { Mia, Max } = people;
					const sentMessage = Max?.person.says("count the files", { in: general.channel });
					if (Mia && sentMessage) Mia.person.says("", { in: Mia.person.dm, forwards: sentMessage });
				},
			},
			{ shows: "[offline] Hello! I am the offline model", in: "dm" },
			{ hides: "Write your request in the same message", in: "dm" },
		],
	},
	{
		name: "a message becomes a task from its menu",
		steps: [
			{ says: "say: from the menu", by: "Max", in: "top", as: "m" },
			{ commands: "Make it a task", on: "m" },
			{ answered: "is queued" },
			{ shows: ["✅ Done", "tokens in"] },
			{ shows: "[offline] from the menu" },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "a question of a command is answered in the thread of its card",
		steps: [
			{ commands: "/ask", with: { text: "choose: tea | coffee" } },
			{ replies: "milk", to: "<Choose one" },
			{ shows: "The question is still open", in: "thread", to: "Mia" },
			{ replies: "Coffee", to: "<Choose one" },
			{ shows: ["✅ **Answered** by @Mia", "> coffee"] },
		],
	},
	{
		name: "a call of a command is approved in the thread of its card, by an approver",
		steps: [
			{ commands: "/ask", with: { text: "write: notes.txt <<< hello" } },
			{ replies: "approve", to: "[Approve once]" },
			{ shows: "Not accepted", in: "thread", to: "Mia" },
			{ replies: "approve", to: "[Approve once]", by: "Alex" },
			{ shows: ["✅ **Approved", "by @Alex"] },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "a guest of the workspace stays a guest under any configuration, and may change nothing",
		steps: [
			{ commands: "/whoami", by: "Gus" },
			{ answered: "**guest**" },
			{ says: "@Parley write: notes.txt <<< mine", by: "Gus", in: "top" },
			{ shows: "[Good]" },
			{ hides: "[Approve once]" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a person of another organisation has no access in a shared channel, and people of the workspace keep their roles",
		steps: [
			{
				what: "the channel is shared, and Eve of Globex writes",
				does: ({ site }) => {
					const globex = site.simulator.team("Globex");
					site.general.channel.shares(globex);
					const eve = site.player("Eve", {}, globex);
					site.general.channel.joins(eve);
					eve.says(`${site.mention} write: notes.txt <<< hers`, { in: site.room("top", eve) });
				},
			},
			{ hides: "You do not have access yet" },
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
				does: ({ site }) => site.general.channel.shares(site.simulator.team("Globex")),
			},
			{
				shows: /🔒 Tools require approval here again: the members or their permissions have changed/,
				times: 1,
			},
			{ says: "@Parley write: notes.txt <<< hello", in: "top" },
			{ shows: "[Approve once]" },
			{ says: "@Parley stop", in: "top" },
		],
	},
	{
		name: "trust ends when a guest joins, and not when a person of the workspace does",
		sandbox: true,
		steps: [
			...trusted,
			{ what: "Sam comes again", does: ({ site }) => leaveAndJoin(site, "Sam") },
			{ hides: "🔒" },
			{ what: "Gus comes again", does: ({ site }) => leaveAndJoin(site, "Gus") },
			{
				shows: /🔒 Tools require approval here again: the members or their permissions have changed/,
				times: 1,
			},
		],
	},
	{
		name: "trust ends when a guest has joined while the connector was stopped",
		sandbox: true,
		steps: [
			...trusted,
			// Parley does not read missed messages of a channel without a conversation.
			{ says: "@Parley say: hello", in: "top" },
			{ shows: "[offline] hello" },
			{ stops: "connector" },
			{ passes: 7 * 60_000 },
			{ what: "Gus comes again", does: ({ site }) => leaveAndJoin(site, "Gus") },
			{ passes: 7 * 60_000 },
			{
				what: "Slack has given up to tell of it",
				does: ({ site }) => void site.simulator.delivery.lost.splice(0),
			},
			{ starts: "connector" },
			{ shows: /🔒 Tools require approval here again/, times: 1 },
		],
	},
	{
		name: "mentions in people's threads, and first replies to Parley, are read after an absence",
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
				does: ({ site }) => void site.simulator.delivery.lost.splice(0),
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
