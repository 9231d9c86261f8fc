import { createServer, type IncomingMessage } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { answerParent } from "../measure/answer-parent.ts";

/**
 * The minimal part of Slack for a bot that answers messages. With the argument `direct`, the messages are in direct
 * messages; with `channels`, in channels. By default, half are in each. Each channel and each direct message has one
 * thread. The server handles the same orders as `discord-platform.ts`.
 */
const kinds: Readonly<Record<string, string>> = { direct: "D", channels: "C" };
const kind = kinds[process.argv[2] ?? ""];
const isDirect = (channel: string): boolean => channel.startsWith("D");
const maximum = 32;
const person = "U300";
const self = "U100";
let counter = 0;
const stamp = (): string => {
	counter += 1;
	return `${Math.floor(Date.now() / 1000)}.${String(counter).padStart(6, "0")}`;
};
const placeOf = (index: number): string => `${kind ?? "CD".charAt(index % 2)}${1_000 + index}`;
const roots = new Map(Array.from({ length: maximum }, (_, index) => [placeOf(index), stamp()]));

let sockets: WebSocket[] = [];
let remaining = 0;
let open = 0;
let edits = 0;
let delays: number[] = [];

const rest = createServer(async (request, response) => {
	const method = (request.url ?? "").replace(/^\/api\/|\?.*$/g, "");
	const body = await read(request);
	response.writeHead(200, { "content-type": "application/json" });
	response.end(JSON.stringify({ ok: true, ...answerOf(method, body) }));
	if (/^chat\.(?:update|appendStream|stopStream)$/.test(method)) edits += 1;
	const isFirst = method === "chat.postMessage" || method === "chat.startStream";
	const words = `${body["text"] ?? ""}${body["blocks"] ?? ""}${body["chunks"] ?? ""}`;
	const began = isFirst && /at:(\d+)/.exec(words)?.[1];
	if (began) delays.push(Date.now() - Number(began));
	if (/"Again"/.test(words)) answered(body["channel"] ?? "");
});

async function read(request: IncomingMessage): Promise<Record<string, string>> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk);
	return Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
}

function answerOf(method: string, body: Record<string, string>): object {
	const channel = body["channel"] ?? "";
	switch (method) {
		case "auth.test":
			return {
				team_id: "T1",
				user_id: self,
				bot_id: "B100",
				user: "parley",
				url: "https://bench.slack.com/",
			};
		case "apps.connections.open":
			return { url: `ws://127.0.0.1:${port()}` };
		case "users.info":
			return { user: { id: body["user"], team_id: "T1", name: "anna", profile: { display_name: "Anna" } } };
		case "conversations.info":
			return {
				channel: {
					id: channel,
					name: channel.toLowerCase(),
					is_im: isDirect(channel),
					is_channel: !isDirect(channel),
				},
			};
		case "conversations.history":
		case "conversations.replies":
			return { messages: [], has_more: false };
		case "users.conversations":
			return { channels: [] };
		case "chat.update":
		case "chat.appendStream":
		case "chat.stopStream":
			return { channel, ts: body["ts"] };
		default:
			return { channel, ts: stamp() };
	}
}

const server = new WebSocketServer({ server: rest });
server.on("connection", (client) => {
	sockets.push(client);
	client.on("close", () => {
		sockets = sockets.filter((one) => one !== client);
	});
	client.send(
		JSON.stringify({ type: "hello", num_connections: sockets.length, connection_info: { app_id: "A1" } }),
	);
});

function postMessage(channel: string): void {
	const ts = stamp();
	const text = isDirect(channel) ? "go on" : `<@${self}> go on`;
	const common = { channel, user: person, text, ts, thread_ts: roots.get(channel), team: "T1", event_ts: ts };
	const type = isDirect(channel) ? "im" : "channel";
	send({ ...common, type: "message", channel_type: type, client_msg_id: ts });
	if (!isDirect(channel)) send({ ...common, type: "app_mention" });
}

function send(event: object): void {
	const authorization = { enterprise_id: null, team_id: "T1", user_id: self, is_bot: true };
	const payload = {
		...{ token: "bench", team_id: "T1", api_app_id: "A1", event, type: "event_callback" },
		...{ event_id: `Ev${stamp()}`, event_time: Math.floor(Date.now() / 1000) },
		authorizations: [{ ...authorization, is_enterprise_install: false }],
	};
	const envelope = { envelope_id: stamp(), type: "events_api", payload, accepts_response_payload: false };
	sockets[0]?.send(JSON.stringify({ ...envelope, retry_attempt: 0, retry_reason: "" }));
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
	for (let index = 0; index < maximum; index++) postMessage(placeOf(index));
});

function port(): number {
	const address = rest.address();
	if (typeof address !== "object" || address === null) throw new Error("no port");
	return address.port;
}

rest.listen(0, "127.0.0.1", () => {
	answerParent(port(), async () => {
		for (const socket of sockets) socket.terminate();
		rest.closeAllConnections();
		rest.close();
	});
});
