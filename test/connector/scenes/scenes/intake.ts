import type { DiscordSite } from "../discord-site.ts";
import type { Scene } from "../step.ts";

export const intake: readonly Scene<DiscordSite>[] = [
	{
		name: "a mention is answered below the message, with buttons to rate the answer",
		steps: [
			{ says: "@Parley say: good morning" },
			{ showsOnly: [["(to Mia)", "[offline] good morning", "[Good] [Bad] [Again]"]] },
		],
	},
	{
		name: "a message without a mention is not answered",
		steps: [
			{ says: "say: nobody asked" },
			{ says: "@Parley say: asked" },
			{ showsOnly: ["[offline] asked"] },
			{ commands: "/why", with: { message: "{1}" }, by: "Max" },
			{ answered: "I have no record of that message" },
		],
	},
	{
		name: "a direct message needs no mention",
		steps: [
			{ says: "say: just us", in: "dm" },
			{ showsOnly: ["[offline] just us"], in: "dm" },
			{ showsOnly: [] },
		],
	},
	{
		name: "a reply to an answer is for Parley, even without a mention",
		steps: [
			{ says: "@Parley say: first" },
			{ replies: "say: second", to: "[offline] first", quiet: true },
			{ showsOnly: ["[offline] first", "[offline] second"] },
		],
	},
	{
		name: "a reply to another person is not for Parley",
		steps: [
			{ says: "lunch?", by: "Max", as: "lunch" },
			{ replies: "say: at noon", to: "lunch" },
			{ says: "@Parley say: mine" },
			{ showsOnly: ["[offline] mine"] },
		],
	},
	{
		name: "a message that mentions another person in Parley's thread is not for Parley",
		steps: [
			{ commands: "/task new", with: { text: "say: done", title: "Tidy" } },
			{ shows: ["**Tidy**", "✅ Done"] },
			{ says: "@Max look at this", in: "Tidy" },
			{ says: "say: and this", in: "Tidy" },
			{ shows: "[offline] and this", in: "Tidy" },
			{ shows: "[offline]", in: "Tidy", times: 2 },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "@everyone is not a mention of Parley",
		steps: [
			{ says: "@everyone say: listen" },
			{ says: "@Parley say: heard" },
			{ showsOnly: ["[offline] heard"] },
		],
	},
	{
		name: "bots are never answered",
		steps: [
			{ says: "@Parley say: beep", by: "Robo" },
			{ says: "@Parley say: hello" },
			{ showsOnly: [["(to Mia)", "[offline] hello"]] },
		],
	},
	{
		name: "a mention alone gets a greeting",
		steps: [{ says: "@Parley" }, { showsOnly: ["Hello! Write your request in the same message"] }],
	},
	{
		name: "a command also works as a text",
		steps: [
			{ says: "@Parley !help" },
			{ shows: [/`[!/]task new`/, /`[!/]trust on`/, /`[!/]whoami`/] },
			{ says: "@Parley !session" },
			{ shows: "Choose one of these commands: `!session new`" },
		],
	},
	{
		name: "a message that mentions Parley only after an edit is answered",
		steps: [
			{ says: "say: hi", as: "m" },
			{ edits: "m", into: "@Parley say: hi" },
			{ showsOnly: [["(to Mia)", "[offline] hi"]] },
		],
	},
	{
		name: "an edited message is answered again if its author confirms",
		steps: [
			{ says: "@Parley say: tee", as: "m" },
			{ shows: "[offline] tee" },
			{ edits: "m", into: "@Parley say: tea" },
			{ shows: ["I accepted this message before you edited it", "[Answer the edited message]"] },
			{ clicks: "Answer the edited message", by: "Max" },
			{ answered: "Only the author of that message can send it again" },
			{ clicks: "Answer the edited message" },
			{ answered: "I am working on the edited message" },
			{ shows: "[offline] tea", times: 1 },
		],
	},
	{
		name: "the preview of a link is not an edit",
		only: "discord",
		steps: [
			{ says: "@Parley say: https://example.com/", as: "m" },
			{ shows: "example.com" },
			{
				what: "Discord adds a preview",
				does: ({ site }) => {
					const sentMessage = site.general.shows().find(({ author }) => author === "Mia");
					if (sentMessage) site.general.unfurls(sentMessage);
				},
			},
			{ showsOnly: ["example.com"] },
		],
	},
	{
		name: "in a channel without required mentions, every message is answered",
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
		name: "with separate conversations, people do not wait for each other",
		place: { sessions: "person" },
		steps: [
			{ says: "@Parley long: 60 tokens at 2 per second" },
			{ says: "@Parley say: quick", by: "Max" },
			{ shows: ["(to Max)", "[offline] quick"] },
			{ commands: "/session list", by: "Max" },
			{ answered: /2 messages/ },
			{ says: "@Parley stop" },
			{ hides: "Your message is next" },
		],
	},
	{
		name: "a thread of people is a separate conversation",
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
		name: "a tool of the agent reads an attached file, and the answer has its content",
		steps: [
			{
				says: "@Parley read: attachments/notes.txt",
				attaches: [{ name: "notes.txt", content: "the word is heron\n" }],
			},
			{ showsOnly: [["(to Mia", "read_file returned", "the word is heron"]] },
			{ file: "attachments/notes.txt", has: "the word is heron\n" },
		],
	},
	{
		name: "a message with only a file is accepted, and later messages can refer to it",
		steps: [
			{ says: "@Parley", attaches: [{ name: "birds.csv", content: "name,legs\nheron,2\n" }] },
			{ shows: "(to Mia)" },
			{ says: "@Parley list: attachments\n& read: attachments/birds.csv" },
			{ shows: ["birds.csv", "heron,2"] },
		],
	},
	{
		name: "two files with the same name are both kept with their content",
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
		name: "a question by command is shown and answered in public",
		steps: [{ commands: "/ask", with: { text: "say: for all" } }, { shows: "[offline] for all" }],
	},
	{
		name: "a message can be sent to Parley from its menu",
		steps: [
			{ says: "say: from the menu", by: "Max", as: "m" },
			{ commands: "Ask about this", on: "m" },
			{ shows: ["(to Max)", "[offline]"] },
		],
	},
	{
		name: "/why reports the handling of the last message",
		steps: [
			{ says: "nothing for you", as: "m" },
			{ commands: "/why" },
			{ answered: "the message does not mention me; I ignored it" },
			{ says: "@Parley say: hi" },
			{ shows: "[offline] hi" },
			{ commands: "/why" },
			{ answered: ["the message mentions me; I accepted it as a request", "The run has ended"] },
		],
	},
];
