import type { Address } from "@parley/connector";
import { expect, test } from "vitest";
import { readAddress } from "./intake.ts";
import { Message } from "./wire.ts";

type Expected = { readonly text?: string; readonly reply?: Address["reply"] | undefined } & Partial<
	Omit<Address, "reply">
>;

const us = "500";
const bot = { id: us, username: "parley", bot: true };
const ada = { id: "42", username: "ada", global_name: "Ada" };
const general = { id: "10", type: 0, name: "general" };
const names = {
	user: us,
	roles: new Map([
		["70", { name: "Parley", ours: true }],
		["71", { name: "Mods", ours: false }],
	]),
	channel: (id: string) => (id === "10" ? general : undefined),
};
const message = {
	...{ id: "1", channel_id: "10", type: 0, author: ada, content: "hello", attachments: [] },
	...{ mentions: [], mention_roles: [], mention_everyone: false },
};

test.each<[string, object, Expected]>([
	[
		"our mention is taken out",
		{ content: `<@${us}> run <@!${us}> it`, mentions: [bot] },
		{ us: true, text: "run it" },
	],
	["and the sign behind it", { content: `<@${us}>: stop`, mentions: [bot] }, { us: true, text: "stop" }],
	[
		"but no other",
		{ content: `<@${us}> :tada:, <@42>: hi`, mentions: [bot, ada] },
		{ text: ":tada:, @Ada: hi" },
	],
	["others are named", { content: "ask <@42> now", mentions: [ada] }, { others: true, text: "ask @Ada now" }],
	[
		"with the name that the guild has for them",
		{ content: "<@42>", mentions: [{ ...ada, member: { nick: "Countess", roles: [] } }] },
		{ others: true, text: "@Countess" },
	],
	[
		"a role that is ours alone is us",
		{ content: "<@&70> hi", mention_roles: ["70"] },
		{ us: true, text: "hi" },
	],
	[
		"another one is somebody else",
		{ content: "<@&71> hi", mention_roles: ["71"] },
		{ others: true, text: "@Mods hi" },
	],
	["channels are named", { content: "see <#10> and <#99>" }, { text: "see #general and <#99>" }],
	[
		"everybody is flagged",
		{ content: "@everyone hi", mention_everyone: true },
		{ everyone: true, text: "@everyone hi" },
	],
	["what only looks like a mention is none", { content: `\`<@${us}>\`` }, { us: false }],
	[
		"who is only replied to is not mentioned",
		{
			type: 19,
			content: "ok",
			mentions: [bot],
			message_reference: { message_id: "7" },
			referenced_message: { author: bot },
		},
		{ us: false, reply: { message: "7", ours: true } },
	],
	[
		"a reply to somebody else is not to us",
		{ type: 19, message_reference: { message_id: "7" }, referenced_message: { author: ada } },
		{ reply: { message: "7", ours: false } },
	],
	[
		"a reply to what was deleted is not to us",
		{ type: 19, message_reference: { message_id: "7" }, referenced_message: null },
		{ reply: { message: "7", ours: false } },
	],
	[
		"what is passed on is no reply",
		{ message_reference: { type: 1, message_id: "7" } },
		{ reply: undefined },
	],
])("%s", (_name, more, expected) => {
	const { address, text } = readAddress(Message.parse({ ...message, ...more }), names);
	expect({ text, reply: undefined, ...address }).toMatchObject(expected);
});
