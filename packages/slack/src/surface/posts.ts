import { defined, definedItems, type Logger } from "@parley/base";
import {
	DeliveryError,
	fileTooLarge,
	fileUnread,
	type OutboxRow,
	type Posting,
	type Receipt,
} from "@parley/connector";
import { LRUCache } from "lru-cache";
import * as z from "zod";
import type { OutgoingMessage } from "../blocks/check-message.ts";
import { slackDialect } from "../blocks/dialect.ts";
import { deliveryTexts } from "../texts/delivery.ts";
import { postTexts } from "../texts/post.ts";
import { limits } from "../vocabulary/limits.ts";
import { messageId, messageTime, readMessageId } from "../vocabulary/message-id.ts";
import type { ApiResponse, Caller } from "./caller.ts";
import { type Drafted, draftOf, plainDrafts, type Showing, smallLine } from "./drafts.ts";
import { type History, skewMs } from "./history.ts";
import type { PostTarget, PostTargets } from "./post-targets.ts";
import { fileRefusal, isTooLargeRefusal, Refused } from "./refused.ts";
import type { SharedFile, SharedFiles } from "./shared-files.ts";
import { isStillStreaming, type StreamedMessage, type Streams, streamBlockId } from "./streams.ts";

export type Post = Extract<Posting, { type: "post" }>;

/** Arguments that stop Slack from converting names and URLs in the text to mentions and links. */
export const quiet = { parse: "none", link_names: false } as const;
const noPreviews = { unfurl_links: false, unfurl_media: false } as const;
/** Type of the metadata of posts. A post is found by this type and the row's nonce. */
const eventType = "parley_post";
/** Milliseconds to wait before the next attempt to upload a file. */
const retryMs = 10_000;
const maxHalves = 500;

const Posted = z.object({ channel: z.string(), ts: z.string() });

export interface PostsParts {
	readonly caller: Caller;
	readonly places: PostTargets;
	readonly history: History;
	readonly files: SharedFiles;
	readonly streams: Streams;
	/** Returns the content of a file from Parley's gateway, or undefined if the gateway refuses the file. */
	readonly read: (upload: NonNullable<Post["upload"]>) => Promise<Uint8Array | undefined>;
	readonly log: Logger;
}

interface Prepared extends Drafted {
	readonly files: readonly SharedFile[];
	readonly ids: readonly string[];
	readonly showing: Showing;
}

export class Posts {
	readonly #parts: PostsParts;
	/**
	 * Posts with missing files, by row id. They must not be created again. The connector searches again for an
	 * evicted post.
	 */
	readonly #halves = new LRUCache<string, string>({ max: maxHalves });

	constructor(parts: PostsParts) {
		this.#parts = parts;
	}

	async create(row: OutboxRow, post: Post): Promise<Receipt> {
		const postTarget = await this.#parts.places.targetOf(row, post.thread);
		const half = await this.#halfOf(row, post, postTarget);
		if (half !== undefined) return this.#complete(row, post, { ...postTarget, ts: half });
		const stream = await this.#parts.streams.start(row, post, postTarget);
		if (stream !== undefined) {
			const { channel, ts } = postedOf(stream.body);
			return { remote: messageId(channel, ts), limits: stream.limits };
		}
		const prepared = await this.#prepare(row, post);
		const at = defined({ channel: postTarget.channel, thread_ts: postTarget.thread });
		const metadata = metadataOf(row);
		const { body, limits: empty } = await this.#sendSimplifying(prepared, (message, mustFollow) =>
			this.#parts.caller.ask(
				{ method: "chat.postMessage", channel: postTarget.channel, lane: row.lane, mustFollow },
				{ ...at, ...message, ...quiet, ...noPreviews, metadata },
			),
		);
		const { channel, ts } = postedOf(body);
		await this.#share(prepared, { ...postTarget, channel, ts });
		return { remote: messageId(channel, ts), limits: empty };
	}

	async edit(row: OutboxRow, post: Post, target: string): Promise<Receipt> {
		const message = readMessageId(target);
		if (message === undefined)
			throw new DeliveryError(deliveryTexts.notAMessage({ id: target }), { kind: "rejected" });
		const grown = await this.#parts.streams.grow(row, post, message);
		if (grown !== undefined) return { remote: target, limits: grown.limits };
		const postTarget = { ...(await this.#parts.places.targetOf(row, post.thread)), ...message };
		// An edit may be repeated, and must not share its files twice.
		const drafted = draftOf(showingOf(post));
		const missing = await this.#missing(row, filesOf(post, drafted), postTarget);
		const prepared = await this.#prepare(row, post, drafted, missing);
		// A post with a key may have been a stream, which has no metadata.
		const identity = post.key === undefined ? {} : { metadata: metadataOf(row) };
		const change = () => this.#update(prepared, postTarget, row.lane, identity);
		const { limits: empty } = await this.#unstreamed(row, message, change);
		await this.#share(prepared, postTarget);
		return { remote: target, limits: empty };
	}

	/** Deletes a post: https://docs.slack.dev/reference/methods/chat.delete */
	async remove(row: OutboxRow, target: string): Promise<Receipt> {
		const message = readMessageId(target);
		if (message === undefined)
			throw new DeliveryError(deliveryTexts.notAMessage({ id: target }), { kind: "rejected" });
		const { channel, ts } = message;
		const remove = () =>
			this.#parts.caller.ask({ method: "chat.delete", channel, lane: row.lane }, { channel, ts });
		try {
			const { limits: empty } = await this.#unstreamed(row, message, remove);
			return { remote: target, limits: empty };
		} catch (error) {
			if (DeliveryError.from(error).kind !== "gone") throw error;
			return { remote: target };
		}
	}

	/** Performs `change`. If a stream of a previous process is still open, stops this stream and repeats `change`. */
	async #unstreamed(
		row: OutboxRow,
		message: StreamedMessage,
		change: () => Promise<ApiResponse>,
	): Promise<ApiResponse> {
		try {
			return await change();
		} catch (error) {
			if (!isStillStreaming(error)) throw error;
			await this.#parts.streams.stop(row, message);
			return change();
		}
	}

	/** Returns the receipt for the post of a row, or undefined if the post or one of its files is missing. */
	async find(row: OutboxRow, post: Post): Promise<Receipt | undefined> {
		const postTarget = await this.#parts.places.targetOf(row, post.thread);
		const ts = await this.#postOf(row, post, postTarget);
		if (ts === undefined) return undefined;
		const missing = await this.#missing(row, filesOf(post, draftOf(showingOf(post))), { ...postTarget, ts });
		if (missing.length === 0) return { remote: messageId(postTarget.channel, ts) };
		this.#halves.set(row.id, ts);
		return undefined;
	}

	/**
	 * Returns the timestamp of a post from an earlier attempt, or undefined. This post must not be created again,
	 * even if files are missing.
	 */
	async #halfOf(row: OutboxRow, post: Post, postTarget: PostTarget): Promise<string | undefined> {
		const half = this.#halves.get(row.id);
		if (half !== undefined || row.attempt === 1) return half;
		const hasFiles = filesOf(post, draftOf(showingOf(post))).length > 0;
		return hasFiles ? this.#postOf(row, post, postTarget) : undefined;
	}

	async #postOf(
		{ id, nonce, at }: OutboxRow,
		{ since = at }: Post,
		postTarget: PostTarget,
	): Promise<string | undefined> {
		const found = await this.#parts.history.find(postTarget, {
			key: id,
			since: since - skewMs,
			fits: ({ metadata, blocks }) =>
				(metadata?.event_type === eventType && metadata.event_payload.nonce === nonce) ||
				blocks.some(({ block_id: id }) => id === streamBlockId(nonce)),
		});
		return found?.ts;
	}

	async #complete(
		row: OutboxRow,
		post: Post,
		postTarget: PostTarget & { readonly ts: string },
	): Promise<Receipt> {
		const drafted = draftOf(showingOf(post));
		const missing = await this.#missing(row, filesOf(post, drafted), postTarget);
		const prepared = await this.#prepare(row, post, drafted, missing);
		await this.#share(prepared, postTarget);
		this.#halves.delete(row.id);
		return { remote: messageId(postTarget.channel, postTarget.ts) };
	}

	async #missing(
		row: OutboxRow,
		files: ReturnType<typeof filesOf>,
		postTarget: PostTarget & { readonly ts: string },
	): Promise<string[]> {
		const when = { key: row.id, after: postTarget.ts, since: messageTime(postTarget.ts) };
		return (await this.#parts.files.missing(files, postTarget, when)).map(({ name }) => name);
	}

	async #prepare(
		row: OutboxRow,
		post: Post,
		drafted = draftOf(showingOf(post)),
		names?: readonly string[],
	): Promise<Prepared> {
		const { file, upload, snippets = [] } = post;
		const texts = file === undefined ? snippets : [...snippets, file];
		const files: SharedFile[] = texts.filter((text) => isIncluded(text, names)).map(textFile);
		let [showing, shown] = [showingOf(post), drafted];
		if (upload && isIncluded(upload, names)) {
			const bytes = isTooLarge(upload) ? undefined : await this.#parts.read(upload);
			if (bytes?.length) files.push({ name: upload.name, bytes, alt: upload.alt ?? upload.name });
			else {
				const body = `${showing.body}${smallLine(whyNot(upload, bytes))}`;
				showing = { ...showing, body };
				shown = draftOf(showing);
			}
		}
		if (shown.omitted.length > 0) {
			this.#parts.log.warn("parts of a post are left out", { id: row.id, omitted: shown.omitted });
		}
		if (shown.file && isIncluded(shown.file, names)) files.push(textFile(shown.file));
		// Files are uploaded before the post is sent, so that the text can list those that failed.
		return this.#uploadFiles({ ...shown, files, ids: [], showing });
	}

	async #uploadFiles(prepared: Prepared): Promise<Prepared> {
		try {
			return { ...prepared, ids: await this.#parts.files.upload(prepared.files) };
		} catch (error) {
			const refusal = DeliveryError.from(error);
			if (refusal.isRefusal) return this.#without(prepared, refusal);
			// The post waits as if it had not been sent, because no part of it is visible yet.
			const { message, limit = { scope: "files", retryAfterMs: retryMs } } = refusal;
			throw new DeliveryError(message, { kind: "rate-limited", limit, cause: error });
		}
	}

	/** Returns the post with an explanation in its text instead of the files. */
	#without({ showing, files }: Prepared, refusal: DeliveryError): Prepared {
		this.#parts.log.warn("a post was sent without its files", { reason: refusal.message });
		const why = isTooLargeRefusal(refusal)
			? files
					.map(({ name, bytes }) => fileTooLarge({ name, size: bytes.length }, postTexts.thisWorkspace))
					.join(" ")
			: postTexts.filesRefused({ count: files.length, reason: fileRefusal(refusal) });
		// The code in the files is appended to the text, because it is part of the answer.
		const code = files.filter(({ snippet }) => snippet !== undefined).map(codeOf);
		const body = [showing.body, ...code].join("\n\n") + smallLine(why);
		return { ...draftOf({ ...showing, body }), files: [], ids: [], showing: { ...showing, body } };
	}

	/** Sends a post, and then simpler versions while Slack refuses the blocks. Throws the last refusal. */
	async #sendSimplifying(
		{ message, showing }: Prepared,
		send: (message: OutgoingMessage, mustFollow: boolean) => Promise<ApiResponse>,
	): Promise<ApiResponse> {
		let refusal: Refused;
		try {
			return await send(message, false);
		} catch (error) {
			refusal = blockRefusal(error);
		}
		for (const plainer of plainDrafts(showing)) {
			this.#parts.log.warn("Slack refused a post, so it is sent with simpler blocks", { error: refusal });
			try {
				// Simpler versions do not wait for rate limits, because the next attempt would start with the refused
				// version again.
				return await send(plainer, true);
			} catch (error) {
				refusal = blockRefusal(error);
			}
		}
		throw refusal;
	}

	#update(
		prepared: Prepared,
		{ channel, ts }: { channel: string; ts: string },
		lane: OutboxRow["lane"],
		identity: { readonly metadata?: ReturnType<typeof metadataOf> } = {},
	) {
		return this.#sendSimplifying(prepared, (message, mustFollow) =>
			this.#parts.caller.ask(
				{ method: "chat.update", lane, mustFollow },
				{ channel, ts, ...message, ...quiet, ...identity },
			),
		);
	}

	/**
	 * Shares the uploaded files with a post. If Slack refuses them, adds an explanation to the text. Throws after any
	 * other failure, because it is unknown which files are shared.
	 */
	async #share(prepared: Prepared, postTarget: PostTarget & { readonly ts: string }): Promise<void> {
		const { ids, files } = prepared;
		try {
			await this.#parts.files.share(ids, files, postTarget);
		} catch (error) {
			const refusal = DeliveryError.from(error);
			if (refusal.kind === "rejected" || refusal.kind === "gone") {
				await this.#update(this.#without(prepared, refusal), postTarget, "final");
				return;
			}
			const why = deliveryTexts.filesUncertain({ reason: refusal.message });
			throw new DeliveryError(why, { kind: "unknown", cause: error });
		}
	}
}

function blockRefusal(error: unknown): Refused {
	if (error instanceof Refused && error.isAboutBlocks) return error;
	throw error;
}

function metadataOf({ nonce }: OutboxRow) {
	return { event_type: eventType, event_payload: { nonce } };
}

function postedOf(body: ApiResponse["body"]): z.output<typeof Posted> {
	const posted = Posted.safeParse(body);
	if (posted.success) return posted.data;
	throw new DeliveryError(deliveryTexts.noMessageId, { kind: "unknown" });
}

function showingOf({ body, plain, list, file, upload, mentions, controls = [] }: Post): Showing {
	const instead = upload?.name ?? file?.name;
	return defined({ body, controls, list, plain, instead, mentions });
}

function codeOf({ bytes }: SharedFile): string {
	return slackDialect.write([{ type: "code", lang: undefined, value: new TextDecoder().decode(bytes) }]);
}

type Upload = NonNullable<Post["upload"]>;

function isTooLarge({ size }: Upload): boolean {
	return size > limits.fileBytes;
}

function whyNot(upload: Upload, bytes: Uint8Array | undefined): string {
	if (isTooLarge(upload)) return fileTooLarge(upload, "Slack", limits.fileBytes);
	return bytes ? postTexts.fileEmpty(upload) : fileUnread(upload);
}

function filesOf(
	{ file, upload, snippets = [] }: Post,
	{ file: rest }: Drafted,
): { readonly name: string; readonly size: number }[] {
	const texts = [...snippets, file, rest].flatMap((text) => (text ? [textFile(text)] : []));
	return definedItems([
		...texts.map(({ name, bytes }) => ({ name, size: bytes.length })),
		upload && upload.size > 0 && !isTooLarge(upload) ? { name: upload.name, size: upload.size } : undefined,
	]);
}

function isIncluded({ name }: { readonly name: string }, names: readonly string[] | undefined): boolean {
	return names === undefined || names.includes(name);
}

interface TextFile {
	readonly name: string;
	readonly content: string;
	readonly language?: string;
}

export function textFile({ name, content, language: snippet }: TextFile): SharedFile {
	return { name, bytes: new TextEncoder().encode(content), ...defined({ snippet }) };
}
