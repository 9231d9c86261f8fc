import type { Scene, Step } from "../step.ts";

const asksInThread: readonly Step[] = [
	{ says: "@Parley say: hello", as: "hello" },
	{ shows: "hello" },
	{ opensThread: "work", of: "hello" },
	{ says: "@Parley write: notes.txt <<< hello", in: "work" },
	{ shows: "[Approve once]", in: "work" },
];

export const typingOff: readonly Scene[] = [
	{
		name: "no message decides an approval if the operator has turned that off, but its buttons do",
		typedApprovals: "off",
		steps: [
			...asksInThread,
			{ says: "@Parley approve", by: "Alex", in: "work" },
			{ says: "@Parley deny", by: "Alex", in: "work" },
			{ hides: "**Approved once**", in: "work" },
			{ hides: "**Denied**", in: "work" },
			{ shows: "[Approve once]", in: "work" },
			{ file: "notes.txt", has: null },
			{ clicks: "Approve once", by: "Alex", in: "work" },
			{ shows: "✅ **Approved once** by @Alex", in: "work" },
			{ file: "notes.txt", has: "hello" },
		],
	},
];

export const typing: readonly Scene[] = [
	{
		name: "a message in direct messages answers the only open question",
		steps: [
			{ says: "ask: Which port?", in: "dm" },
			{ shows: ["Question", "Which port?"], in: "dm" },
			{ says: "8080", in: "dm" },
			{ shows: ["✅ **Answered** by @Mia", "8080"], in: "dm" },
			{ shows: "✅ Answered.", in: "dm" },
			{ shows: ["ask_user returned", "8080"], in: "dm" },
			{ hides: "Your message is next", in: "dm" },
		],
	},
	{
		name: "a message chooses by the number of an option",
		steps: [
			{ says: "choose: tea | coffee", in: "dm" },
			{ shows: "<Choose one: tea | coffee>", in: "dm" },
			{ says: "2", in: "dm" },
			{ shows: ["✅ **Answered** by @Mia", "> coffee"], in: "dm" },
			{ hides: "Your message is next", in: "dm" },
		],
	},
	{
		name: "a message chooses several options by names and numbers",
		steps: [
			{ says: "pick: red | green | blue", in: "dm" },
			{ shows: "<Choose any", in: "dm" },
			{ says: "1, blue", in: "dm" },
			{ shows: ["✅ **Answered** by @Mia", "> red, blue"], in: "dm" },
		],
	},
	{
		name: "an unknown option is listed, and the question stays open",
		steps: [
			{ says: "choose: tea | coffee", in: "dm" },
			{ shows: "<Choose one: tea | coffee>", in: "dm" },
			{ says: "milk", in: "dm" },
			{ shows: ["“milk” is not an option", "The question is still open", "2. coffee"], in: "dm", to: "Mia" },
			{ says: "tea", in: "dm" },
			{ shows: ["✅ **Answered** by @Mia", "> tea"], in: "dm" },
			{ hides: "Your message is next", in: "dm" },
		],
	},
	{
		name: "only its author sees that an option is unknown",
		only: "slack",
		steps: [
			{ says: "@Parley choose: tea | coffee" },
			{ shows: "<Choose one: tea | coffee>" },
			{ says: "milk" },
			{ shows: "“milk” is not an option", to: "Mia" },
			{ hides: "is not an option", to: "Max" },
			{ says: "2" },
			{ shows: ["✅ **Answered** by @Mia", "> coffee"] },
			{ hides: "Your message is next" },
		],
	},
	{
		name: "an approver approves by a message in the thread of the card",
		steps: [
			...asksInThread,
			{ says: "@Parley Approve!", by: "Alex", in: "work" },
			{ shows: "✅ **Approved once** by @Alex", in: "work" },
			{ shows: "✅ Approved.", in: "work" },
			{ shows: "write_file returned", in: "work" },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "a denial by a message has its reason",
		steps: [
			...asksInThread,
			{ says: "@Parley deny: use another name", by: "Alex", in: "work" },
			{ shows: ["⛔ **Denied** by @Alex", "use another name"], in: "work" },
			{ shows: ["write_file failed", "use another name"], in: "work" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "another text queues, with a notice about the approval, and a person without the right does not approve",
		steps: [
			...asksInThread,
			{ says: "@Parley say: approve", by: "Alex", in: "work" },
			{ shows: "I am waiting for the approval above. Your message is next.", in: "work" },
			{ says: "@Parley approve", by: "Max", in: "work" },
			{ shows: "I am waiting for the approval above. Your message is number 2 in the queue.", in: "work" },
			{ shows: "[Approve once]", in: "work" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "an edited message, a message of a bot and a message with a file never approve",
		steps: [
			...asksInThread,
			{ says: "@Parley say: later", by: "Alex", in: "work", as: "later" },
			{ edits: "later", into: "@Parley approve", by: "Alex", in: "work" },
			{ says: "@Parley approve", by: "Robo", in: "work" },
			{
				says: "@Parley approve",
				by: "Alex",
				in: "work",
				attaches: [{ name: "a.txt", content: "approve" }],
			},
			{ hides: "✅", in: "work" },
			{ shows: "[Approve once]", in: "work" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a bot with the role of an approver decides nothing, neither by a reply to the card nor by a message",
		robo: "approver",
		steps: [
			...asksInThread,
			{ replies: "approve", to: "[Approve once]", by: "Robo", in: "work" },
			{ says: "@Parley approve", by: "Robo", in: "work" },
			{ replies: "deny", to: "[Approve once]", by: "Robo", in: "work" },
			{ hides: "✅", in: "work" },
			{ hides: "Denied", in: "work" },
			{ hides: "Not accepted", in: "work" },
			{ hides: "Your message is next", in: "work" },
			{ shows: "[Approve once]", in: "work" },
			{ file: "notes.txt", has: null },
			{ clicks: "Approve once", by: "Alex", in: "work" },
			{ shows: "✅ **Approved once** by @Alex", in: "work" },
		],
	},
	{
		name: "a forwarded message decides no approval and answers no question",
		place: { mention: "always" },
		steps: [
			{ says: "approve", by: "Max", in: "random", as: "approve" },
			...asksInThread,
			{ says: "", forwards: "approve", by: "Alex", in: "work" },
			{ shows: "I am waiting for the approval above. Your message is next.", in: "work" },
			{ hides: "✅ **Approved", in: "work" },
			{ shows: "[Approve once]", in: "work" },
			{ file: "notes.txt", has: null },
			{ says: "ask: Which port?", in: "dm" },
			{ shows: ["Question", "Which port?"], in: "dm" },
			{ says: "", forwards: "approve", in: "dm" },
			{ shows: "Your message is next", in: "dm" },
			{ hides: "✅", in: "dm" },
			{ shows: "[Answer]", in: "dm" },
		],
	},
	{
		name: "a comment on a forwarded message, which is a part of the same message, decides and answers nothing",
		only: "slack",
		place: { mention: "always" },
		steps: [
			{ says: "look at this", by: "Max", in: "random", as: "look" },
			...asksInThread,
			{ says: "deny: it is wrong", forwards: "look", by: "Alex", in: "work" },
			{ says: "approve", forwards: "look", by: "Alex", in: "work" },
			{ hides: "**Denied**", in: "work" },
			{ hides: "✅ **Approved", in: "work" },
			{ shows: "[Approve once]", in: "work" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a call that always requires approval is never approved by a message",
		steps: [
			{ says: "@Parley say: hello", as: "hello" },
			{ shows: "hello" },
			{ opensThread: "work", of: "hello" },
			{ says: "@Parley write: .env <<< KEY=1", in: "work" },
			{ shows: ["Risk: critical", "[Deny]"], in: "work" },
			{ says: "@Parley approve", by: "Alex", in: "work" },
			{ says: "@Parley approve", by: "Olga", in: "work" },
			{ hides: "✅ **Approved", in: "work" },
			{ shows: ["Risk: critical", "[Deny]"], in: "work" },
			{ file: ".env", has: null },
		],
	},
	{
		name: "a press and a message at the same time decide once",
		steps: [
			...asksInThread,
			{
				together: [
					{ clicks: "Approve once", by: "Alex", in: "work" },
					{ says: "@Parley approve", by: "Olga", in: "work" },
				],
			},
			{ shows: "write_file returned", in: "work", times: 1 },
			{ shows: "✅ **Approved once**", in: "work", times: 1 },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "an answer by message counts once, even after a restart",
		steps: [
			{ says: "ask: Which port?", in: "dm" },
			{ shows: ["Question", "Which port?"], in: "dm" },
			{ restarts: "both" },
			{ says: "8080", in: "dm" },
			{ restarts: "connector" },
			{ shows: ["✅ **Answered** by @Mia", "8080"], in: "dm", times: 1 },
			{ shows: ["ask_user returned", "8080"], in: "dm", times: 1 },
			{ hides: "Your message is next", in: "dm" },
		],
	},
];

/**
 * Returns scenes in which a command in a channel acts on the threads of the channel. `top` is the name of the room
 * for messages outside of threads.
 */
export function belowChannel(top: "general" | "top"): readonly Scene[] {
	const works: readonly Step[] = [
		{ says: "say: hello", by: "Max", as: "hello", in: top },
		{ opensThread: "work", of: "hello" },
		{ says: "@Parley write: notes.txt <<< hello", in: "work" },
		{ shows: "[Approve once]", in: "work" },
	];
	return [
		{
			name: "stop in a channel stops the only run of its threads and names it",
			steps: [
				...works,
				{ commands: "/stop", in: top },
				{ answered: ["Stopped: ", "write: notes.txt"] },
				{ shows: "⌛ **No answer**", in: "work" },
				{ commands: "/stop", in: top },
				{ answered: "I am not working on anything here." },
			],
		},
		{
			name: "stop in a channel offers the runs of several threads, and a button stops one",
			steps: [
				...works,
				{ says: "say: hi", by: "Max", as: "hi", in: top },
				{ opensThread: "second", of: "hi" },
				{ says: "@Parley write: other.txt <<< hello", in: "second" },
				{ shows: "[Approve once]", in: "second" },
				{ commands: "/stop", in: top },
				{
					answered: ["Choose the conversation to stop", "1. ", "write: other.txt", "2. ", "write: notes.txt"],
				},
				{ clicks: "2. write: notes.txt <<< hello" },
				{ answered: ["Stopped: ", "write: notes.txt"] },
				{ shows: "⌛ **No answer**", in: "work" },
				{ shows: "[Approve once]", in: "second" },
			],
		},
		{
			name: "usage, model, and the info and the summary of a session act on the only conversation of the threads",
			steps: [
				...works,
				{ commands: "/usage", in: top },
				{ answered: ["write: notes.txt", "This conversation: "] },
				{ commands: "/session info", in: top },
				{ answered: ["write: notes.txt", "1 message,"] },
				{ commands: "/model", with: { name: "offline" }, in: top },
				{ answered: ["Model chosen for ", ": `offline`. It applies from the next message."] },
				{ commands: "/session list", in: top },
				{ answered: ["Conversations in threads:", "write: notes.txt"] },
				{ commands: "/session compact", in: top },
				{ answered: "I am still working here." },
			],
		},
		{
			name: "a command in a channel without a conversation reports that",
			steps: [
				{ commands: "/stop", in: top },
				{ answered: "I am not working on anything here." },
				{ commands: "/usage", in: top },
				{ answered: "no conversation yet" },
			],
		},
	];
}
