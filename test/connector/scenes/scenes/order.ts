import type { Scene } from "../step.ts";

const slow = "long: 60 tokens at 2 per second";

/** With the partial text, if it has any. */
const stopped = /stopped here|Stopped: “long: 60 tokens/;

/** The queue, and changes of its order. */
export const order: readonly Scene[] = [
	{
		name: "a message that has to wait says so, and is answered after the one before it",
		steps: [
			{ says: `@Parley ${slow}` },
			{ says: "@Parley say: second", by: "Max" },
			{ shows: ["(to Max)", "I am still on another message. Yours is next.", "[Stop]"] },
			{ passes: 40_000 },
			{
				showsOnly: [["to Max", "It was your turn: see below"], "(to Mia)", ["(to Max)", "[offline] second"]],
			},
		],
	},
	{
		name: "who waits behind others sees their place, and sees it change",
		steps: [
			{ says: `@Parley ${slow}` },
			{ says: `@Parley ${slow}`, by: "Max" },
			{ says: "@Parley say: third", by: "Olga" },
			{ shows: ["(to Olga)", "Yours is number 2 in line"] },
			{ passes: 32_000 },
			{ shows: ["(to Max", "Your turn: I am on it now."] },
			{ shows: ["(to Olga", "Yours is next."] },
			{ passes: 40_000 },
			{ shows: ["(to Olga)", "[offline] third"], times: 1 },
		],
	},
	{
		name: "the button below takes a message out of the line",
		steps: [
			{ says: `@Parley ${slow}` },
			{ says: "@Parley say: never mind" },
			{ clicks: "Stop", on: "Yours is next" },
			{ told: "Stopped." },
			{ shows: "Taken out of the line: nobody answers it." },
			{ passes: 40_000 },
			{ hides: "[offline] never mind" },
		],
	},
	{
		name: "stop alone stops what is at work, which can be asked for again",
		steps: [
			{ says: `@Parley ${slow}` },
			{ typing: true },
			{ passes: 5000 },
			{ says: "@Parley stop" },
			{ showsOnly: [["(to Mia)", stopped, "[Again]"]] },
		],
	},
	{
		name: "stop by command is confirmed to who gave it",
		steps: [
			{ says: `@Parley ${slow}` },
			{ typing: true },
			{ passes: 2000 },
			{ commands: "/stop" },
			{ told: /[Ss]topped/ },
			{ shows: stopped },
		],
	},
	{
		name: "where nothing is at work, stop says so",
		steps: [{ says: "@Parley stop" }, { showsOnly: ["Nothing is at work here."] }],
	},
	{
		name: "❌ at a message stops its answer",
		steps: [
			{ says: `@Parley ${slow}`, as: "m" },
			{ typing: true },
			{ passes: 2000 },
			{ reacts: "❌", on: "m" },
			{ shows: stopped },
		],
	},
	{
		name: "another sign at a message means nothing",
		steps: [
			{ says: "@Parley long: 20 tokens at 2 per second", as: "m" },
			{ reacts: "👍", on: "m" },
			{ passes: 15_000 },
			{ shows: ["[Good] [Bad] [Again]"] },
			{ hides: "stopped" },
		],
	},
	{
		name: "🔁 at a message answers it once more",
		steps: [
			{ says: "@Parley say: once", as: "m" },
			{ shows: "[offline] once" },
			{ reacts: "🔁", on: "m" },
			{ shows: "[offline] once", times: 2 },
		],
	},
	{
		name: "Again answers once more, and only what was asked last",
		steps: [
			{ says: "@Parley say: one" },
			{ shows: "[offline] one" },
			{ clicks: "Again", on: "[offline] one" },
			{ told: "Once more: the answer comes below." },
			{ shows: "[offline] one", times: 2 },
			{ says: "@Parley say: two" },
			{ shows: "[offline] two" },
			{ clicks: "Again", on: "[offline] one" },
			{ told: "Only what was asked last can be answered again" },
		],
	},
	{
		name: "a message that is deleted while it waits is not answered",
		steps: [
			{ says: `@Parley ${slow}` },
			{ says: "@Parley say: forget it", as: "m" },
			{ shows: "Yours is next" },
			{ deletes: "m" },
			{ shows: "Taken out of the line" },
			{ passes: 40_000 },
			{ hides: "[offline] forget it" },
		],
	},
	{
		name: "a message that is edited while it waits is answered as it is then",
		steps: [
			{ says: `@Parley ${slow}` },
			{ says: "@Parley say: tee", as: "m" },
			{ shows: "Yours is next" },
			{ edits: "m", into: "@Parley say: tea" },
			{ shows: "Taken out of the line" },
			{ passes: 40_000 },
			{ shows: "[offline] tea", times: 1 },
			{ hides: "[offline] tee" },
		],
	},
	{
		name: "what is at work in one channel keeps nobody waiting in another one",
		steps: [
			{ says: `@Parley ${slow}` },
			{ says: "@Parley say: meanwhile", in: "random" },
			{ shows: "[offline] meanwhile", in: "random" },
			{ says: "@Parley stop" },
			{ shows: "[Again]" },
		],
	},
	{
		name: "Parley is seen typing as long as it is at work",
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
		name: "a fresh conversation does not wait for the old one, and one can go back",
		steps: [
			{ says: "@Parley say: old" },
			{ shows: "[offline] old" },
			{ commands: "/session rename", with: { title: "Oldies" } },
			{ told: "called **Oldies** from now on" },
			{ commands: "/session new", with: { title: "Fresh" } },
			{ told: "A fresh conversation **Fresh** begins here" },
			{ says: "@Parley say: new" },
			{ shows: "[offline] new" },
			{ types: "/session switch", with: { session: "old" }, offers: ["Oldies"] },
			{ commands: "/session switch", with: { session: "Oldies" } },
			{ told: "goes on with **Oldies**" },
			{ commands: "/session list" },
			{ told: /▸ \*\*Oldies\*\*/ },
			{ commands: "/session info" },
			{ told: "Oldies" },
		],
	},
	{
		name: "what somebody thinks of an answer is noted",
		steps: [
			{ says: "@Parley say: well" },
			{ clicks: "Good" },
			{ told: "Thank you, noted." },
			{ clicks: "Bad", fills: { "For the operator": "too short" } },
			{ told: "noted for the operator" },
		],
	},
];
