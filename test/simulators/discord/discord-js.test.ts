import {
	Client,
	Events,
	GatewayIntentBits as Intents,
	type Interaction,
	LabelBuilder,
	MessageFlags,
	ModalBuilder,
	Partials,
	TextInputBuilder,
	TextInputStyle,
} from "discord.js";
import { expect, test } from "vitest";
import { Simulator } from "./platform/simulator.ts";
import { buttons } from "./rest/direct-client.ts";
import { DiscordServer } from "./server.ts";

async function realClient() {
	const simulator = new Simulator({ settings: { buckets: {} } });
	const server = await DiscordServer.start(simulator);
	const client = new Client({
		intents: [Intents.Guilds, Intents.GuildMessages, Intents.MessageContent, Intents.DirectMessages],
		partials: [Partials.Channel, Partials.Message],
		allowedMentions: { parse: [] },
		rest: { api: server.apiUrl, cdn: server.cdnUrl, version: "10", retries: 0 },
	});
	return { simulator, server, client, general: simulator.channel("general"), anna: simulator.member("Anna") };
}

function handled(client: Client, handle: (interaction: Interaction) => Promise<unknown>): Promise<unknown> {
	const { promise, resolve } = Promise.withResolvers<unknown>();
	client.once(Events.InteractionCreate, (interaction) => resolve(handle(interaction)));
	return promise;
}

test("the real client connects, receives, posts, answers forms, and resumes", async () => {
	const { simulator, server, client, general, anna } = await realClient();
	const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
	await client.login(simulator.token);
	await ready;
	expect(client.guilds.cache.map(({ name }) => name)).toEqual(["Home"]);
	const received = new Promise<string>((resolve) => {
		client.once(Events.MessageCreate, ({ content }) => resolve(content));
	});
	anna.says("Hello", { in: general });
	expect(await received).toBe("Hello");

	const channel = await client.channels.fetch(general.id);
	if (!channel?.isSendable()) throw new Error("the channel takes no posts");
	const files = [{ attachment: Buffer.from("abc"), name: "a.txt" }];
	const sent = await channel.send({ content: "Sure?", components: buttons("Yes"), files });
	await sent.edit({ content: "Really?", attachments: sent.attachments.map(({ id }) => ({ id })) });
	expect(general.last()).toMatchObject({
		text: "Really?",
		attachments: ["a.txt"],
		buttons: ["Yes"],
		edited: true,
	});

	const input = new TextInputBuilder().setCustomId("reason").setStyle(TextInputStyle.Short);
	const label = new LabelBuilder().setLabel("Why").setTextInputComponent(input);
	const why = new ModalBuilder().setTitle("Why?").setCustomId("why").addLabelComponents(label);
	const opened = handled(client, async (interaction) => {
		if (interaction.isButton()) await interaction.showModal(why);
	});
	const interaction = anna.clicks("Yes");
	await opened;
	const answered = handled(client, async (interaction) => {
		if (!interaction.isModalSubmit()) return;
		await interaction.deferReply({ flags: MessageFlags.Ephemeral });
		await interaction.editReply(`because ${interaction.fields.getTextInputValue("reason")}`);
		await interaction.followUp({ content: "noted", flags: MessageFlags.Ephemeral });
	});
	const form = anna.submits(interaction, { Why: "so" });
	await answered;
	expect(form.answers().map(({ text }) => text)).toEqual(["because so", "noted"]);

	const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
	const missed = new Promise<string>((resolve) => {
		client.once(Events.MessageCreate, ({ content }) => resolve(content));
	});
	simulator.gateway.drop();
	anna.says("While you were away", { in: general });
	expect(await missed).toBe("While you were away");
	await resumed;
	await client.destroy();
	await server.close();
});

test("the real client reports a missing intent", async () => {
	const { simulator, server, client } = await realClient();
	simulator.state.app.privileged = 0;
	await expect(client.login(simulator.token)).rejects.toThrow("Used disallowed intents");
	await client.destroy();
	await server.close();
});
