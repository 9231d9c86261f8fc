import { createServer, type IncomingMessage } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { answerParent } from "../measure/answer-parent.ts";

/**
 * The minimal part of Discord for a bot that answers messages. The order `{messages: N}` sends N messages, each in a
 * channel without an open answer. The order ends when every message has an answer with three buttons. The order
 * `{first}` returns the median milliseconds from sending the first word of a reply to the reply's post. The first
 * word contains the time at which it was sent. The order `{edits}` returns the number of edits since the previous
 * `{edits}` order.
 */
const epoch = 1_420_070_400_000n;
let counter = 0n;
const snowflake = (): string => String(((BigInt(Date.now()) - epoch) << 22n) | (counter++ & 0x3fffffn));

const me = {
	id: "100",
	username: "parley",
	discriminator: "0000",
	avatar: null,
	bot: true,
	global_name: null,
};
const guild = "200";
const channelOf = (index: number): string => String(1_000 + index);
const maximum = 32;

let socket: WebSocket | undefined;
let seq = 0;
let remaining = 0;
let open = 0;
let edits = 0;
let delays: number[] = [];

const rest = createServer(async (request, response) => {
	const path = (request.url ?? "").replace(/^\/api\/v10|\?.*$/g, "");
	const body = await read(request);
	const [, channel, id] = /^\/channels\/(\d+)\/messages(?:\/(\d+))?$/.exec(path) ?? [];
	const answer = channel === undefined ? simple[path] : message(channel, me, { ...body, ...(id && { id }) });
	response.writeHead(answer === undefined ? 204 : 200, { "content-type": "application/json" });
	response.end(answer === undefined ? undefined : JSON.stringify(answer));
	if (channel === undefined) return;
	edits += id === undefined ? 0 : 1;
	const began = id === undefined && /at:(\d+)/.exec(body.content ?? "")?.[1];
	if (began) delays.push(Date.now() - Number(began));
	if (body.components?.[0]?.components?.length === 3) answered(channel);
});

interface Body {
	readonly content?: string;
	readonly nonce?: string;
	readonly components?: readonly { readonly components?: readonly unknown[] }[];
}

async function read(request: IncomingMessage): Promise<Body> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk);
	const text = Buffer.concat(chunks).toString();
	return text.startsWith("{") ? JSON.parse(text) : {};
}

const simple: Record<string, unknown> = {
	"/users/@me": me,
	"/oauth2/applications/@me": { id: "100", name: "parley", flags: 0 },
	"/applications/@me": { id: "100", name: "parley", flags: 0 },
	"/applications/100/commands": [],
};

const sockets = new WebSocketServer({ server: rest });
sockets.on("connection", (client) => {
	socket = client;
	client.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 41_250 }, s: null, t: null }));
	client.on("message", (data) => {
		const { op } = JSON.parse(String(data));
		if (op === 1) client.send(JSON.stringify({ op: 11, d: null, s: null, t: null }));
		if (op === 2) greet();
	});
});

function dispatch(t: string, d: unknown): void {
	seq += 1;
	socket?.send(JSON.stringify({ op: 0, t, s: seq, d }));
}

function greet(): void {
	const resume = `ws://127.0.0.1:${port()}`;
	const application = { id: "100", flags: 0 };
	const guilds = [{ id: guild, unavailable: true }];
	dispatch("READY", { v: 10, user: me, guilds, session_id: "s", resume_gateway_url: resume, application });
	const channels = Array.from({ length: maximum }, (_, index) => ({
		...{ id: channelOf(index), type: 0, name: `room-${index}`, position: index, permission_overwrites: [] },
		guild_id: guild,
		parent_id: null,
		nsfw: false,
		topic: null,
	}));
	const everyone = {
		id: guild,
		name: "@everyone",
		permissions: String(2n ** 46n - 1n),
		position: 0,
		color: 0,
	};
	dispatch("GUILD_CREATE", {
		id: guild,
		name: "bench",
		owner_id: "300",
		roles: [{ ...everyone, hoist: false, managed: false }],
		channels,
		threads: [],
		members: [],
		member_count: 2,
		emojis: [],
		stickers: [],
		features: [],
		presences: [],
		voice_states: [],
		stage_instances: [],
		guild_scheduled_events: [],
		unavailable: false,
	});
}

const anna = { id: "300", username: "anna", discriminator: "0000", avatar: null, global_name: "Anna" };

function message(
	channel: string,
	author: object,
	{ content = "", nonce, id = snowflake() }: { content?: string; nonce?: string; id?: string },
) {
	return {
		id,
		channel_id: channel,
		author,
		content,
		timestamp: new Date().toISOString(),
		edited_timestamp: null,
		tts: false,
		mention_everyone: false,
		mentions: [],
		mention_roles: [],
		attachments: [],
		embeds: [],
		pinned: false,
		type: 0,
		components: [],
		flags: 0,
		nonce,
	};
}

function postMessage(channel: string): void {
	const sentMessage = message(channel, anna, { content: "<@100> go on" });
	const member = { roles: [], joined_at: sentMessage.timestamp, deaf: false, mute: false, flags: 0 };
	dispatch("MESSAGE_CREATE", { ...sentMessage, guild_id: guild, member, mentions: [{ ...me, member }] });
}

function answered(channel: string): void {
	open -= 1;
	if (remaining > 0) {
		remaining -= 1;
		open += 1;
		postMessage(channel);
	} else if (open === 0) process.send?.(0);
}

process.on("message", (order) => {
	if (typeof order !== "object" || order === null) return;
	if ("first" in order) {
		process.send?.(delays.sort((one, other) => one - other)[Math.floor(delays.length / 2)] ?? 0);
		delays = [];
	}
	if ("edits" in order) {
		process.send?.(edits);
		edits = 0;
	}
	if (!("messages" in order)) return;
	remaining = Number(order.messages) - maximum;
	open = maximum;
	for (let index = 0; index < maximum; index++) postMessage(channelOf(index));
});

function port(): number {
	const address = rest.address();
	if (typeof address !== "object" || address === null) throw new Error("no port");
	return address.port;
}

simple["/gateway/bot"] = {};
rest.listen(0, "127.0.0.1", () => {
	simple["/gateway/bot"] = {
		...{ url: `ws://127.0.0.1:${port()}`, shards: 1 },
		session_start_limit: { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 1 },
	};
	answerParent(port(), async () => {
		socket?.terminate();
		rest.closeAllConnections();
		rest.close();
	});
});
