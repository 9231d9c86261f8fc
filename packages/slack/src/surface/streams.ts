import type { Clock, Logger } from "@parley/base";
import { DeliveryError, type GrowingPart, type OutboxRow, type Posting } from "@parley/connector";
import type { AnyChunk } from "@slack/types";
import { LRUCache } from "lru-cache";
import { bodyBlocks } from "../blocks/body-blocks.ts";
import { controlBlocks } from "../blocks/controls.ts";
import type { ApiResponse, Caller } from "./caller.ts";
import type { PostTarget } from "./post-targets.ts";
import { Refused } from "./refused.ts";

type Post = Extract<Posting, { type: "post" }>;

/** Maximum milliseconds of a stream. Slack ends a stream after about five minutes: slackapi/node-slack-sdk #2702 */
const maxStreamMs = 4 * 60_000;
/** Milliseconds without new streams after Slack has refused one. */
const refusedMs = 10 * 60_000;
const maxKnown = 1000;
const notStreaming = "message_not_in_streaming_state";
const stillStreaming = "streaming_state_conflict";

export interface StreamedMessage {
	readonly channel: string;
	readonly ts: string;
}

/** A running stream of this process. */
interface Stream {
	/** Start time on the monotonic clock. */
	readonly startedAt: number;
	readonly sent: readonly GrowingPart[];
	/** Whether the result of the last addition is unknown. */
	readonly isUnclear: boolean;
}

export interface StreamsParts {
	readonly caller: Caller;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Slack's native streams for answers that grow in direct messages:
 * https://docs.slack.dev/messaging/sending-and-scheduling-messages#text-streaming. In a channel, only one recipient would see the
 * text grow. A stream has no metadata, so its block of buttons has an id with the row's nonce.
 */
export class Streams {
	readonly #parts: StreamsParts;
	/** Streams by channel and timestamp. If a stream was evicted, the next edit of its message ends the stream. */
	readonly #running = new LRUCache<string, Stream>({ max: maxKnown });
	#refusedUntil = Number.NEGATIVE_INFINITY;

	constructor(parts: StreamsParts) {
		this.#parts = parts;
	}

	/**
	 * Starts a stream for a post, and returns Slack's response. Resolves with undefined, without a post, if the post
	 * cannot be a stream or if Slack refuses the stream. After a permanent refusal, starts no stream for
	 * `refusedMs`. Rejects with `unknown` if Slack does not respond.
	 */
	async start(row: OutboxRow, post: Post, { channel, thread }: PostTarget): Promise<ApiResponse | undefined> {
		const { caller, clock, log } = this.#parts;
		const { grows, controls = [] } = post;
		if (!post.live || !grows || thread === undefined || !channel.startsWith("D")) return undefined;
		const chunks = additions([], grows.parts);
		if (chunks === undefined || chunks.length === 0 || controls.length === 0) return undefined;
		if (clock.monotonic() < this.#refusedUntil) return undefined;
		const [buttons, ...others] = controlBlocks(controls);
		const blocks = [{ ...buttons, block_id: streamBlockId(row.nonce) }, ...others];
		const args = {
			channel,
			thread_ts: thread,
			chunks: [{ type: "blocks", blocks }, ...chunks],
			...recipientOf(grows.reader),
		};
		try {
			const started = await caller.ask({ method: "chat.startStream", lane: row.lane }, args);
			const { ts } = started.body;
			const stream = { startedAt: clock.monotonic(), sent: grows.parts, isUnclear: false };
			if (typeof ts === "string") this.#running.set(keyOf({ channel, ts }), stream);
			return started;
		} catch (reason) {
			const error = DeliveryError.from(reason);
			if (error.kind === "unknown") throw error;
			if (error.kind === "rejected") this.#refusedUntil = clock.monotonic() + refusedMs;
			log.debug("an answer is posted without a stream", { channel, thread, error });
			return undefined;
		}
	}

	/**
	 * Adds the new parts of a post to its stream, and returns Slack's response. Resolves with undefined if the
	 * message must be edited instead. A known stream of the message has then ended. Rejects with a `DeliveryError`
	 * for any failure except a permanent refusal.
	 */
	async grow(row: OutboxRow, post: Post, message: StreamedMessage): Promise<ApiResponse | undefined> {
		const stream = this.#running.get(keyOf(message));
		if (stream === undefined) return undefined;
		const { caller, clock } = this.#parts;
		const parts = post.live && post.grows?.parts;
		const isLate = clock.monotonic() - stream.startedAt > maxStreamMs;
		const chunks = parts && !isLate && !stream.isUnclear ? additions(stream.sent, parts) : undefined;
		if (!parts || chunks === undefined) return this.#end(row, message);
		if (chunks.length === 0) return { body: {}, limits: [] };
		const { channel, ts } = message;
		try {
			const args = { channel, ts, chunks };
			const added = await caller.ask({ method: "chat.appendStream", lane: row.lane }, args);
			this.#running.set(keyOf(message), { ...stream, sent: parts });
			return added;
		} catch (reason) {
			const error = DeliveryError.from(reason);
			if (error.kind === "rejected") return this.#end(row, message);
			if (error.kind === "unknown") this.#running.set(keyOf(message), { ...stream, isUnclear: true });
			throw error;
		}
	}

	/**
	 * Ends the stream of a message, also a stream of another process. Resolves even if no stream is running, or if
	 * Slack refuses. Rejects for other failures. If Slack refuses to end a running stream, it also refuses edits of the
	 * message until the stream times out.
	 */
	async stop(row: OutboxRow, message: StreamedMessage): Promise<void> {
		const { caller, log } = this.#parts;
		const isLast = row.lane === "final" || row.lane === "error";
		const args = { channel: message.channel, ts: message.ts };
		const status = isLast ? { session_status: "active" } : {};
		const ask = (more: object) =>
			caller.ask({ method: "chat.stopStream", lane: row.lane, mustFollow: true }, { ...args, ...more });
		try {
			await ask(status).catch((reason: unknown) => {
				if (!isLast || !isOtherRefusal(reason)) throw reason;
				return ask({});
			});
		} catch (error) {
			if (DeliveryError.from(error).kind !== "rejected") throw error;
			if (isOtherRefusal(error)) log.warn("Slack refused to end a growing answer", { ...args, error });
		}
		this.#running.delete(keyOf(message));
	}

	async #end(row: OutboxRow, message: StreamedMessage): Promise<undefined> {
		await this.stop(row, message);
		return undefined;
	}
}

/** Returns the id of a stream's first block, by which the message is found. */
export function streamBlockId(nonce: string): string {
	return `parley_post:${nonce}`;
}

/** Whether Slack refused an edit or a deletion because the message is a running stream. */
export function isStillStreaming(error: unknown): boolean {
	return error instanceof Refused && error.slackCode === stillStreaming;
}

function isOtherRefusal(error: unknown): boolean {
	return error instanceof Refused && error.kind === "rejected" && error.slackCode !== notStreaming;
}

/**
 * Returns the recipient of a stream. Slack requires the recipient outside direct messages, and sometimes also in
 * direct messages.
 */
function recipientOf(reader = ""): { recipient_user_id?: string; recipient_team_id?: string } {
	const [platform, team, user] = reader.split(":");
	if (platform !== "slack" || !team || !user) return {};
	return { recipient_user_id: user, recipient_team_id: team };
}

function keyOf({ channel, ts }: StreamedMessage): string {
	return `${channel} ${ts}`;
}

const states = { running: "in_progress", completed: "complete", failed: "error" } as const;

/** Chunks that show a change, or undefined if a stream cannot show it. */
type Change = readonly AnyChunk[] | undefined;

/** Returns the chunks that change `sent` to `next`, or undefined if a stream cannot show the change. */
function additions(
	sent: readonly GrowingPart[],
	next: readonly GrowingPart[],
): readonly AnyChunk[] | undefined {
	if (next.length < sent.length) return undefined;
	const chunks: AnyChunk[] = [];
	for (const [index, part] of next.entries()) {
		const change = part.type === "call" ? callChange(sent[index], part) : textChange(sent[index], part);
		// Added text always appears at the end of the message.
		const isInside = change?.[0]?.type === "markdown_text" && index < sent.length - 1;
		if (change === undefined || isInside) return undefined;
		chunks.push(...change);
	}
	return chunks;
}

function callChange(
	sent: GrowingPart | undefined,
	{ id, title, state }: Extract<GrowingPart, { type: "call" }>,
): Change {
	if (sent !== undefined && (sent.type !== "call" || sent.id !== id)) return undefined;
	if (sent?.title === title && sent.state === state) return [];
	return [{ type: "task_update", id, title, status: states[state] }];
}

function textChange(sent: GrowingPart | undefined, next: GrowingPart): Change {
	const [text, before] = [markdownOf(next), sent === undefined ? "" : markdownOf(sent)];
	if (text === undefined || before === undefined || !text.startsWith(before)) return undefined;
	const added = text.slice(before.length);
	return added === "" ? [] : [{ type: "markdown_text", text: added }];
}

/**
 * Returns the Markdown of a text. Undefined for a call, and for a text that needs other blocks, for example a table.
 */
function markdownOf(part: GrowingPart): string | undefined {
	if (part.type !== "text") return undefined;
	const { blocks } = bodyBlocks(part.body);
	const [block] = blocks;
	return blocks.length === 1 && block?.type === "markdown" ? block.text : undefined;
}
