import { type Clock, defined, type Logger, ParleyError } from "@parley/base";
import { type CardLink, Posting } from "./posting.ts";
import { findNotice, type NoticeRooms, sendNotice } from "./send-notice.ts";
import { DeliveryError, type OutboxRow, type Receipt, type Surface } from "./surface.ts";

type PostingOf<Type extends Posting["type"]> = Extract<Posting, { type: Type }>;

/** Requests to a platform for one type of posting. See `Surface.send` and `Surface.find`. */
export interface PostingRequests<Type extends Posting["type"]> {
	readonly send: (row: OutboxRow, posting: PostingOf<Type>) => Promise<Receipt>;
	readonly find: (row: OutboxRow, posting: PostingOf<Type>) => Promise<Receipt | undefined>;
}

/** Requests to a platform for posts that can be edited. */
export interface PostRequests {
	readonly create: PostingRequests<"post">["send"];
	/** Edits the post. `target` is `Receipt.remote` of the post. */
	readonly edit: (row: OutboxRow, posting: PostingOf<"post">, target: string) => Promise<Receipt>;
	/** Deletes the post. Also resolves if the post no longer exists. */
	readonly remove: (row: OutboxRow, target: string) => Promise<Receipt>;
	readonly find: PostingRequests<"post">["find"];
}

/** Requests to a platform for reactions to messages. */
export interface ReactionRequests {
	/**
	 * Shows, replaces or removes the reaction, or shows the notice in place of the reaction. The `remote` of the
	 * receipt identifies the shown reaction or notice, and later rows have this `remote` as `target`. Never rejects
	 * because of permissions, or because the message no longer exists.
	 */
	readonly send: PostingRequests<"reaction">["send"];
	readonly find: PostingRequests<"reaction">["find"];
}

/** Requests of a surface, which differ by platform. */
export interface SurfaceRequests {
	readonly post: PostRequests;
	readonly notices: NoticeRooms;
	/** Returns the address of a post. Absent if posts have no address. */
	readonly linkTo?: (room: CardLink["room"], post: string) => string;
	readonly thread: PostingRequests<"thread">;
	readonly private: PostingRequests<"private">;
	/** Requests for reactions; absent if the connector does not react to messages. */
	readonly reaction?: ReactionRequests;
	/** Sets a title; absent if the platform shows no titles. */
	readonly title?: (row: OutboxRow, posting: PostingOf<"title">) => Promise<Receipt>;
	/** Publishes a home page; absent if the platform has no home pages. */
	readonly home?: (row: OutboxRow, posting: PostingOf<"home">) => Promise<Receipt>;
	readonly typing: Surface["typing"];
	readonly suspended?: NonNullable<Surface["suspended"]>;
	readonly scopes: Surface["scopes"];
	readonly dedupeWindowMs: Surface["dedupeWindowMs"];
}

/**
 * Reads a file that the gateway stores. Rejects with a `ParleyError`: with `resource_exhausted` if the file has more
 * than `maximum` bytes.
 */
export type UploadReader = (fileId: string, maximum: number, signal: AbortSignal) => Promise<Uint8Array>;

/**
 * Reads the bytes of a file that the gateway stores. Resolves with undefined if the gateway refuses the file.
 * Rejects with `rate-limited` if the read fails temporarily.
 */
export type UploadBytes = (upload: {
	readonly fileId: string;
	readonly name: string;
}) => Promise<Uint8Array | undefined>;

/** Services that the kit provides to the surface of every platform. */
export interface SurfaceParts {
	/** Resolves with the message id of a card, or with undefined, as `Outbox.posted` does. */
	readonly cards: (card: string) => Promise<string | undefined>;
	/** Reads a stored file of the gateway, as `GatewayFiles.download` does. */
	readonly readFile: UploadReader;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Creates the surface of a platform. For each row, the surface reads the posting, and sends the platform's request
 * for this type of posting. If the scope of a rate limit is unknown, the row's conversation becomes the scope.
 * `fileBytes` is the maximum size of a file in bytes.
 */
export function composeSurface(
	{ cards, readFile, clock, log }: SurfaceParts,
	fileBytes: number,
	platform: (kit: { readonly cards: CardMessages; readonly read: UploadBytes }) => SurfaceRequests,
): Surface {
	const messages = new CardMessages(cards, clock);
	const requests = platform({
		cards: messages,
		read: (upload) => readUpload(upload, { readFile, fileBytes, clock, log }),
	});
	const { post, notices, linkTo, thread, private: answer, reaction, title, home } = requests;
	const { typing, suspended, scopes, dedupeWindowMs } = requests;
	return {
		send: (row) => {
			const { target } = row;
			return onPosting(requests, row, {
				post: async (linked) => {
					const posting = await withLink(linked, messages, linkTo);
					if (target !== undefined) return post.edit(row, posting, target);
					const { notifies } = posting;
					if (!notifies) return post.create(row, posting);
					return sendNotice(row, { ...posting, notifies }, { rooms: notices, create: post.create, log });
				},
				thread: (posting) => thread.send(row, posting),
				private: (posting) => answer.send(row, posting),
				reaction: async (posting) => (reaction ?? noReactions(row)).send(row, posting),
				title: async (posting) => (title ?? unsupported(row, "titles"))(row, posting),
				home: async (posting) => (home ?? unsupported(row, "home pages"))(row, posting),
				// Without a target, the connector knows no post to delete.
				delete: async () => (target === undefined ? { remote: "" } : post.remove(row, target)),
			});
		},
		find: (row) =>
			onPosting(requests, row, {
				post: (posting) => {
					const { notifies } = posting;
					if (!notifies) return post.find(row, posting);
					return findNotice(row, { ...posting, notifies }, { rooms: notices, find: post.find });
				},
				thread: (posting) => thread.find(row, posting),
				private: (posting) => answer.find(row, posting),
				reaction: async (posting) => (reaction ?? noReactions(row)).find(row, posting),
				// Titles and home pages need no lookup, because their requests can be repeated.
				title: async () => undefined,
				home: async () => undefined,
				delete: async ({ key: marker, buttons, since }) =>
					marker === undefined || buttons === undefined
						? undefined
						: // The key is not in the text of a post, so the post is found by its buttons or metadata.
							post.find(row, { type: "post", body: "…", marker, buttons, ...defined({ since }) }),
			}),
		typing,
		...defined({ suspended }),
		scopes,
		dedupeWindowMs,
	};
}

/**
 * Replaces the field `opens` with a link in the last row of controls. Omits the link if its card is not posted, or if
 * posts have no addresses.
 */
async function withLink(
	{ opens, ...post }: PostingOf<"post">,
	cards: CardMessages,
	linkTo: SurfaceRequests["linkTo"],
): Promise<PostingOf<"post">> {
	if (opens === undefined || linkTo === undefined) return post;
	const message = await cards.find(opens.card);
	if (message === undefined) return post;
	const link = { type: "link", url: linkTo(opens.room, message), label: opens.label } as const;
	return { ...post, controls: [...(post.controls ?? []), [link]] };
}

function unsupported({ id }: OutboxRow, content: string): never {
	throw new DeliveryError(`cannot post row ${id}: the connector sets no ${content} on this platform`, {
		kind: "rejected",
	});
}

function noReactions({ id }: OutboxRow): never {
	throw new DeliveryError(`cannot post row ${id}: the connector does not add reactions on this platform`, {
		kind: "rejected",
	});
}

async function onPosting<T>(
	surface: SurfaceRequests,
	row: OutboxRow,
	actions: { readonly [Type in Posting["type"]]: (posting: PostingOf<Type>) => Promise<T> },
): Promise<T> {
	const posting = readPosting(row);
	return limitConversation(surface, row, () => {
		switch (posting.type) {
			case "post":
				return actions.post(posting);
			case "thread":
				return actions.thread(posting);
			case "private":
				return actions.private(posting);
			case "home":
				return actions.home(posting);
			case "title":
				return actions.title(posting);
			case "delete":
				return actions.delete(posting);
			case "reaction":
				return actions.reaction(posting);
		}
	});
}

/** Returns the posting of a row. Throws `rejected` if the payload is not a `Posting`. */
function readPosting({ payload, id }: OutboxRow): Posting {
	const read = Posting.safeParse(payload);
	if (read.success) return read.data;
	const [issue] = read.error.issues;
	throw new DeliveryError(
		`cannot post row ${id}: its content is invalid at "${issue?.path.join(".")}": ${issue?.message}`,
		{
			kind: "rejected",
		},
	);
}

/**
 * Runs `action` and resolves with its result. A limit that is not in the known scopes of the row, for example a limit
 * for reading, applies to the conversation of the row.
 */
async function limitConversation<T>(
	{ scopes }: SurfaceRequests,
	{ conversation, lane, target }: OutboxRow,
	action: () => Promise<T>,
): Promise<T> {
	try {
		return await action();
	} catch (error) {
		const limit = error instanceof DeliveryError ? error.limit : undefined;
		const known = scopes({ conversation, lane, edits: target !== undefined });
		if (limit === undefined || known.includes(limit.scope)) throw error;
		const { message, kind } = DeliveryError.from(error);
		throw new DeliveryError(message, { kind, limit: { ...limit, scope: conversation }, cause: error });
	}
}

const uploadPatienceMs = 60_000;
const passing: ReadonlySet<string> = new Set(["unavailable", "deadline_exceeded", "aborted", "cancelled"]);

/**
 * Reads a file of the gateway. Returns undefined if the gateway refuses the file. Rejects with `rate-limited` after a
 * temporary failure: the post waits, because no request was sent yet.
 */
async function readUpload(
	{ fileId, name }: { readonly fileId: string; readonly name: string },
	parts: {
		readonly readFile: UploadReader;
		readonly fileBytes: number;
		readonly clock: Clock;
		readonly log: Logger;
	},
): Promise<Uint8Array | undefined> {
	const { readFile, fileBytes, clock, log } = parts;
	const ending = new AbortController();
	const timer = clock.after(uploadPatienceMs, () => ending.abort());
	try {
		return await readFile(fileId, fileBytes, ending.signal);
	} catch (cause) {
		const error = ParleyError.from(cause);
		if (!passing.has(error.code)) {
			log.error("a file cannot be posted", { fileId, error });
			return undefined;
		}
		const why = `cannot read the file ${name} yet: ${error.message}`;
		throw new DeliveryError(why, { kind: "rate-limited", cause });
	} finally {
		timer.cancel();
	}
}

const cardPatienceMs = 60_000;

/** Finds the messages of cards. The row of a card may be sent after a more urgent row that refers to the card. */
export class CardMessages {
	readonly #posted: (card: string) => Promise<string | undefined>;
	readonly #clock: Clock;

	constructor(posted: (card: string) => Promise<string | undefined>, clock: Clock) {
		this.#posted = posted;
		this.#clock = clock;
	}

	/** Resolves with the platform's message id of a card; undefined if the card is not posted. */
	find(card: string): Promise<string | undefined> {
		return this.#posted(card);
	}

	/**
	 * Resolves as `find` does. If the card is not posted, rejects with `rate-limited` while the row is younger than a
	 * minute, and later with `gone`.
	 */
	async require(row: OutboxRow, card: string): Promise<string> {
		const message = await this.find(card);
		if (message !== undefined) return message;
		this.delayNewPost(row, `the post is waiting for the card ${card}, which is not posted yet`);
		throw new DeliveryError(`cannot find the card ${card}: it was not posted within a minute`, {
			kind: "gone",
		});
	}

	/** Throws `rate-limited` with the message if the row is younger than a minute. */
	delayNewPost({ at }: OutboxRow, message: string): void {
		if (this.#clock.now() - at < cardPatienceMs) throw new DeliveryError(message, { kind: "rate-limited" });
	}
}
