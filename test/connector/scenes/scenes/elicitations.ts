import type { Scene } from "../step.ts";

export const elicitations: readonly Scene[] = [
	{
		name: "a question is answered in a form",
		steps: [
			{ says: "@Parley ask: What is your name?" },
			{ shows: ["Question", "What is your name?", "[Answer]"] },
			{ clicks: "Answer" },
			{ form: ["Your answer", "Answer"] },
			{ clicks: "Answer", fills: { Answer: "Mia the great" } },
			{ shows: ["✅ **Answered** by @Mia", "Mia the great"] },
			{ shows: ["ask_user returned", "Mia the great"] },
		],
	},
	{
		name: "a question is answered by a reply",
		only: "discord",
		steps: [
			{ says: "@Parley ask: Which port?" },
			{ replies: "8080", to: "[Answer]" },
			{ shows: ["✅ **Answered** by @Mia", "8080"] },
			{ shows: ["ask_user returned", "8080"] },
		],
	},
	{
		name: "one of several choices is selected from a list",
		steps: [
			{ says: "@Parley choose: tea | coffee" },
			{ shows: "<Choose one: tea | coffee>" },
			{ chooses: ["tea"] },
			{ shows: ["✅ **Answered** by @Mia", "> tea"] },
			{ shows: ["ask_user returned", "tea"] },
			{ hides: "<Choose one" },
		],
	},
	{
		name: "several choices are selected together",
		steps: [
			{ says: "@Parley pick: red | green | blue" },
			{ chooses: ["red", "blue"] },
			{ shows: ["✅ **Answered** by @Mia", "> red, blue"] },
		],
	},
	{
		name: "a choice can be written, in any letter case",
		only: "discord",
		steps: [
			{ says: "@Parley choose: tea | coffee" },
			{ replies: "Coffee", to: "<Choose one" },
			{ shows: ["✅ **Answered** by @Mia", "> coffee"] },
		],
	},
	{
		name: "an unknown choice is refused, and the question stays open",
		only: "discord",
		steps: [
			{ says: "@Parley choose: tea | coffee" },
			{ replies: "milk", to: "<Choose one" },
			{ shows: ["The question is still open", "[Answer again]"] },
			{ clicks: "Answer again", fills: { Answer: "tea" } },
			{ shows: ["✅ **Answered** by @Mia", "> tea"] },
		],
	},
	{
		name: "a choice that does not fit in the list can be written",
		only: "discord",
		steps: [
			{ says: `@Parley choose: ${Array.from({ length: 30 }, (_, index) => `o${index}`).join(" | ")}` },
			{ shows: ["Also possible: o25, o26", "[Answer]"] },
			{ clicks: "Answer", fills: { Answer: "o29" } },
			{ shows: ["✅ **Answered** by @Mia", "> o29"] },
		],
	},
	{
		name: "a password is entered on a page of the gateway, never in the chat",
		publicUrl: "https://parley.example.org",
		steps: [
			{ says: "@Parley secret: API key" },
			{ shows: ["asks for a secret", "API key", "[Enter it on a page]"] },
			{ clicks: "Enter it on a page" },
			{ answered: ["This page is only for you", /\[Open the page -> https:\/\/parley\.example\.org\/\S+\]/] },
		],
	},
	{
		name: "a password in a reply is not sent to the agent",
		only: "discord",
		publicUrl: "https://parley.example.org",
		steps: [
			{ says: "@Parley secret: API key" },
			{ shows: "[Enter it on a page]" },
			{ replies: "sesame", to: "[Enter it on a page]" },
			{ shows: "Not answered, because a secret must not be in a chat" },
			{ hides: "sesame" },
		],
	},
	{
		name: "a guest's answer is refused",
		steps: [
			{ says: "@Parley ask: Who?" },
			{ clicks: "Answer", by: "Gus", fills: { Answer: "me" } },
			{ answered: "Not accepted" },
			{ shows: "[Answer]" },
		],
	},
	{
		name: "a question can be answered after a restart",
		steps: [
			{ says: "@Parley choose: tea | coffee" },
			{ shows: "<Choose one" },
			{ restarts: "both" },
			{ chooses: ["coffee"] },
			{ shows: ["✅ **Answered** by @Mia", "> coffee"] },
			{ shows: "Question", times: 1 },
		],
	},
	{
		name: "a question of stopped work is closed",
		steps: [
			{ says: "@Parley ask: Still there?" },
			{ shows: "[Answer]" },
			{ says: "@Parley stop" },
			{ shows: ["⌛ **No answer**", "stopped the work"] },
			{ hides: "[Answer]" },
		],
	},
	{
		name: "a late reply gets a notice with the reason",
		steps: [
			{ says: "@Parley ask: Who?" },
			{ shows: "[Answer]" },
			{
				together: [
					{ clicks: "Answer", fills: { Answer: "first" } },
					{ replies: "second", to: "[Answer]", by: "Max" },
				],
			},
			{ shows: /first|second/ },
			{ shows: "✅ **Answered**", times: 1 },
		],
	},
];
