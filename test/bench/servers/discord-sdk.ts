import {
	ActionRowBuilder,
	ButtonBuilder,
	ButtonStyle,
	Client,
	Events,
	GatewayIntentBits,
	type Message,
	MessageFlags,
} from "discord.js";
import { answerParent } from "../measure/answer-parent.ts";
import { plainGateway, type ReplyWriter } from "../measure/plain-gateway.ts";

/**
 * The floor: a bot with discord.js that passes messages to a gateway and reads every frame of the session. Replies
 * like the connector, with three buttons, and stores nothing. Without a gateway, sends the reply itself. With a
 * third argument, edits its post while the reply grows, at the same intervals as the connector.
 */
const [, , url = "", gatewayUrl, grows] = process.argv;
const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
const client = new Client({
	intents: [Guilds, GuildMessages, MessageContent],
	// With Discord's limit of fifty requests per second, the bot would be idle most of the time.
	rest: { api: `${url}/api`, retries: 0, globalRequestsPerSecond: Number.POSITIVE_INFINITY },
	allowedMentions: { parse: [], repliedUser: false },
});
const mention = /<@!?100>/g;
const text = "It is done. ".repeat(17).trim();
const flags = MessageFlags.SuppressEmbeds;

function buttonsOf(run: string): ActionRowBuilder<ButtonBuilder>[] {
	const button = (kind: string, label: string) =>
		new ButtonBuilder().setCustomId(`${kind}:${run}`).setLabel(label).setStyle(ButtonStyle.Secondary);
	const row = new ActionRowBuilder<ButtonBuilder>().addComponents(
		...[button("good", "Good"), button("bad", "Bad"), button("again", "Again")],
	);
	return [row];
}

function stopOf(run: string): ActionRowBuilder<ButtonBuilder>[] {
	const stop = new ButtonBuilder().setCustomId(`stop:${run}`).setLabel("Stop").setStyle(ButtonStyle.Danger);
	return [new ActionRowBuilder<ButtonBuilder>().addComponents(stop)];
}

function writerOf(message: Message, run: string): ReplyWriter {
	let post: Message | undefined;
	return {
		async start(content) {
			post = await message.reply({ content, components: stopOf(run), flags });
		},
		async grow(content) {
			await post?.edit({ content, components: stopOf(run) });
		},
		async end(content) {
			const components = buttonsOf(run);
			if (post) await post.edit({ content, components });
			else await message.reply({ content, components, flags });
		},
	};
}

const pass =
	gatewayUrl === undefined
		? undefined
		: await plainGateway("discord", { url: gatewayUrl, grows: grows !== undefined });

function answer(message: Message): void {
	if (!pass) return void writerOf(message, message.id).end(text);
	const { id, author, channelId, guildId } = message;
	pass({
		id,
		text: message.content.replace(mention, "").trim(),
		session: `discord:${guildId}:${channelId}`,
		actor: { id: author.id, name: author.displayName },
		place: { tenant: guildId ?? "@me", channel: channelId },
		writer: (run) => writerOf(message, run),
	});
}

client.on(Events.MessageCreate, (message) => {
	if (!message.author.bot) answer(message);
});
await client.login("bench.token.of-nobody");
if (!client.isReady()) await new Promise((resolve) => client.once(Events.ClientReady, resolve));
answerParent(0, async () => {
	await client.destroy();
	process.exit();
});
