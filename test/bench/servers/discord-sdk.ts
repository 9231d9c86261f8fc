import { createIds, systemClock } from "@parley/base";
import { createClient } from "@parley/protocol";
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
import { WebSocket } from "ws";
import { answerParent } from "../measure/answer-parent.ts";

/**
 * The floor: a simple bot with discord.js and a gateway, which stores nothing. It passes messages on, reads every frame of
 * the session, and replies with the answer and its three buttons, like the connector. Without a gateway it sends the same
 * reply itself.
 */
const [, , url = "", gatewayUrl] = process.argv;
const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
const client = new Client({
	intents: [Guilds, GuildMessages, MessageContent],
	// Discord's limit of fifty per second would hide the cost of the work.
	rest: { api: `${url}/api`, retries: 0, globalRequestsPerSecond: Number.POSITIVE_INFINITY },
	allowedMentions: { parse: [], repliedUser: false },
});
const mention = /<@!?100>/g;
const text = "It is done. ".repeat(17).trim();

function reply(message: Message, content: string, run: string): void {
	const button = (kind: string, label: string) =>
		new ButtonBuilder().setCustomId(`${kind}:${run}`).setLabel(label).setStyle(ButtonStyle.Secondary);
	const row = new ActionRowBuilder<ButtonBuilder>().addComponents(
		...[button("good", "Good"), button("bad", "Bad"), button("again", "Again")],
	);
	void message.reply({ content, components: [row], flags: MessageFlags.SuppressEmbeds });
}

/** Passes messages on to a session of the channel, and posts its answers. */
async function throughGateway(gateway: string): Promise<(message: Message) => void> {
	const operator = createClient({ url: gateway, clock: systemClock, ids: createIds() });
	const { token } = await operator.request("create_token", {
		kind: "connector",
		name: "discord",
		platform: "discord",
	});
	await operator.close();
	const socket = new WebSocket(`${gateway.replace("http", "ws")}/api/ws`, {
		headers: { authorization: `Bearer ${token}` },
	});
	await new Promise((resolve, reject) => {
		socket.once("open", resolve);
		socket.once("error", reject);
	});
	let count = 0;
	const asked = new Map<string, (payload: { session_id: string }) => void>();
	const sessions = new Map<string, Promise<string>>();
	const messages = new Map<string, Message>();
	const runs = new Map<string, Message>();
	const request = (method: string, params: object, session_id?: string): string => {
		count += 1;
		const id = `req-${count}`;
		socket.send(JSON.stringify({ type: "req", id, method, params, session_id }));
		return id;
	};
	socket.on("message", (data) => {
		const frame = JSON.parse(String(data));
		if (frame.type === "res") {
			if (!frame.ok) throw new Error(frame.error);
			asked.get(frame.id)?.(frame.payload);
			asked.delete(frame.id);
		} else if (frame.event === "user.message") {
			const message = messages.get(frame.payload.correlation_id);
			messages.delete(frame.payload.correlation_id);
			if (message) runs.set(frame.payload.run_id, message);
		} else if (frame.event === "assistant.message") {
			const { run_id: run, content } = frame.payload;
			const message = runs.get(run);
			runs.delete(run);
			if (message) reply(message, content, run);
		}
	});
	return (message) => {
		const { author, channelId, guildId } = message;
		const actor = { id: author.id, name: author.displayName, roles: [], guest: false };
		const behalf = { actor, place: { tenant: guildId ?? "@me", channel: channelId, shared: false } };
		const session =
			sessions.get(channelId) ??
			new Promise<string>((resolve) => {
				const external_key = `discord:${guildId}:${channelId}`;
				const id = request("open_session", { external_key, after_seq: 0, join: true, ...behalf });
				asked.set(id, ({ session_id }) => resolve(session_id));
			});
		sessions.set(channelId, session);
		messages.set(message.id, message);
		const content = message.content.replace(mention, "").trim();
		const said = { content, correlation_id: message.id, key: message.id, ...behalf };
		void session.then((id) => request("send_message", said, id));
	};
}

const answer =
	gatewayUrl === undefined
		? (message: Message) => reply(message, text, message.id)
		: await throughGateway(gatewayUrl);
client.on(Events.MessageCreate, (message) => {
	if (!message.author.bot) answer(message);
});
await client.login("bench.token.of-nobody");
if (!client.isReady()) await new Promise((resolve) => client.once(Events.ClientReady, resolve));
answerParent(0, async () => {
	await client.destroy();
	process.exit();
});
