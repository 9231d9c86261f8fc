import type { Clock, Logger } from "@parley/base";
import type { DiscordPort } from "../discord-port.ts";
import type { Mark } from "./high-water.ts";
import { directPlaces, type Place } from "./places.ts";

export interface DirectMessagesParts {
	readonly port: Pick<DiscordPort, "request">;
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
