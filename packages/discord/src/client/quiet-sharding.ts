import { type ClientOptions, SimpleShardingStrategy } from "discord.js";
import * as z from "zod";

type BuildStrategy = NonNullable<NonNullable<ClientOptions["ws"]>["buildStrategy"]>;
/** The part of discord.js that holds the connections; its client's own manager is another class of the same name. */
export type Connections = Parameters<BuildStrategy>[0];

/** Told by discord.js as it happens; none of these may throw. */
export interface ConnectionEvents {
	readonly dispatch: (payload: unknown) => void;
	/** The connection has ended. discord.js makes another one, unless the code says that it would end as well. */
	readonly closed: (code: number) => void;
	readonly failed: (error: unknown) => void;
}

const Told = {
	dispatch: z.object({ data: z.unknown() }),
	closed: z.object({ code: z.int() }),
	error: z.object({ error: z.unknown() }),
};

/**
 * Keeps a connection as discord.js does, but tells us of its events, and discord.js's client nothing. That one would
 * build structures, and caches of them, that nobody reads, and would throw outside of any call where a payload lacks
 * what it expects.
 */
export class QuietSharding extends SimpleShardingStrategy {
	readonly #connections: Connections;
	readonly #events: ConnectionEvents;

	constructor(connections: Connections, events: ConnectionEvents) {
		super(connections);
		this.#connections = connections;
		this.#events = events;
	}

	/** Called once the client has attached itself, and before anything connects. */
	override async spawn(shardIds: number[]): Promise<void> {
		const { dispatch, closed, failed } = this.#events;
		const connections = this.#connections;
		connections.removeAllListeners();
		connections.on("dispatch", (told: unknown) => dispatch(Told.dispatch.parse(told).data));
		connections.on("closed", (told: unknown) => closed(Told.closed.parse(told).code));
		connections.on("error", (told: unknown) => failed(Told.error.parse(told).error));
		await super.spawn(shardIds);
	}

	/**
	 * Resolves when connecting has begun. A first try that fails is made again like any other, whereas the client would
	 * give up, and leave a connection behind that nobody holds.
	 */
	override async connect(): Promise<void> {
		super.connect().catch(this.#events.failed);
	}
}
