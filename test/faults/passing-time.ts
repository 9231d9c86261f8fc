import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setImmediate as tick } from "node:timers/promises";
import type { ManualClock } from "@parley/base/testing";
import { expect } from "vitest";
import { Watch } from "../watch.ts";

/** Published for each part of a body: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel */
const channel = "undici:request:bodyChunkReceived";

/** Lets a test move the clock between the moments at which bytes arrive. */
export class PassingTime implements Disposable {
	readonly clock: ManualClock;
	/** Whether what is watched has ended. */
	readonly #over: () => boolean;
	readonly #watch = new Watch();
	#chunks = 0;

	constructor(clock: ManualClock, over: () => boolean) {
		this.clock = clock;
		this.#over = over;
		subscribe(channel, this.#arrive);
	}

	[Symbol.dispose](): void {
		unsubscribe(channel, this.#arrive);
	}

	/** So many times so much time, each of which brings the client something; it never gives up meanwhile. */
	async brings(times: number, ms: number): Promise<void> {
		await settle();
		for (let time = 0; time < times; time++) {
			const before = this.#chunks;
			this.clock.advance(ms);
			await this.#watch.until("something arrives", () => this.#chunks > before);
			await settle(4);
		}
		expect(this.#over()).toBe(false);
	}

	/** So much time without anything, at the end of which the client gives up, and not earlier. */
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

/** Lets everything happen that waits for nothing but its turn. */
export async function settle(turns = 20): Promise<void> {
	for (let turn = 0; turn < turns; turn++) await tick();
}
