import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { Malformed } from "@parley/connector";
import { expect, test } from "vitest";
import { Channels } from "../intake/channels.ts";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { snowflakeAt } from "../vocabulary/snowflake.ts";
import { Head, type Interaction, readInteraction } from "./read-interaction.ts";

const user = { id: "42", username: "ada" };
const command = {
	...{ id: snowflakeAt(Date.UTC(2026, 0, 1)), token: "tok", guild_id: "1", channel_id: "20", type: 2 },
	...{ channel: { id: "20", type: 0 }, member: { nick: "Ada", roles: ["7"], user } },
	data: { name: "ask", type: 1 },
};

function read(data: object, known?: object): Interaction | undefined {
	const channels = new Channels({ port: new ScriptedPort(), clock: new ManualClock() });
	channels.note(known);
	return readInteraction(Head.parse(data), data, {
		channels,
		malformed: new Malformed("Discord", new MemoryLogger()),
	});
}

const file = { id: "8", filename: "a.png", size: 3, url: "https://cdn.example/a.png" };

test.each([
	[
		{
			name: "task",
			options: [{ name: "new", type: 1, options: [{ name: "budget", type: 10, value: 2.5 }] }],
		},
		{ command: "task new", options: { budget: 2.5 } },
	],
	[
		{ name: "a", options: [{ name: "b", type: 2, options: [{ name: "c", type: 1, options: [] }] }] },
		{ command: "a b c", options: {} },
	],
	[
		{
			name: "ask",
			options: [{ name: "file", type: 11, value: "8" }],
			resolved: { attachments: { "8": file } },
		},
		{ options: { file: "8" }, attachments: [{ id: "8", name: "a.png", size: 3, url: file.url }] },
	],
	[
		{
			name: "Ask about this",
			type: 3,
			target_id: "5",
			resolved: { messages: { "5": { id: "5", content: "hm" } } },
		},
		{ command: "Ask about this", target: { message: "5", text: "hm" } },
	],
	[{ name: "Who", type: 2, target_id: "5" }, { options: { user: "5" } }],
])("the command %j arrives with its words and options", (data, expected) => {
	expect(read({ ...command, data })).toMatchObject({ inbound: expected });
});

test("in direct messages, the person does not belong to a guild", () => {
	const { guild_id: _, member: __, ...direct } = command;
	const direct30 = { ...direct, user, channel_id: "30", channel: { id: "30", type: 1 } };
	expect(read(direct30)).toMatchObject({
		inbound: { room: { tenant: "dm", channel: "30", kind: "direct" }, person: { id: "42", roles: [] } },
	});
});

test("known properties of a channel are not read from the interaction", () => {
	const { channel: _, ...bare } = command;
	expect(read(bare)).toMatchObject({ inbound: { room: { channel: "20" } } });
	expect(read(bare, { id: "20", type: 11, guild_id: "1", parent_id: "10" })).toMatchObject({
		inbound: { room: { channel: "10", thread: "20" } },
	});
});
