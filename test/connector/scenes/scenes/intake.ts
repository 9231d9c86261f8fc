import type { DiscordSite } from "../discord-site.ts";
import type { Scene } from "../step.ts";

/** Messages, and whether they are for Parley. */
export const intake: readonly Scene<DiscordSite>[] = [
	{
		name: "a mention is answered below the message, with buttons to judge the answer",
		steps: [
			{ says: "@Parley say: good morning" },
			{ showsOnly: [["(to Mia)", "[offline] good morning", "[Good] [Bad] [Again]"]] },
		],
	},
	{
		name: "what speaks to nobody is not answered",
		steps: [
			{ says: "say: nobody asked" },
			{ says: "@Parley say: asked" },
			{ showsOnly: ["[offline] asked"] },
			{ commands: "/why", with: { message: "{1}" }, by: "Max" },
			{ told: "I know nothing of that message" },
		],
	},
	{
		name: "a direct message needs no name",
		steps: [
			{ says: "say: just us", in: "dm" },
			{ showsOnly: ["[offline] just us"], in: "dm" },
			{ showsOnly: [] },
		],
	},
	{
		name: "a reply to an answer is for Parley, also one that calls nobody",
		steps: [
			{ says: "@Parley say: first" },
			{ replies: "say: second", to: "[offline] first", quiet: true },
			{ showsOnly: ["[offline] first", "[offline] second"] },
		],
	},
	{
		name: "a reply to somebody else is not for Parley",
		steps: [
			{ says: "lunch?", by: "Max", as: "lunch" },
			{ replies: "say: at noon", to: "lunch" },
			{ says: "@Parley say: mine" },
			{ showsOnly: ["[offline] mine"] },
		],
	},
	{
		name: "who calls somebody else in Parley's thread speaks to them",
		steps: [
			{ commands: "/task new", with: { text: "say: done", title: "Tidy" } },
			{ shows: "is done: see its thread, or `/task show " },
			{ says: "@Max look at this", in: "Tidy" },
			{ says: "and this", in: "Tidy" },
			{ shows: "is over", in: "Tidy", times: 1 },
		],
	},
	{
		name: "everyone is nobody's name",
		steps: [
			{ says: "@everyone say: listen" },
			{ says: "@Parley say: heard" },
			{ showsOnly: ["[offline] heard"] },
		],
	},
	{
		name: "bots are not answered, whatever they say",
		steps: [
			{ says: "@Parley say: beep", by: "Robo" },
			{ says: "@Parley say: hello" },
			{ showsOnly: [["(to Mia)", "[offline] hello"]] },
		],
	},
	{
		name: "the name alone is greeted",
		steps: [{ says: "@Parley" }, { showsOnly: ["Hello! Write to me what is to be done"] }],
	},
	{
		name: "a command is understood as a text, too",
		steps: [
			{ says: "@Parley !help" },
			{ shows: [/`[!/]task new`/, /`[!/]trust on`/, /`[!/]whoami`/] },
			{ says: "@Parley !session" },
			{ shows: "Which one? `!session new`" },
		],
	},
	{
		name: "a message that names Parley only since it was edited is a message then",
		steps: [
			{ says: "say: hi", as: "m" },
			{ edits: "m", into: "@Parley say: hi" },
			{ showsOnly: [["(to Mia)", "[offline] hi"]] },
		],
	},
	{
		name: "an answered message that is edited is answered again when its author says so",
		steps: [
			{ says: "@Parley say: tee", as: "m" },
			{ shows: "[offline] tee" },
			{ edits: "m", into: "@Parley say: tea" },
			{ shows: ["I had this before you edited it", "[Answer the edited text]"] },
			{ clicks: "Answer the edited text", by: "Max" },
			{ told: "Only who wrote that message can send it again" },
			{ clicks: "Answer the edited text" },
			{ told: "I am on the changed text now" },
			{ shows: "[offline] tea", times: 1 },
		],
	},
	{
		name: "the preview of a link is no edit",
		only: "discord",
		steps: [
			{ says: "@Parley say: https://example.com/", as: "m" },
			{ shows: "example.com" },
			{
				what: "Discord adds a preview",
				does: ({ site }) => {
					const said = site.general.shows().find(({ author }) => author === "Mia");
					if (said) site.general.unfurls(said);
				},
			},
			{ showsOnly: ["example.com"] },
		],
	},
	{
		name: "where everything is for Parley, nobody has to name it",
		place: { mention: "always" },
		steps: [
			{ says: "say: at once" },
			{ says: "@Max are you there?" },
			{ says: "say: not here", in: "random" },
			{ showsOnly: ["[offline] at once"] },
			{ showsOnly: [], in: "random" },
		],
	},
	{
		name: "where each person has a conversation of their own, nobody waits for another one",
		place: { sessions: "person" },
		steps: [
			{ says: "@Parley long: 60 tokens at 2 per second" },
			{ says: "@Parley say: quick", by: "Max" },
			{ shows: ["(to Max)", "[offline] quick"] },
			{ commands: "/session list", by: "Max" },
			{ told: /2 messages/ },
			{ says: "@Parley stop" },
			{ hides: "Yours is next" },
		],
	},
	{
		name: "a thread of people is a room of its own",
		only: "discord",
		steps: [
			{ says: "about the release", as: "m" },
			{ opensThread: "Release", of: "m" },
			{ says: "@Parley say: in here", in: "Release" },
			{ showsOnly: [["(to Mia)", "[offline] in here"]], in: "Release" },
			{ hides: "in here" },
		],
	},
	{
		name: "a tool of the agent reads a file that came along, and the answer has what stands in it",
		steps: [
			{
				says: "@Parley read: attachments/notes.txt",
				attaches: [{ name: "notes.txt", content: "the word is heron\n" }],
			},
			{ showsOnly: [["(to Mia)", "read_file returned", "the word is heron"]] },
			{ file: "attachments/notes.txt", has: "the word is heron\n" },
		],
	},
	{
		name: "a file alone is taken, and what is written later can be about it",
		steps: [
			{ says: "@Parley", attaches: [{ name: "birds.csv", content: "name,legs\nheron,2\n" }] },
			{ shows: "(to Mia)" },
			{ says: "@Parley list: attachments\n& read: attachments/birds.csv" },
			{ shows: ["birds.csv", "heron,2"] },
		],
	},
	{
		name: "of two files of one name both are there, each with what it had",
		steps: [
			{
				says: "@Parley read: attachments/notes.txt\n& read: attachments/notes-2.txt",
				attaches: [
					{ name: "notes.txt", content: "first\n" },
					{ name: "notes.txt", content: "second\n" },
				],
			},
			{ shows: ["first", "second"] },
		],
	},
	{
		name: "a question by command is shown and answered where everybody sees it",
		steps: [{ commands: "/ask", with: { text: "say: for all" } }, { shows: "[offline] for all" }],
	},
	{
		name: "a message can be asked about from its menu",
		steps: [
			{ says: "say: from the menu", by: "Max", as: "m" },
			{ commands: "Ask about this", on: "m" },
			{ shows: ["(to Max)", "[offline]"] },
		],
	},
	{
		name: "whoever wonders is told what became of a message",
		steps: [
			{ says: "nothing for you", as: "m" },
			{ commands: "/why" },
			{ told: "nothing in it speaks to me; I did nothing with it" },
			{ says: "@Parley say: hi" },
			{ shows: "[offline] hi" },
			{ commands: "/why" },
			{ told: ["it mentions me; I sent it to the agent", "I have answered it"] },
		],
	},
];
