import type { Clock, Logger } from "@parley/base";
import * as z from "zod";
import type { DiscordRest } from "../vocabulary/discord-port.ts";
import type { Cursor } from "./high-water.ts";

export interface DirectMessagesParts {
	readonly port: DiscordRest;
	/**
	 * Returns the ids of known people, most recently active first. Omits people if their direct messages are in
	 * `known`.
	 */
	readonly people: (known: ReadonlyMap<string, Cursor>) => Promise<readonly string[]>;
	readonly clock: Clock;
	readonly log: Logger;
}

/** A pending check for missed direct messages. */
interface Unseen {
	readonly since: string;
	/** Channels with a cursor. They are read without a check of direct messages. */
	readonly known: ReadonlyMap<string, Cursor>;
	/** Ids of the people who are not checked yet. Absent before the first check. */
	readonly people?: readonly string[];
	readonly seen: PromiseWithResolvers<void>;
}

/**
 * Minimum time in milliseconds between checks. Sessions may be lost often, but Discord limits how many direct
 * messages a bot opens.
 */
const checkIntervalMs = 5 * 60_000;

/** Checks direct messages with known people for missed messages, in checks of at most `maxPeople` people. */
export class DirectMessages {
	readonly #parts: DirectMessagesParts;
	#unseen: Unseen | undefined;
	#nextCheckAt = 0;
	#isStopped = false;

	constructor(parts: DirectMessagesParts) {
		this.#parts = parts;
	}

	/** Whether no check is pending. */
	get isSeen(): boolean {
		return this.#unseen === undefined;
	}

	/** Resolves when no check is pending, or when `stop` is called. */
	async seen(): Promise<void> {
		await this.#unseen?.seen.promise;
	}

	/**
	 * Requests a check for direct messages after `since`, except in the `known` channels. A pending check keeps
	 * its `since` and `known`, but starts again.
	 */
	miss(since: string, known: ReadonlyMap<string, Cursor>): void {
		// Channels that became known later may have missed messages since the earlier time.
		const { people: _, ...unseen } = this.#unseen ?? { since, known, seen: Promise.withResolvers() };
		this.#unseen = unseen;
	}

	/**
	 * Checks direct messages, and passes the direct messages that have new messages to `read`. Resolves with false
	 * if the check must be repeated.
	 */
	async check(read: (places: readonly ReadPosition[]) => Promise<void>): Promise<boolean> {
		const unseen = this.#unseen;
		if (unseen === undefined || this.#isStopped) return true;
		const { port, people, clock, log } = this.#parts;
		if (clock.monotonic() < this.#nextCheckAt) return false;
		this.#nextCheckAt = clock.monotonic() + checkIntervalMs;
		try {
			const { since, known } = unseen;
			const unchecked = unseen.people ?? (await people(known));
			const { places, failed } = await unreadDirectMessages(unchecked.slice(0, maxPeople), since, port);
			await read(places.filter(([channel]) => !known.has(channel)));
			if (failed.length > 0) {
				log.warn("cannot check the direct messages of some people, retrying later", {
					people: failed.length,
				});
			}
			return this.#recordCheck(unseen, [...unchecked.slice(maxPeople), ...failed]);
		} catch (error) {
			log.warn("cannot check direct messages, retrying later", { error });
			return false;
		}
	}

	stop(): void {
		this.#isStopped = true;
		this.#unseen?.seen.resolve();
	}

	#recordCheck(unseen: Unseen, left: readonly string[]): boolean {
		if (this.#isStopped) return true;
		// Another session has started meanwhile, so every person is checked again.
		if (this.#unseen !== unseen) return false;
		this.#unseen = left.length === 0 ? undefined : { ...unseen, people: left };
		if (left.length === 0) unseen.seen.resolve();
		return left.length === 0;
	}
}

/** Id of a channel, thread or direct message, and the position after which to read. */
export type ReadPosition = readonly [channel: string, cursor: Cursor];

const id = z.string().regex(/^\d{1,20}$/);

/** Channel object: resources/channel#channel-object */
const Written = z.object({ id, last_message_id: id.nullish() });

/**
 * Data of GUILD_CREATE: events/gateway-events#guild-create. `threads` are all active threads that the bot can see.
 */
const GuildChannels = z.object({
	id,
	channels: z.array(z.unknown()).default([]),
	threads: z.array(z.unknown()).default([]),
});

/** Maximum number of people in a check, because Discord limits how many direct messages a bot opens at once. */
const maxPeople = 20;

/**
 * Returns the channels and threads in the data of GUILD_CREATE, if they have messages after `since`. The most
 * recently active is first.
 */
export function unreadChannels(data: unknown, since: string): ReadPosition[] {
	const guild = GuildChannels.safeParse(data).data;
	if (guild === undefined) return [];
	return [...guild.channels, ...guild.threads]
		.map((channel) => Written.safeParse(channel).data)
		.filter((channel) => channel !== undefined)
		.toSorted((one, other) =>
			BigInt(one.last_message_id ?? 0) < BigInt(other.last_message_id ?? 0) ? 1 : -1,
		)
		.flatMap((channel) => newIn(channel, { message: since, guild: guild.id }));
}

/**
 * Finds direct messages that have messages after `since`. Opens a direct message with each person, because Discord
 * does not list direct messages. The person does not notice:
 * https://docs.discord.com/developers/resources/user#create-dm. `failed`: ids of the people for whom the request
 * failed temporarily.
 */
async function unreadDirectMessages(
	people: readonly string[],
	since: string,
	port: DiscordRest,
): Promise<{ readonly places: ReadPosition[]; readonly failed: readonly string[] }> {
	const places: ReadPosition[] = [];
	const failed: string[] = [];
	for (const person of people) {
		const body = { recipient_id: person };
		const opening = port.request({ method: "POST", path: "/users/@me/channels", body });
		const answer = await opening.catch(() => undefined);
		if (answer === undefined || answer.status === 429 || answer.status >= 500) failed.push(person);
		else places.push(...newIn(Written.safeParse(answer.body).data, { message: since }));
	}
	return { places, failed };
}

function newIn(channel: z.output<typeof Written> | undefined, cursor: Cursor): ReadPosition[] {
	const { id: of, last_message_id: last } = channel ?? {};
	return of !== undefined && last && BigInt(last) > BigInt(cursor.message) ? [[of, cursor]] : [];
}
