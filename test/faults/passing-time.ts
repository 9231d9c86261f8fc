import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setImmediate as tick } from "node:timers/promises";
import type { ManualClock } from "@parley/base/testing";
import { expect } from "vitest";
import { Watch } from "../watch.ts";

/**
 * Channel to which Undici publishes each chunk of a response body:
 * https://undici.nodejs.org/#/docs/api/DiagnosticsChannel
 */
const channel = "undici:request:bodyChunkReceived";

export class PassingTime implements Disposable {
	readonly clock: ManualClock;
	readonly #over: () => boolean;
	readonly #watch = new Watch();
	#chunks = 0;

	constructor(clock: ManualClock, hasEnded: () => boolean) {
		this.clock = clock;
		this.#over = hasEnded;
		subscribe(channel, this.#arrive);
	}

	[Symbol.dispose](): void {
		unsubscribe(channel, this.#arrive);
	}

	/** Advances the clock `times` times by `ms`, and waits after each step until the client has received bytes. */
	async passTimes(times: number, ms: number): Promise<void> {
		await settle();
		for (let time = 0; time < times; time++) {
			const before = this.#chunks;
			this.clock.advance(ms);
			await this.#watch.until("something arrives", () => this.#chunks > before);
			await settle(4);
		}
		expect(this.#over()).toBe(false);
	}

	/** Advances the clock by `ms`. Throws unless the client gives up exactly at the end of this time. */
	async endsAfter(ms: number): Promise<void> {
		await settle();
		this.clock.advance(ms - 1);
		await settle();
		expect(this.#over()).toBe(false);
		this.clock.advance(1);
		for (let turn = 0; turn < 1_000 && !this.#over(); turn++) await tick();
		expect(this.#over()).toBe(true);
	}

	readonly #arrive = (): void => {
		this.#chunks += 1;
		this.#watch.notify();
	};
}

/** Waits for `turns` ticks: enough for work that depends on neither a clock nor a server. */
export async function settle(turns = 20): Promise<void> {
	for (let turn = 0; turn < turns; turn++) await tick();
}
