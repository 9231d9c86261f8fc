import { WebClient } from "@slack/web-api";
import { WebSocket } from "ws";
import { answerParent } from "../measure/answer-parent.ts";
import { plainGateway, type ReplyWriter } from "../measure/plain-gateway.ts";

/**
 * The floor: a bot with Slack's web client that passes messages to a gateway and reads every frame of the session.
 * Replies like the connector, in the thread with three buttons, and stores nothing. With the third argument
 * `grows`, shows the growing reply at the same intervals as the connector: by edits in channels, and by native
 * streams in direct messages.
 */
const [, , url = "", gatewayUrl = "", grows] = process.argv;
const mention = /<@U100>/g;
const client = new WebClient("xoxb-bench", { slackApiUrl: `${url}/api/`, retryConfig: { retries: 0 } });

const button = (kind: string, text: string, run: string) =>
	({ type: "button", action_id: `${kind}:${run}`, text: { type: "plain_text", text } }) as const;
const answerButtons = (run: string) =>
	({
		type: "actions",
		elements: [button("good", "Good", run), button("bad", "Bad", run), button("again", "Again", run)],
	}) as const;
const stopButton = (run: string) => ({ type: "actions", elements: [button("stop", "Stop", run)] }) as const;
const markdown = (text: string) => ({ type: "markdown", text }) as const;

interface Place {
	readonly channel: string;
	readonly thread_ts: string;
	readonly user: string;
}

function editing({ channel, thread_ts }: Place, run: string): ReplyWriter {
	let ts: string | undefined;
	const changed = (text: string, buttons: ReturnType<typeof stopButton | typeof answerButtons>) => ({
		...{ channel, text, blocks: [markdown(text), buttons] },
	});
	return {
		async start(text) {
			({ ts } = await client.chat.postMessage({ ...changed(text, stopButton(run)), thread_ts }));
		},
		async grow(text) {
			if (ts) await client.chat.update({ ...changed(text, stopButton(run)), ts });
		},
		async end(text) {
			const last = changed(text, answerButtons(run));
			if (ts) await client.chat.update({ ...last, ts });
			else await client.chat.postMessage({ ...last, thread_ts });
		},
	};
}

function streaming(place: Place, run: string): ReplyWriter {
	const { channel, thread_ts, user } = place;
	let ts: string | undefined;
	let sent = 0;
	const added = (text: string) => {
		const chunks = [{ type: "markdown_text" as const, text: text.slice(sent) }];
		sent = text.length;
		return chunks;
	};
	return {
		async start(text) {
			const recipient = { recipient_user_id: user, recipient_team_id: "T1" };
			const blocks = { type: "blocks" as const, blocks: [stopButton(run)] };
			const chunks = [blocks, ...added(text)];
			({ ts } = await client.chat.startStream({ channel, thread_ts, chunks, ...recipient }));
		},
		async grow(text) {
			if (ts) await client.chat.appendStream({ channel, ts, chunks: added(text) });
		},
		async end(text) {
			if (!ts) return editing(place, run).end(text);
			await client.chat.stopStream({ channel, ts });
			// Only an edit can replace the buttons of the running answer.
			await client.chat.update({ channel, ts, text, blocks: [markdown(text), answerButtons(run)] });
		},
	};
}

const pass = await plainGateway("slack", { url: gatewayUrl, grows: grows !== undefined });

interface Event {
	readonly type: string;
	readonly channel: string;
	readonly user: string;
	readonly text: string;
	readonly ts: string;
	readonly thread_ts: string;
	readonly channel_type?: string;
}

function answer({ type, channel, user, text, ts, thread_ts, channel_type }: Event): void {
	const isDirect = channel_type === "im";
	if (type !== (isDirect ? "message" : "app_mention")) return;
	const place = { channel, thread_ts, user };
	pass({
		id: `${channel}-${ts}`,
		text: text.replace(mention, "").trim(),
		session: `slack:T1:${channel}:${thread_ts}`,
		actor: { id: user, name: "Anna" },
		place: { tenant: "T1", channel, thread: thread_ts },
		writer: (run) => (isDirect ? streaming(place, run) : editing(place, run)),
	});
}

const opened = await new WebClient("xapp-bench", { slackApiUrl: `${url}/api/` }).apps.connections.open();
const socket = new WebSocket(String(opened.url));
await new Promise((resolve, reject) => {
	socket.once("error", reject);
	socket.on("message", (data) => {
		const { type, envelope_id, payload } = JSON.parse(String(data));
		if (type === "hello") resolve(undefined);
		if (type !== "events_api") return;
		socket.send(JSON.stringify({ envelope_id }));
		answer(payload.event);
	});
});
answerParent(0, async () => {
	socket.terminate();
	process.exit();
});
