import type { Clock, Logger } from "@parley/base";
import * as z from "zod";
import type { DiscordRest } from "../vocabulary/discord-port.ts";
import type { Mark } from "./high-water.ts";

export interface DirectMessagesParts {
	readonly port: DiscordRest;
	/** People who may have written in private for the first time: not in any of these channels. */
	readonly people: (known: ReadonlyMap<string, Mark>) => Promise<readonly string[]>;
	readonly clock: Clock;
	readonly log: Logger;
}

/** What may have been written in private. */
interface Unseen {
	readonly since: string;
	/** What was read anyway when it became so. */
	readonly known: ReadonlyMap<string, Mark>;
	/** Those who are left; absent before the first look. */
	readonly people?: readonly string[];
	readonly seen: PromiseWithResolvers<void>;
}

/** Discord wants few conversations opened at once, and a session may be lost again and again. */
const betweenLooksMs = 5 * 60_000;

/** Direct messages that may have been written, until Discord has told of all of them. */
export class DirectMessages {
	readonly #parts: DirectMessagesParts;
	#unseen: Unseen | undefined;
	#lookAt = 0;
	#isStopped = false;

	constructor(parts: DirectMessagesParts) {
		this.#parts = parts;
	}

	/** Nobody is left to be looked at. */
	get isSeen(): boolean {
		return this.#unseen === undefined;
	}

	/** Resolves when nobody is left, or nobody is looked at any more. */
	async seen(): Promise<void> {
		await this.#unseen?.seen.promise;
	}

	/** From now on all may have written since then, outside of what is `known` and read anyway. */
	miss(since: string, known: ReadonlyMap<string, Mark>): void {
		// An earlier moment stays: what was known then may have been missed before it was known.
		const { people: _, ...unseen } = this.#unseen ?? { since, known, seen: Promise.withResolvers() };
		this.#unseen = unseen;
	}

	/** Gives to `read` where somebody has written; false where it is to be tried again later. */
	async look(read: (places: readonly Place[]) => Promise<void>): Promise<boolean> {
		const unseen = this.#unseen;
		if (unseen === undefined || this.#isStopped) return true;
		const { port, people, clock, log } = this.#parts;
		if (clock.monotonic() < this.#lookAt) return false;
		this.#lookAt = clock.monotonic() + betweenLooksMs;
		try {
			const { since, known } = unseen;
			const { places, left } = await directPlaces(unseen.people ?? (await people(known)), since, port);
			await read(places.filter(([channel]) => !known.has(channel)));
			if (left.length > 0) {
				log.warn("direct messages of some people cannot be looked at yet", { people: left.length });
			}
			return this.#looked(unseen, left);
		} catch (error) {
			log.warn("it is not known yet who may have written in private", { error });
			return false;
		}
	}

	/** Looks no more; what is not seen stays so. */
	stop(): void {
		this.#isStopped = true;
		this.#unseen?.seen.resolve();
	}

	#looked(unseen: Unseen, left: readonly string[]): boolean {
		if (this.#isStopped) return true;
		// Where another session has begun meanwhile, all are to be looked at once more.
		if (this.#unseen !== unseen) return false;
		this.#unseen = left.length === 0 ? undefined : { ...unseen, people: left };
		if (left.length === 0) unseen.seen.resolve();
		return left.length === 0;
	}
}

/** A channel, a thread or direct messages, and after what is read there. */
export type Place = readonly [channel: string, mark: Mark];

const id = z.string().regex(/^\d{1,20}$/);

/** resources/channel#channel-object: the newest message tells whether there is something to be read at all. */
const Written = z.object({ id, last_message_id: id.nullish() });

/** events/gateway-events#guild-create: `threads` are all that are active and that we may see. */
const GuildPlaces = z.object({
	id,
	channels: z.array(z.unknown()).default([]),
	threads: z.array(z.unknown()).default([]),
});

/** Of so many people it is asked whether they have written in private; Discord wants few of these opened at once. */
const mostPeople = 20;

/** The channels and threads of a `GUILD_CREATE` in which something was written after `since`, the newest first. */
export function placesOf(data: unknown, since: string): Place[] {
	const guild = GuildPlaces.safeParse(data).data;
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
 * Direct messages of people in which something was written after `since`. Nobody can ask Discord which ones there are
 * (https://docs.discord.com/developers/resources/user#get-current-user-guilds and its neighbours list none for bots),
 * but those with somebody whose id is known can be opened, which they do not notice. `left`: those of whom Discord does
 * not tell for now.
 */
async function directPlaces(
	people: readonly string[],
	since: string,
	port: DiscordRest,
): Promise<{ readonly places: Place[]; readonly left: readonly string[] }> {
	const places: Place[] = [];
	const left: string[] = [];
	for (const person of people.slice(0, mostPeople)) {
		const body = { recipient_id: person };
		const opening = port.request({ method: "POST", path: "/users/@me/channels", body });
		const answer = await opening.catch(() => undefined);
		if (answer === undefined || answer.status === 429 || answer.status >= 500) left.push(person);
		else places.push(...newIn(Written.safeParse(answer.body).data, { message: since }));
	}
	return { places, left };
}

function newIn(channel: z.output<typeof Written> | undefined, mark: Mark): Place[] {
	const { id: of, last_message_id: last } = channel ?? {};
	return of !== undefined && last && BigInt(last) > BigInt(mark.message) ? [[of, mark]] : [];
}
