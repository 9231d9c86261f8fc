import type { Clock, Logger } from "@parley/base";
import { DeliveryError, type OutboxRow, type RateLimit, type Receipt } from "@parley/connector";
import * as z from "zod";
import { deliveryTexts } from "../texts/delivery.ts";
import { cutTo, limits } from "../vocabulary/limits.ts";
import type { Caller } from "./caller.ts";
import { threadNameProblem } from "./check.ts";
import { channelOf } from "./post-channels.ts";

/** Names that the connector gave to a thread, and the times of its last name changes. */
export interface ThreadNames {
	/** Name that the connector gave last, and the requested name while the result of a change is unknown. */
	readonly given: readonly string[];
	/** Times of the last name changes, in milliseconds since the epoch. */
	readonly changedAt: readonly number[];
}

/** Storage for the names that the connector gave to its threads. The names must be available after a restart. */
export interface ThreadNameStore {
	load(thread: string): Promise<ThreadNames | undefined>;
	save(thread: string, names: ThreadNames): Promise<void>;
}

/** Thread object: resources/channel#channel-object */
const Thread = z.object({
	name: z.string(),
	owner_id: z.string().nullish(),
	thread_metadata: z.object({ archived: z.boolean(), locked: z.boolean().optional() }).optional(),
});
type Thread = z.output<typeof Thread>;

/**
 * Maximum number of name changes of a thread in `perMs`. Discord does not document this limit:
 * https://github.com/discord/discord-api-docs/issues/1900
 */
const maxChanges = 2;
const perMs = 10 * 60_000;

export interface ThreadTitlesParts {
	readonly caller: Caller;
	readonly names: ThreadNameStore;
	/** User id of the bot. */
	readonly user: string;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Shows the title of a conversation as the name of its thread, if the bot opened the thread. */
export class ThreadTitles {
	readonly #parts: ThreadTitlesParts;

	constructor(parts: ThreadTitlesParts) {
		this.#parts = parts;
	}

	/**
	 * Renames the thread, unless a person has renamed it. Does not rename a thread that a moderator closed, because the change
	 * would reopen it. Only logs a refusal.
	 */
	async show(row: OutboxRow, title: string): Promise<Receipt> {
		const { log } = this.#parts;
		const { conversation } = row;
		const thread = channelOf(conversation);
		const name = cutTo(title.trim(), limits.threadName);
		if (threadNameProblem(name) !== undefined) return { remote: conversation };
		try {
			return { remote: conversation, limits: await this.#rename(row, thread, name) };
		} catch (error) {
			const { isRefusal, message: reason } = DeliveryError.from(error);
			if (!isRefusal) throw error;
			log.warn(deliveryTexts.notRenamed, { thread, reason });
			return { remote: conversation };
		}
	}

	async #rename(row: OutboxRow, thread: string, name: string): Promise<readonly RateLimit[]> {
		const { caller, names, user, clock } = this.#parts;
		const known = await names.load(thread);
		const path = `/channels/${thread}`;
		const { body } = await caller.ask({ method: "GET", path }, "read", thread);
		const present = Thread.safeParse(body).data;
		const { thread_metadata: metadata } = present ?? {};
		if (present === undefined || metadata === undefined || present.owner_id !== user) return [];
		// After a loss of the database, a name that equals the title is treated as a name from the connector.
		if (present.name === name && known === undefined)
			await names.save(thread, { given: [name], changedAt: [] });
		const isOwn = known?.given.includes(present.name) === true;
		if (present.name === name || !isOwn || (metadata.archived && metadata.locked)) return [];
		const changedAt = known.changedAt.filter((at) => at <= clock.now() && clock.now() - at < perMs);
		const waits = this.#limitOf(row, changedAt);
		if (waits !== undefined)
			throw new DeliveryError(deliveryTexts.renamedOften, { kind: "rate-limited", limit: waits });
		// The names are saved before the request. Without a response, either name may be current.
		await names.save(thread, { given: [present.name, name], changedAt });
		await caller.ask({ method: "PATCH", path, body: changeTo(name, present) }, "rename", thread);
		const after = [...changedAt, clock.now()];
		await names.save(thread, { given: [name], changedAt: after });
		const full = this.#limitOf(row, after);
		return full === undefined ? [] : [full];
	}

	/**
	 * Returns the rate limit that delays a change of the name, or undefined if no earlier changes limit it. A newer
	 * title replaces the title that waits.
	 */
	#limitOf({ conversation }: OutboxRow, changedAt: readonly number[]): RateLimit | undefined {
		const oldest = changedAt.at(-maxChanges);
		if (oldest === undefined) return undefined;
		return { scope: conversation, retryAfterMs: oldest + perMs - this.#parts.clock.now() };
	}
}

function changeTo(name: string, { thread_metadata: metadata }: Thread): object {
	// An archived thread accepts a change only if the request also reopens the thread.
	return metadata?.archived ? { name, archived: false } : { name };
}
