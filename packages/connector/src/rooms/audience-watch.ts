import { type Clock, delay, type Logger, ParleyError, type Timer } from "@parley/base";
import type { Requester } from "@parley/protocol";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { StoredValue } from "../store/connector-database.ts";
import { trustTexts } from "../texts/trust.ts";
import { endGrants } from "./suspend-trust.ts";

export interface AudienceWatchParts {
	readonly gateway: Requester;
	readonly platform: ChatPlatform;
	/** Last time at which the connector received the events of the platform, in milliseconds since the epoch. */
	readonly watchedAt: StoredValue<number>;
	readonly clock: Clock;
	readonly log: Logger;
	/** Signal that aborts when the connector stops. */
	readonly signal: AbortSignal;
}

/**
 * Retention of events in milliseconds if the platform states none. The same time is the downtime after which the
 * gateway itself ends all grants.
 */
const usualRetentionMs = 60 * 60_000;
const everyMs = 60_000;
const firstWaitMs = 1000;
const maxWaitMs = 30_000;

/**
 * Ends the grants of all the connector's channels if people may have joined unnoticed. This is possible after a start
 * with an empty or old database, and after a disconnection for longer than the platform stores events.
 */
export class AudienceWatch {
	readonly #parts: AudienceWatchParts;
	/** Time of the last known connection, in milliseconds since the epoch; undefined if the database has no valid time. */
	#watchedAt: number | undefined;
	#isLinked = true;
	#ending: Promise<void> | undefined;
	#timer: Timer | undefined;
	#saving: Promise<void> | undefined;

	/** Starts the watch. Call it when the platform is connected. */
	static async start(parts: AudienceWatchParts): Promise<AudienceWatch> {
		const watch = new AudienceWatch(parts, await parts.watchedAt.load());
		watch.#check();
		return watch;
	}

	private constructor(parts: AudienceWatchParts, watchedAt: number | undefined) {
		this.#parts = parts;
		// A time in the future shows that the clock was set back. Such a time is treated as unknown.
		const isAhead = watchedAt !== undefined && watchedAt > parts.clock.now() + everyMs;
		this.#watchedAt = isAhead ? undefined : watchedAt;
	}

	/**
	 * Returns a promise that resolves when the grants have ended. Returns undefined if no grants are being ended.
	 * The promise rejects when the connector stops.
	 */
	get ending(): Promise<void> | undefined {
		return this.#ending;
	}

	/**
	 * Notes that the connection to the platform was lost or restored. Ends the grants if the disconnection was too
	 * long.
	 */
	linked(isLinked: boolean): void {
		if (isLinked === this.#isLinked) return;
		if (!isLinked) this.#compare();
		this.#isLinked = isLinked;
		if (isLinked) this.#compare();
	}

	/**
	 * Stops the watch. Call `stop` after the signal has aborted. Saves the present time if the platform is connected and
	 * the grants need not end. After an unnoticed suspension, the saved time does not change, and the next start ends
	 * the grants.
	 */
	async stop(): Promise<void> {
		this.#timer?.cancel();
		const isKnown = this.#awayMs() <= this.#retentionMs();
		if (this.#isLinked && this.#ending === undefined && isKnown) this.#seen();
		await this.#saving;
	}

	#check(): void {
		this.#timer = this.#parts.clock.after(everyMs, () => this.#check());
		if (this.#isLinked) this.#compare();
	}

	/**
	 * Ends the grants if the last connection is unknown or too long ago. `#check` calls this method every minute while
	 * the platform is connected, which also detects a suspension of this process.
	 */
	#compare(): void {
		if (this.#ending !== undefined) return;
		if (this.#watchedAt === undefined) {
			this.#end(trustTexts.ends.unknownConnection);
			return;
		}
		const awayMs = this.#awayMs();
		if (awayMs <= this.#retentionMs()) this.#seen();
		else {
			this.#end(trustTexts.ends.disconnected({ minutes: Math.floor(awayMs / 60_000) }));
		}
	}

	/** Returns the milliseconds since the last known connection, or `Infinity` if none is known. */
	#awayMs(): number {
		return this.#parts.clock.now() - (this.#watchedAt ?? Number.NEGATIVE_INFINITY);
	}

	#retentionMs(): number {
		return this.#parts.platform.eventRetentionMs ?? usualRetentionMs;
	}

	#seen(): void {
		this.#watchedAt = this.#parts.clock.now();
		this.#saving ??= this.#save().finally(() => {
			this.#saving = undefined;
		});
	}

	async #save(): Promise<void> {
		const { watchedAt, log } = this.#parts;
		try {
			for (let saved: number | undefined; saved !== this.#watchedAt; ) {
				saved = this.#watchedAt;
				await watchedAt.save(saved);
			}
		} catch (error) {
			// An outdated time is safe, because it only ends more grants.
			log.warn("cannot save the time of the last connection, retrying later", { error });
		}
	}

	#end(reason: string): void {
		const ending = this.#endAll(reason).then(() => {
			this.#ending = undefined;
			if (this.#isLinked) this.#seen();
		});
		this.#ending = ending;
		// Requests that wait for the end of the grants report the error.
		ending.catch(() => undefined);
	}

	async #endAll(reason: string): Promise<void> {
		const { gateway, platform, clock, log, signal } = this.#parts;
		const { name, tenant } = platform;
		const prefix = tenant === undefined ? `${name}:` : `${name}:${tenant}:`;
		const request: Requester = {
			request: (method, params) => gateway.request(method, params, { signal }),
		};
		for (let failures = 0; ; failures++) {
			try {
				const isOfTenant = (place: string): boolean => place.startsWith(prefix);
				const ended = await endGrants(request, isOfTenant, { reason, key: "unwatched" });
				if (ended > 0) log.warn("channels are no longer trusted", { channels: ended, reason });
				return;
			} catch (reasonOfFailure) {
				signal.throwIfAborted();
				const error = ParleyError.from(reasonOfFailure);
				log.warn("requests wait, because the trust of channels could not be ended; retrying", { error });
				await delay(clock, Math.min(firstWaitMs * 2 ** failures, maxWaitMs), signal);
			}
		}
	}
}
