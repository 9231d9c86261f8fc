import {
	type Cache,
	type Clock,
	createCache,
	defined,
	type Logger,
	ParleyError,
	type Store,
} from "@parley/base";
import { type MethodInput, maxRequestBytes } from "@parley/protocol";
import { isAnswerCard } from "../platform/answer-card.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Attachment, Person, ReadMessage, Room } from "../platform/inbound-event.ts";
import type { ContextQuery, ReadContext } from "../platform/read-context.ts";
import { eventCursor } from "../store/retention.ts";
import type { ConnectorTables } from "../store/tables.ts";
import type { OutgoingMessage } from "./handler-context.ts";
import type { Effect } from "./message-records.ts";
import type { Rooms } from "./rooms.ts";

/** Maximum wait for earlier messages, in milliseconds. */
const patienceMs = 3000;
const maxInThread = 50;
const usualInChannel = 20;
/** Maximum length of one message's text, in UTF-16 code units. */
const maxText = 20_000;
/**
 * Maximum size in bytes of all messages in a request. The gateway selects at most 80,000 bytes of these messages.
 */
const maxBytes = 300_000;
/** Bytes reserved for the parts of a request other than its text and its messages. */
const aroundBytes = 16_384;
/** Maximum number of files in a request from a thread's earlier messages. */
const maxFiles = 5;
/** Maximum size in bytes of each file from a thread's earlier messages. */
const maxFileBytes = 4 * 1024 * 1024;
/**
 * Maximum number of remembered files, for all sessions together. After an eviction or a restart, a session may get
 * a file again.
 */
const maxKnownFiles = 10_000;

type Context = NonNullable<MethodInput<"send_message">["context"]>;
type ContextMessage = Context["messages"][number];

export interface RequestContextParts {
	readonly store: Store<ConnectorTables>;
	readonly rooms: Rooms;
	readonly platform: ChatPlatform;
	readonly clock: Clock;
	readonly log: Logger;
	/** Signal that aborts when the connector stops. */
	readonly signal: AbortSignal;
}

/** Messages that belong to a request, and files of these messages. The agent gets both with the request. */
export interface RequestContext {
	/** Context of the request; undefined if it has no messages and no problem. */
	readonly context: Context | undefined;
	readonly files: readonly Attachment[];
}

/** Reads the messages that belong to a request. */
export class RequestContexts {
	readonly #parts: RequestContextParts;
	/** Files that a session already has, by session and file id. */
	readonly #files: Cache<string, true>;

	constructor(parts: RequestContextParts) {
		this.#parts = parts;
		this.#files = createCache({ max: maxKnownFiles, clock: parts.clock });
	}

	/**
	 * Reads the earlier messages of the room and the referenced messages. Does not reject if the platform fails: if
	 * earlier messages were requested, the context then has a `problem`.
	 */
	async read(
		person: Person,
		room: Room,
		{ session, words }: { readonly session: string; readonly words: OutgoingMessage },
	): Promise<RequestContext> {
		const { referenced = [], continues, messages: included = [] } = words;
		const limits = await this.#limits(person, room);
		const read = await this.#ask(person, room, { words, limits });
		const own = await this.#ownPosts(read.messages, session);
		const commands = await this.#commandsOf(read.messages);
		const notIncluded = read.messages.filter(({ id }) => !included.includes(id));
		const earlier = notIncluded.flatMap((message) => {
			const self = message.ours ? own.get(message.id) : undefined;
			const isLeftOut = message.ours ? self === undefined : commands.has(message.id);
			return isLeftOut ? [] : [{ message, self }];
		});
		const others = referenced.map((message) => ({
			message,
			self: message.ours ? ("here" as const) : undefined,
		}));
		const before = continues ? [{ message: continues, self: "elsewhere" as const }] : [];
		const all = [...earlier, ...before, ...others].map(({ message, self }) => contextMessage(message, self));
		const space = maxRequestBytes - aroundBytes - Buffer.byteLength(JSON.stringify(words.text));
		const messages = newestWithin(all, Math.min(maxBytes, space));
		const hasOlder = read.hasOlder || messages.length < all.length;
		const context: Context = defined({
			messages,
			has_older: hasOlder || undefined,
			problem: read.problem,
		});
		const isEmpty = messages.length === 0 && read.problem === undefined;
		return {
			context: isEmpty ? undefined : context,
			files: this.#filesFor(session, read.messages, referenced),
		};
	}

	async #limits(person: Person, room: Room): Promise<ContextQuery["limits"]> {
		// The session of direct messages already contains all their messages.
		if (room.kind === "direct" || this.#parts.platform.readContext === undefined) return none;
		const { context = usualInChannel } = await this.#parts.rooms.facts(person, room);
		return context === 0 ? none : { thread: maxInThread, channel: context };
	}

	async #ask(
		person: Person,
		room: Room,
		{ words, limits }: { readonly words: OutgoingMessage; readonly limits: ContextQuery["limits"] },
	): Promise<ReadContext & { readonly problem?: "unavailable" | "not_allowed" }> {
		const { platform, clock, log, signal } = this.#parts;
		const { message: before, text, at = clock.now() } = words;
		if (platform.readContext === undefined) return nothing;
		const over = new AbortController();
		const query = { person, room, text, at, limits, ...defined({ before }) };
		const ended = Promise.withResolvers<never>();
		const end = (reason: unknown): void => {
			ended.reject(reason);
			over.abort(reason);
		};
		const stop = (): void => end(signal.reason);
		const timer = clock.after(patienceMs, () => {
			end(
				new ParleyError(`the platform did not return the earlier messages within ${patienceMs} ms`, {
					code: "deadline_exceeded",
				}),
			);
		});
		signal.addEventListener("abort", stop, { once: true });
		try {
			signal.throwIfAborted();
			const read = await Promise.race([platform.readContext(query, over.signal), ended.promise]);
			return read.isRefused ? { ...read, problem: "not_allowed" } : read;
		} catch (reason) {
			// The abort ends requests that are still running.
			over.abort(reason);
			signal.throwIfAborted();
			const error = ParleyError.from(reason);
			log.warn("earlier messages could not be read for a request", { channel: room.channel, error });
			return limits === none ? nothing : { ...nothing, problem: "unavailable" };
		} finally {
			timer.cancel();
			signal.removeEventListener("abort", stop);
		}
	}

	/** Returns the ids of the messages that are commands. Commands do not reach the agent. */
	async #commandsOf(messages: readonly ReadMessage[]): Promise<ReadonlySet<string>> {
		const ids = messages.filter(({ ours }) => !ours).map(({ id }) => id);
		if (ids.length === 0) return new Set();
		const rows = await this.#parts.store.read((db) =>
			db
				.selectFrom("heard")
				.select("message")
				.where("message", "in", ids)
				.where("effect", "=", "command" satisfies Effect)
				.execute(),
		);
		return new Set(rows.map(({ message }) => message));
	}

	/**
	 * Selects the connector's posts that the agent may get: answers of other sessions, and posts without a row. A
	 * post without a row may belong to an earlier session.
	 */
	async #ownPosts(
		messages: readonly ReadMessage[],
		session: string,
	): Promise<ReadonlyMap<string, "here" | "elsewhere">> {
		const ids = messages.filter(({ ours }) => ours).map(({ id }) => id);
		if (ids.length === 0) return new Map();
		const rows = await this.#parts.store.read((db) =>
			db
				.selectFrom("outbox")
				.select(["remote", "session", "card"])
				.where("remote", "in", ids)
				.orderBy("position")
				.execute(),
		);
		const byPost = new Map(rows.map((row) => [row.remote, row]));
		return new Map(
			ids.flatMap((id): (readonly [string, "here" | "elsewhere"])[] => {
				const row = byPost.get(id);
				if (row === undefined) return [[id, "here"]];
				const isAnswer = row.card === null || isAnswerCard(row.card);
				if (!isAnswer || row.session === session || row.session.startsWith(eventCursor)) return [];
				return [[id, "elsewhere"]];
			}),
		);
	}

	/**
	 * Returns the files of referenced messages, and the newest small files of the thread. Files of the thread are
	 * omitted if the session already has them.
	 */
	#filesFor(session: string, read: readonly ReadMessage[], referenced: readonly ReadMessage[]): Attachment[] {
		const pointed = [...referenced, ...read.filter(({ relation }) => !isEarlier(relation))];
		const named = pointed.filter(({ ours }) => !ours).flatMap(({ attachments }) => attachments);
		const inThread = read.filter(({ relation }) => relation === "thread").toReversed();
		const small = inThread
			.flatMap(({ attachments }) => attachments)
			.filter(({ id, size }) => size <= maxFileBytes && this.#files.peek(`${session} ${id}`) === undefined)
			.slice(0, maxFiles);
		for (const { id } of small) this.#files.set(`${session} ${id}`, true);
		return [...new Map([...named, ...small].map((file) => [file.id, file])).values()];
	}
}

function isEarlier(relation: ReadMessage["relation"]): boolean {
	return relation === "thread" || relation === "channel";
}

const none: ContextQuery["limits"] = { thread: 0, channel: 0 };
const nothing: ReadContext = { messages: [], hasOlder: false };

function contextMessage(
	{ id, relation, author, at, editedAt, text, attachments }: ReadMessage,
	self: "here" | "elsewhere" | undefined,
): ContextMessage {
	const { id: user, name, roles, guest, bot } = author;
	return {
		id,
		relation,
		author: {
			id: user,
			name: name.slice(0, 256).toWellFormed(),
			roles: roles.slice(0, 250),
			guest,
			bot,
			...defined({ self }),
		},
		ts: new Date(at).toISOString(),
		text: text.slice(0, maxText).toWellFormed(),
		...defined({
			edited_ts: editedAt === undefined ? undefined : new Date(editedAt).toISOString(),
			files: attachments.length === 0 ? undefined : attachments.slice(0, 20).map(contextFile),
		}),
	};
}

function contextFile({ name, size, type }: Attachment): NonNullable<ContextMessage["files"]>[number] {
	const plain = name.slice(0, 256).toWellFormed();
	return {
		name: plain === "" ? "file" : plain,
		bytes: size,
		...defined({ media_type: type?.slice(0, 200) }),
	};
}

/**
 * Returns the last messages that fit into `maximum` bytes of JSON. Referenced messages are at the end of the list, so
 * they have priority.
 */
function newestWithin(messages: readonly ContextMessage[], maximum: number): ContextMessage[] {
	let left = maximum;
	const start = messages.findLastIndex((message) => {
		left -= Buffer.byteLength(JSON.stringify(message)) + 1;
		return left < 0;
	});
	return messages.slice(start + 1);
}
