import type { Clock } from "@parley/base";
import { MemoryLogger } from "@parley/base/testing";
import {
	createSlackPort,
	type SlackEnvelope,
	type SlackLink,
	type SlackPort,
	type SlackPortOptions,
	type SlackReply,
} from "@parley/slack";
import { onTestFinished } from "vitest";
import type { Watch } from "../../watch.ts";

export interface ClientOptions extends Omit<SlackPortOptions, "log" | "chance" | "clock"> {
	readonly clock: Clock;
	readonly watch: Watch;
	/** Handles an envelope. If the promise rejects, the client does not acknowledge the envelope. */
	readonly receive?: (envelope: SlackEnvelope) => Promise<SlackReply>;
}

/** Type of a test event that shows that a client listens. `WatchedClient` does not record the event. */
export const probe = "probe";

/** The real client with a record of its envelopes and connection states. */
export class WatchedClient {
	readonly port: SlackPort;
	readonly log = new MemoryLogger();
	readonly envelopes: SlackEnvelope[] = [];
	readonly links: SlackLink[] = [];
	silences = 0;
	readonly #watch: Watch;
	readonly #receive: NonNullable<ClientOptions["receive"]>;

	constructor({ watch, receive = async () => undefined, ...options }: ClientOptions) {
		this.#watch = watch;
		this.#receive = receive;
		this.port = createSlackPort({ ...options, log: this.log, chance: () => 0.5 });
		onTestFinished(() => this.port.close());
	}

	async connect(): Promise<this> {
		await this.port.connect({
			receive: async (envelope) => {
				if (Object(envelope.body).event?.type === probe) return undefined;
				this.envelopes.push(envelope);
				const received = this.#receive(envelope);
				this.#watch.notify();
				return received;
			},
			link: (link) => {
				this.links.push(link);
				this.#watch.notify();
			},
			silent: () => {
				this.silences += 1;
				this.#watch.notify();
			},
		});
		return this;
	}

	get states(): string[] {
		return this.links.map(({ state }) => state);
	}

	get received(): string[] {
		return this.envelopes.flatMap(({ body }) => {
			const { event } = Object(body);
			return event?.type === "message" && event.subtype === undefined ? [String(event.text)] : [];
		});
	}

	receives(...texts: readonly string[]): Promise<void> {
		return this.#watch.until(`${texts.join(", ")} arrived`, () =>
			texts.every((text) => this.received.includes(text)),
		);
	}

	reaches(state: SlackLink["state"], times = 1): Promise<void> {
		return this.#watch.until(`the link was ${state} ${times} times`, () => {
			return this.links.filter((link) => link.state === state).length >= times;
		});
	}

	get warnings(): string[] {
		return this.log.records.flatMap(({ level, message }) => (level === "warn" ? [message] : []));
	}
}
