import { ManualClock, seededIds } from "@parley/base/testing";
import type { Client, ClientOptions, ClientState } from "../client/client.ts";
import { createClient } from "../client/create-client.ts";
import { EventQueue } from "../client/event-queue.ts";

interface Change {
	readonly state: ClientState;
	readonly detail: string;
}

/** Client with a manual clock and seeded random numbers. A test can wait for states of the client. */
export class WatchedClient {
	readonly client: Client;
	readonly clock = new ManualClock();
	readonly #changes = new EventQueue<Change>(10_000);
	readonly #reader = this.#changes.read();

	constructor(url: string, options: Partial<ClientOptions> = {}) {
		const { clock } = this;
		const onState = (state: ClientState, detail: string): void => this.#changes.push({ state, detail });
		this.client = createClient({ url, clock, ids: seededIds(1), onState, ...options });
	}

	/** Waits until the client's state changes to `state`, and returns the `detail` of the change. */
	async until(state: ClientState): Promise<string> {
		for (;;) {
			const { value } = await this.#reader.next();
			if (value?.state === state) return value.detail;
		}
	}

	/** Waits for the loss of the connection, advances the clock to the next attempt, and returns the reason. */
	async retry(): Promise<string> {
		const detail = await this.until("lost");
		this.clock.advance(10_000);
		return detail;
	}
}
