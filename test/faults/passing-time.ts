import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as tick } from "node:timers/promises";
import type { ManualClock } from "@parley/base/testing";
import { expect } from "vitest";
import { Watch } from "../watch.ts";

/** Published when an answer begins: https://nodejs.org/api/diagnostics_channel.html#http */
const channel = "http.client.response.finish";

/** Lets a test move the clock between the moments at which bytes arrive. */
export class PassingTime implements Disposable {
	readonly clock: ManualClock;
	/** Whether what is watched has ended. */
	readonly #over: () => boolean;
	readonly #watch = new Watch();
	readonly #watched = new WeakSet<Socket>();
	#chunks = 0;

	constructor(clock: ManualClock, over: () => boolean) {
		this.clock = clock;
		this.#over = over;
		subscribe(channel, this.#begin);
	}

	[Symbol.dispose](): void {
		unsubscribe(channel, this.#begin);
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

	readonly #begin = (message: unknown): void => {
		// True because of what the channel promises.
		const { socket } = (message as { readonly response: IncomingMessage }).response;
		if (this.#watched.has(socket)) return;
		this.#watched.add(socket);
		socket.on("data", () => {
			this.#chunks += 1;
			this.#watch.notify();
		});
	};
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settle(turns = 20): Promise<void> {
	for (let turn = 0; turn < turns; turn++) await tick();
}
