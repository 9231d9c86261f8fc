import { once } from "node:events";
import { definedItems, ParleyError } from "@parley/base";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Attachment, Person, ReadMessage, Room, Ticket } from "../platform/inbound-event.ts";
import type { ContextQuery, ReadContext } from "../platform/read-context.ts";
import { markdownDialect } from "../text/markdown-dialect.ts";
import { ScriptedSurface } from "./scripted-surface.ts";

/** A platform that shows Markdown unchanged, people as `@id`, and times in ISO 8601. */
export class FakePlatform implements ChatPlatform {
	readonly name = "chat";
	readonly dialect = markdownDialect;
	readonly limits = {
		post: 2000,
		postsPerAnswer: 5,
		buttonLabel: 80,
		controlsPerRow: 5,
		controlRows: 5,
		options: 25,
		optionText: 100,
		threadName: 100,
		form: { fields: 5, name: 98, text: 4000 },
	};
	readonly surface = new ScriptedSurface();
	/**
	 * Earlier messages, the same for all rooms, oldest first. `reading` is the result of a query:
	 * - `allowed`: the messages
	 * - `refused`: the person may not read them
	 * - `failing`: an error of the platform
	 * - `silent`: no response
	 */
	readonly earlier: ReadMessage[] = [];
	reading: "allowed" | "refused" | "failing" | "silent" = "allowed";
	readonly queries: ContextQuery[] = [];
	/**
	 * Bytes of attachments, by URL. Without an entry, `unserved` fails temporarily, `endless` waits until the read is
	 * aborted, and any other URL fails permanently.
	 */
	readonly attachments = new Map<string, Uint8Array>();

	conversation({ tenant, channel, thread }: Room): string {
		return definedItems([tenant, channel, thread]).join("/");
	}

	ticketOf?: (message: { readonly message: string }) => Ticket;

	openThread?: NonNullable<ChatPlatform["openThread"]>;

	postedAt(post: string): number {
		return this.surface.postedAt(post);
	}

	/** Ids of the people who may see a private thread, by thread. A thread without an entry is public. */
	readonly privateThreads = new Map<string, readonly string[]>();

	async maySee({ id }: Person, { thread }: { readonly thread: string }): Promise<boolean> {
		return this.privateThreads.get(thread)?.includes(id) ?? true;
	}

	/** Conversations of rooms for which `mayFork` returns false. */
	readonly withoutForks = new Set<string>();

	async mayFork(room: Room): Promise<boolean> {
		return !this.withoutForks.has(this.conversation(room));
	}

	readable?: () => Promise<Room | undefined>;

	suggest?: (room: Room, prompts: readonly string[]) => Promise<void>;

	linkTo(room: Room): string {
		return `https://chat.example/${this.conversation(room)}`.replaceAll(" ", "_");
	}

	moment(at: number): string {
		return new Date(at).toISOString();
	}

	person(id: string): string {
		return `@${id}`;
	}

	command(name: string): string {
		return `/${name}`;
	}

	async readContext(query: ContextQuery, signal: AbortSignal): Promise<ReadContext> {
		this.queries.push(query);
		if (this.reading === "silent") await once(signal, "abort");
		if (this.reading === "failing") throw new ParleyError("it answers 503", { code: "unavailable" });
		if (this.reading === "refused") return { messages: [], hasOlder: false, isRefused: true };
		const relation = query.room.thread === undefined ? ("channel" as const) : ("thread" as const);
		const limit = query.limits[relation];
		const messages = limit === 0 ? [] : this.earlier.slice(-limit).map((one) => ({ ...one, relation }));
		return { messages, hasOlder: limit > 0 && this.earlier.length > limit };
	}

	/** Returns the end of a message id for a number: `-7` for `7`, as in `channel-7`. */
	messageEnding(text: string): string | undefined {
		return /^\d+$/.test(text) ? `-${text}` : undefined;
	}

	async read({ url }: Attachment, signal: AbortSignal): Promise<Uint8Array> {
		signal.throwIfAborted();
		if (url === "endless") await once(signal, "abort");
		signal.throwIfAborted();
		const bytes = this.attachments.get(url);
		if (bytes) return bytes;
		if (url === "unserved") throw new ParleyError("its server answered 503", { code: "unavailable" });
		throw new ParleyError("it cannot be downloaded any more", { code: "not_found" });
	}
}
