import { systemClock } from "@parley/base";
import { MemoryLogger } from "@parley/base/testing";
import {
	createDiscordPort,
	type DiscordDispatch,
	type DiscordLink,
	type DiscordPort,
	type SessionStore,
} from "@parley/discord";
import { onTestFinished } from "vitest";
import { Watch } from "../../watch.ts";
import { StoredSession } from "./stored-session.ts";

export interface ClientOptions {
	readonly token: string;
	readonly apiUrl: string;
	readonly cdnUrl?: string;
	readonly sessions?: SessionStore;
	/** Whether the handler of an event resolves. By default, always. */
	readonly accepts?: (event: DiscordDispatch) => boolean;
}

/** The real client with a record of its events and connection states. */
export class WatchedClient {
	readonly port: DiscordPort;
	readonly log = new MemoryLogger();
	readonly events: DiscordDispatch[] = [];
	readonly links: DiscordLink[] = [];
	readonly #watch = new Watch();
	readonly #accepts: (event: DiscordDispatch) => boolean;

	constructor({
		token,
		apiUrl,
		cdnUrl,
		sessions = new StoredSession(),
		accepts = () => true,
	}: ClientOptions) {
		this.#accepts = accepts;
		this.port = createDiscordPort({ token, apiUrl, cdnUrl, clock: systemClock, log: this.log, sessions });
		onTestFinished(() => this.port.close());
	}

	/** Connects the client. Resolves when the client is ready for the first time, or is refused or closed. */
	async connect(): Promise<this> {
		await this.port.connect({
			dispatch: (event) => {
				this.events.push(event);
				this.#watch.notify();
				return this.#accepts(event) ? undefined : new Promise<void>(() => undefined);
			},
			link: (link) => {
				this.links.push(link);
				this.#watch.notify();
			},
		});
		return this;
	}

	get received(): string[] {
		return this.events.flatMap(({ t, d }) => {
			return t === "MESSAGE_CREATE" && d !== null && typeof d === "object" && "content" in d
				? [String(d.content)]
				: [];
		});
	}

	async receives(...texts: readonly string[]): Promise<void> {
		await this.#watch.until(`${texts.join(", ")} arrived`, () =>
			texts.every((text) => this.received.includes(text)),
		);
	}

	async reaches(state: DiscordLink["state"], times: number): Promise<void> {
		await this.#watch.until(`the link was ${state} ${times} times`, () => {
			return this.links.filter((link) => link.state === state).length >= times;
		});
	}

	async gets(type: string, times = 1): Promise<void> {
		await this.#watch.until(`${type} arrived ${times} times`, () => {
			return this.events.filter(({ t }) => t === type).length >= times;
		});
	}
}
