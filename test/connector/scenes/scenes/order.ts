import type { Scene } from "../step.ts";

const slow = "long: 60 tokens at 2 per second";

/** Pattern of the notice of a stopped run, which may quote the start of the message. */
const stopped = /stopped by|Stopped by [^:]*: “long: 60 tokens/;

export const order: readonly Scene[] = [
	{
		name: "a queued message has a notice, and is answered after the previous one",
		steps: [
			{ says: `@Parley ${slow}` },
			{ says: "@Parley say: second", by: "Max" },
			{ shows: ["(to Max)", "I am working on another message. Your message is next.", "[Stop]"] },
			{ passes: 40_000 },
			{
				showsOnly: ["(to Mia", ["(to Max", "[offline] second"]],
			},
		],
	},
	{
		name: "the author of a queued message sees its position, and changes of it",
		steps: [
			{ says: `@Parley ${slow}` },
			{ says: `@Parley ${slow}`, by: "Max" },
			{ says: "@Parley say: third", by: "Olga" },
			{ shows: ["(to Olga)", "Your message is number 2 in the queue"] },
			{ passes: 32_000 },
			{ shows: ["(to Max", "[Stop]"] },
			{ shows: ["(to Olga", "Your message is next."] },
			{ passes: 40_000 },
			{ shows: ["(to Olga)", "[offline] third"], times: 1 },
		],
	},
	{
		name: "the button below removes a message from the queue",
		steps: [
			{ says: `@Parley ${slow}` },
			{ says: "@Parley say: never mind" },
			{ clicks: "Stop", on: "Your message is next" },
			{ answered: "Stopped." },
			{ shows: "Removed from the queue." },
			{ passes: 40_000 },
			{ hides: "[offline] never mind" },
		],
	},
	{
		name: "stop as a text stops the active run, which can be repeated",
		steps: [
			{ says: `@Parley ${slow}` },
			{ typing: true },
			{ passes: 5000 },
			{ says: "@Parley stop" },
			{ showsOnly: [["(to Mia", stopped, "[Again]"]] },
		],
	},
	{
		name: "stop by command is confirmed in private",
		steps: [
			{ says: `@Parley ${slow}` },
			{ typing: true },
			{ passes: 2000 },
			{ commands: "/stop" },
			{ answered: /[Ss]topped/ },
			{ shows: stopped },
		],
	},
	{
		name: "without an active run, stop reports that",
		steps: [{ says: "@Parley stop" }, { showsOnly: ["I am not working on anything here."] }],
	},
	{
		name: "❌ on a message stops its answer",
		steps: [
			{ says: `@Parley ${slow}`, as: "m" },
			{ typing: true },
			{ passes: 2000 },
			{ reacts: "❌", on: "m" },
			{ shows: stopped },
		],
	},
	{
		name: "another reaction on a message has no effect",
		steps: [
			{ says: "@Parley long: 20 tokens at 2 per second", as: "m" },
			{ reacts: "👍", on: "m" },
			{ passes: 15_000 },
			{ shows: ["[Good] [Bad] [Again]"] },
			{ hides: "stopped" },
		],
	},
	{
		name: "🔁 on a message repeats its answer",
		steps: [
			{ says: "@Parley say: once", as: "m" },
			{ shows: "[offline] once" },
			{ reacts: "🔁", on: "m" },
			{ shows: "[offline] once", times: 2 },
		],
	},
	{
		name: "Again repeats only the last answer",
		steps: [
			{ says: "@Parley say: one" },
			{ shows: "[offline] one" },
			{ clicks: "Again", on: "[offline] one" },
			{ answered: "The new answer follows below." },
			{ shows: "[offline] one", times: 2 },
			{ says: "@Parley say: two" },
			{ shows: "[offline] two" },
			{ clicks: "Again", on: "[offline] one" },
			{ answered: "Only the latest answer can be repeated" },
		],
	},
	{
		name: "a message that is deleted while it waits is not answered",
		steps: [
			{ says: `@Parley ${slow}` },
			{ says: "@Parley say: forget it", as: "m" },
			{ shows: "Your message is next" },
			{ deletes: "m" },
			{ shows: "Removed from the queue" },
			{ passes: 40_000 },
			{ hides: "[offline] forget it" },
		],
	},
	{
		name: "a message that is edited while it waits is answered in its new form",
		steps: [
			{ says: `@Parley ${slow}` },
			{ says: "@Parley say: tee", as: "m" },
			{ shows: "Your message is next" },
			{ edits: "m", into: "@Parley say: tea" },
			{ shows: "Removed from the queue" },
			{ passes: 40_000 },
			{ shows: "[offline] tea", times: 1 },
			{ hides: "[offline] tee" },
		],
	},
	{
		name: "work in one channel does not delay another",
		steps: [
			{ says: `@Parley ${slow}` },
			{ says: "@Parley say: meanwhile", in: "random" },
			{ shows: "[offline] meanwhile", in: "random" },
			{ says: "@Parley stop" },
			{ shows: "[Again]" },
		],
	},
	{
		name: "Parley shows a typing indicator while it works",
		steps: [
			{ says: `@Parley ${slow}` },
			{ typing: true },
			{ passes: 20_000 },
			{ typing: true },
			{ passes: 40_000 },
			{ shows: "[Good]" },
			{ typing: false },
		],
	},
	{
		name: "a conversation is shortened on request, which shows the start and the end",
		steps: [
			{ commands: "/session compact" },
			{ answered: "This channel has no conversation yet" },
			{ says: "@Parley say: old" },
			{ shows: "[offline] old" },
			{ commands: "/session compact" },
			{ answered: "Summarising the conversation…" },
			{ shows: "I now work from a summary of the conversation:" },
			{ says: "@Parley ask: Which bed?" },
			{ shows: "Which bed?" },
			{ commands: "/session compact" },
			{ answered: "I am still working here." },
		],
	},
	{
		name: "a new conversation does not wait for the old one, which can be continued",
		steps: [
			{ says: "@Parley say: old" },
			{ shows: "[offline] old" },
			{ commands: "/session rename", with: { title: "Oldies" } },
			{ answered: "Renamed to **Oldies**" },
			{ commands: "/session new", with: { title: "Fresh" } },
			{ answered: "Started a new conversation **Fresh**" },
			{ says: "@Parley say: new" },
			{ shows: "[offline] new" },
			{ types: "/session switch", with: { session: "old" }, offers: ["Oldies"] },
			{ commands: "/session switch", with: { session: "Oldies" } },
			{ answered: "Switched to **Oldies**" },
			{ commands: "/session list" },
			{ answered: /▸ \*\*Oldies\*\*/ },
			{ commands: "/session info" },
			{ answered: "Oldies" },
		],
	},
	{
		name: "the rating of an answer is recorded",
		steps: [
			{ says: "@Parley say: well" },
			{ clicks: "Good" },
			{ answered: "Thank you for your feedback." },
			{ clicks: "Bad", fills: { "Comment for the operator": "too short" } },
			{ answered: "The operator can read your feedback" },
		],
	},
];
