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
 * reply itself. With a third argument it shows a reply while it grows: the first words after 300 ms, and an edit every
 * 1200 ms, like the connector.
 */
const [, , url = "", gatewayUrl, grows] = process.argv;
const firstMs = 300;
const editMs = 1200;
const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
const client = new Client({
	intents: [Guilds, GuildMessages, MessageContent],
	// Discord's limit of fifty per second would hide the cost of the work.
	rest: { api: `${url}/api`, retries: 0, globalRequestsPerSecond: Number.POSITIVE_INFINITY },
	allowedMentions: { parse: [], repliedUser: false },
});
const mention = /<@!?100>/g;
const text = "It is done. ".repeat(17).trim();

function buttonsOf(run: string): ActionRowBuilder<ButtonBuilder>[] {
	const button = (kind: string, label: string) =>
		new ButtonBuilder().setCustomId(`${kind}:${run}`).setLabel(label).setStyle(ButtonStyle.Secondary);
	const row = new ActionRowBuilder<ButtonBuilder>().addComponents(
		...[button("good", "Good"), button("bad", "Bad"), button("again", "Again")],
	);
	return [row];
}

function reply(message: Message, content: string, run: string): void {
	void message.reply({ content, components: buttonsOf(run), flags: MessageFlags.SuppressEmbeds });
}

class Growing {
	readonly #message: Message;
	readonly #run: string;
	#text = "";
	#post: Promise<Message> | undefined;
	#timer: NodeJS.Timeout | undefined;

	constructor(message: Message, run: string) {
		this.#message = message;
		this.#run = run;
	}

	add(content: string): void {
		this.#text += content;
		this.#timer ??= setTimeout(() => void this.#show(), this.#post ? editMs : firstMs);
	}

	async #show(): Promise<void> {
		const content = this.#text;
		const stop = new ButtonBuilder()
			.setCustomId(`stop:${this.#run}`)
			.setLabel("Stop")
			.setStyle(ButtonStyle.Danger);
		const components = [new ActionRowBuilder<ButtonBuilder>().addComponents(stop)];
		if (this.#post) await (await this.#post).edit({ content, components });
		else {
			this.#post = this.#message.reply({ content, components, flags: MessageFlags.SuppressEmbeds });
			await this.#post;
		}
		this.#timer = undefined;
	}

	async end(content: string): Promise<void> {
		clearTimeout(this.#timer);
		if (this.#post) await (await this.#post).edit({ content, components: buttonsOf(this.#run) });
		else reply(this.#message, content, this.#run);
	}
}

interface Frame {
	readonly event: string;
	readonly session_id: string;
	readonly payload: { readonly run_id: string; readonly correlation_id: string; readonly content: string };
}

class Replies {
	readonly #messages = new Map<string, Message>();
	readonly #runs = new Map<string, Message>();
	/** By session. */
	readonly #growing = new Map<string, Growing>();

	await(message: Message): void {
		this.#messages.set(message.id, message);
	}

	receive({ event, session_id, payload }: Frame): void {
		if (event === "user.message") this.#begin(session_id, payload);
		else if (event === "assistant.message") this.#end(session_id, payload);
		else if (event === "assistant.stream" && payload.content !== "") {
			this.#growing.get(session_id)?.add(payload.content);
		}
	}

	#begin(session: string, { correlation_id: id, run_id: run }: Frame["payload"]): void {
		const message = this.#messages.get(id);
		this.#messages.delete(id);
		if (!message) return;
		this.#runs.set(run, message);
		if (grows) this.#growing.set(session, new Growing(message, run));
	}

	#end(session: string, { run_id: run, content }: Frame["payload"]): void {
		const message = this.#runs.get(run);
		this.#runs.delete(run);
		const grown = this.#growing.get(session);
		if (grown) void grown.end(content);
		else if (message) reply(message, content, run);
	}
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
	const pending = new Map<string, (payload: { session_id: string }) => void>();
	const sessions = new Map<string, Promise<string>>();
	const replies = new Replies();
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
			pending.get(frame.id)?.(frame.payload);
			pending.delete(frame.id);
		} else replies.receive(frame);
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
				pending.set(id, ({ session_id }) => resolve(session_id));
			});
		sessions.set(channelId, session);
		replies.await(message);
		const content = message.content.replace(mention, "").trim();
		const sendParams = { content, correlation_id: message.id, key: message.id, ...behalf };
		void session.then((id) => request("send_message", sendParams, id));
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
