import { type Clock, systemClock } from "@parley/base";
import { ManualClock, seededIds } from "@parley/base/testing";
import { type Client, type ClientState, createClient, type OpenSession } from "@parley/protocol";
import { Watch } from "../watch.ts";
import type { Follower, OnFrame } from "./follower.ts";
import type { View } from "./outcome.ts";

export interface OwnFollowerOptions {
	readonly url: string;
	readonly seed: number;
	readonly onFrame?: OnFrame;
	readonly onChange?: () => void;
	/** Whether the client reconnects after its own delay instead of on `reconnect()`. */
	readonly independent?: boolean;
}

export class OwnFollower implements Follower {
	readonly name: string;
	readonly client: Client;
	readonly #clock: ManualClock | undefined;
	readonly #onFrame: OnFrame;
	readonly #onChange: () => void;
	readonly #views: View[] = [];
	readonly #reading: Promise<void>[] = [];
	readonly #watch = new Watch();
	#state: ClientState = "connecting";

	constructor(name: string, { url, seed, onFrame, onChange, independent = false }: OwnFollowerOptions) {
		this.name = name;
		this.#onFrame = onFrame ?? (() => undefined);
		this.#onChange = onChange ?? (() => undefined);
		this.#clock = independent ? undefined : new ManualClock();
		const clock: Clock = this.#clock ?? systemClock;
		const onState = (state: ClientState): void => {
			this.#state = state;
			this.#watch.notify();
		};
		this.client = createClient({ url, clock, ids: seededIds(seed), onState });
	}

	get views(): readonly View[] {
		return this.#views;
	}

	async create(title: string): Promise<string> {
		const session = await this.client.open({ title });
		this.#follow(session);
		return session.id;
	}

	async open(session: string): Promise<void> {
		this.#follow(await this.client.open({ session_id: session, after_seq: 0 }));
	}

	async say(session: string, content: string): Promise<string> {
		const { run_id } = await this.client.request("send_message", { content }, { sessionId: session });
		return run_id;
	}

	async reconnect(): Promise<void> {
		// The maximum delay between two attempts to connect.
		this.#clock?.advance(10_000);
		if (this.#clock) await this.#watch.until(`${this.name} is connected`, () => this.#state !== "connecting");
	}

	async lost(): Promise<void> {
		if (this.#clock) await this.#watch.until(`${this.name} is lost`, () => this.#state === "lost");
	}

	async close(): Promise<void> {
		await this.client.close();
		await Promise.all(this.#reading);
	}

	#follow(session: OpenSession): void {
		const view: View = { client: this.name, session: session.id, frames: [] };
		this.#views.push(view);
		this.#reading.push(this.#read(session, view));
	}

	async #read(session: OpenSession, { frames }: View): Promise<void> {
		try {
			for await (const frame of session.events()) {
				if (!frame.transient) frames.push(frame);
				this.#onFrame(frame);
				this.#onChange();
			}
		} catch (reason) {
			// When the client closes, its readers end with this error. Any other error fails the test.
			if (this.#state !== "closed" || !String(reason).includes("the client was closed")) throw reason;
		}
	}
}
