import {
	type Clock,
	defined,
	delay,
	type Failpoints,
	type Logger,
	noFailpoints,
	ParleyError,
	type Store,
} from "@parley/base";
import type { Client } from "@parley/protocol";
import type { Completing, Suggestion } from "../commands/command.ts";
import { commandTable } from "../commands/command-table.ts";
import type { Controls } from "../controls/controls.ts";
import type { EventParts } from "../events/handler.ts";
import { queueOf, routeEvents } from "../events/router.ts";
import type { GatewayFiles, GatewayHistory } from "../gateway/gateway-files.ts";
import { GatewayWatch } from "../gateway/gateway-watch.ts";
import { Inbox } from "../inbound/inbox.ts";
import type { StuckRow } from "../outbox/decisions.ts";
import { startLeftDecisions } from "../outbox/left-decisions.ts";
import { Outbox } from "../outbox/outbox.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { InboundEvent } from "../platform/inbound-event.ts";
import { AudienceWatch } from "../rooms/audience-watch.ts";
import { MessageHistory } from "../rooms/message-history.ts";
import { openContext } from "../rooms/open-context.ts";
import { type RoomProgress, readRoomProgress } from "../rooms/room-progress.ts";
import { Rooms } from "../rooms/rooms.ts";
import type { StoredValue } from "../store/connector-database.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { Subscriptions } from "../subscription/subscriptions.ts";

/** Platforms give three seconds (Discord) and the network takes its part of them. */
const completeMs = 1500;
const mostStuck = 20;

/** What a connector is made of. */
export interface ConnectorParts {
	readonly store: Store<ConnectorTables>;
	readonly gateway: Client;
	readonly files: GatewayFiles & GatewayHistory;
	readonly platform: ChatPlatform;
	readonly controls: Controls;
	/** See `AudienceWatchParts`. Stored in the same database. */
	readonly watchedAt: StoredValue<number>;
	readonly clock: Clock;
	/** From 0 up to but without 1. */
	readonly chance: () => number;
	readonly log: Logger;
	/** Those of `Inbox` and `Outbox`. */
	readonly failpoints?: Failpoints;
}

/** How a connector is doing. Times are milliseconds since the epoch. */
export interface ConnectorStatus {
	/** Events of the platform that wait to be handled. */
	readonly waiting: number;
	/** Posts that are not settled. */
	readonly open: number;
	/** What a person has to decide, or may want to look at; the newest 20. */
	readonly stuck: readonly StuckRow[];
	/** `waiting`: what was asked is not answered for some seconds; nothing is lost meanwhile. */
	readonly gateway: { readonly state: "reached" | "waiting"; readonly since: number };
	/** Sessions that are read. */
	readonly sessions: number;
	/** When the platform or the gateway was last heard. */
	readonly lastEventAt?: number;
}

/**
 * One chat platform and one gateway, brought together: what people do is taken once and done for them, what sessions
 * tell is shown once. It waits for a gateway that is away, and goes on by itself.
 */
export class Connector {
	readonly #parts: ConnectorParts;
	readonly #gateway: GatewayWatch;
	readonly #outbox: Outbox;
	readonly #decisions: { stop(): Promise<void> };
	readonly #subscriptions: Subscriptions;
	readonly #events: EventParts;
	readonly #inbox: Inbox;
	readonly #audiences: AudienceWatch;
	readonly #stopping: AbortController;
	#lastEventAt: number | undefined;

	/**
	 * Goes on where the last process ended; resolves although the gateway may be away. Requests to the gateway wait until
	 * the grants of unwatched channels have ended (see `AudienceWatch`). The caller closes the parts.
	 */
	static async start(parts: ConnectorParts): Promise<Connector> {
		const { store, platform, failpoints = noFailpoints } = parts;
		const { clock, chance, log } = parts;
		const outbox = await Outbox.start({ store, surface: platform.surface, clock, chance, log, failpoints });
		const connector = await Connector.#begin(parts, outbox);
		return connector;
	}

	static async #begin(parts: ConnectorParts, outbox: Outbox): Promise<Connector> {
		const { store, files, platform, controls, clock, chance, log, failpoints = noFailpoints } = parts;
		const stopping = new AbortController();
		const { signal } = stopping;
		const audiences = await AudienceWatch.start({ ...parts, signal });
		const gateway = new GatewayWatch(parts.gateway, clock, signal, () => audiences.ending);
		const made: { connector?: Connector } = {};
		const heard = (): void => made.connector?.hear();
		const common = { store, outbox, platform, controls, clock, log, signal };
		const subscriptions = new Subscriptions({ ...common, history: files, gateway, chance, heard });
		const rooms = new Rooms({ store, gateway, subscriptions, platform: platform.name, clock });
		const messageHistory = await MessageHistory.open(store, clock);
		const known = { ...common, subscriptions, rooms, messageHistory };
		const context = openContext({ ...known, gateway, files });
		const events = { ...known, context };
		const inbox = await Inbox.start({
			store,
			clock,
			chance,
			log,
			failpoints,
			handle: routeEvents(events),
		});
		made.connector = new Connector({
			parts,
			gateway,
			outbox,
			subscriptions,
			events,
			inbox,
			audiences,
			stopping,
		});
		return made.connector;
	}

	private constructor(made: {
		readonly parts: ConnectorParts;
		readonly gateway: GatewayWatch;
		readonly outbox: Outbox;
		readonly subscriptions: Subscriptions;
		readonly events: EventParts;
		readonly inbox: Inbox;
		readonly audiences: AudienceWatch;
		readonly stopping: AbortController;
	}) {
		this.#parts = made.parts;
		this.#gateway = made.gateway;
		this.#outbox = made.outbox;
		this.#decisions = startLeftDecisions({ ...made.parts, outbox: made.outbox });
		this.#subscriptions = made.subscriptions;
		this.#events = made.events;
		this.#inbox = made.inbox;
		this.#audiences = made.audiences;
		this.#stopping = made.stopping;
	}

	/** Something was heard of one of both sides. */
	hear(): void {
		this.#lastEventAt = this.#parts.clock.now();
	}

	/** The connection to the platform was lost, or is back. */
	linked(isLinked: boolean): void {
		this.#audiences.linked(isLinked);
	}

	/**
	 * Takes something that happened on the platform; see `Inbox.accept`. What people wait for at a clock, and what is to
	 * stop something, does not wait behind messages; what ends trust waits for nothing else.
	 */
	accept(
		event: InboundEvent,
		{ id, conversation }: { readonly id: string; readonly conversation: string },
	): Promise<boolean> {
		this.hear();
		return this.#inbox.accept({ id, conversation: `${conversation}${queueOf(event)}`, data: event });
	}

	/** How far the gateway has heard each room; see `heardRooms`. */
	roomProgress(): Promise<readonly RoomProgress[]> {
		return readRoomProgress(this.#subscriptions, this.#parts);
	}

	/** What may follow what somebody is typing, within 1.5 s; nothing where the gateway is too slow or refuses. */
	async complete({
		command: name,
		...asked
	}: Completing & { readonly command: string }): Promise<readonly Suggestion[]> {
		const { clock, log } = this.#parts;
		const command = commandTable.find((each) => each.name === name);
		if (!command?.complete) return [];
		const over = new AbortController();
		try {
			return await Promise.race([
				command.complete(this.#events.context, asked),
				delay(clock, completeMs, over.signal).then(() => []),
			]);
		} catch (reason) {
			log.debug("nothing was suggested", { command: name, error: ParleyError.from(reason) });
			return [];
		} finally {
			over.abort();
		}
	}

	/** For the log and for whoever looks after it. */
	async status(): Promise<ConnectorStatus> {
		const { store } = this.#parts;
		const count = ({ n }: { readonly n: number | string | bigint }): number => Number(n);
		const [waiting, open, stuck] = await Promise.all([
			store.read((db) =>
				db
					.selectFrom("inbound")
					.select(({ fn }) => fn.countAll().as("n"))
					.where("state", "=", "waiting")
					.executeTakeFirstOrThrow(),
			),
			store.read((db) =>
				db
					.selectFrom("outbox")
					.select(({ fn }) => fn.countAll().as("n"))
					.where("state", "in", ["planned", "attempted", "unknown", "held"])
					.executeTakeFirstOrThrow(),
			),
			this.#outbox.stuck(mostStuck),
		]);
		return {
			waiting: count(waiting),
			open: count(open),
			stuck,
			gateway: this.#gateway.state,
			sessions: this.#subscriptions.size,
			...defined({ lastEventAt: this.#lastEventAt }),
		};
	}

	/** Ends what waits for the gateway, handles and sends nothing more, and resolves when what is on its way has ended. */
	async stop(): Promise<void> {
		this.#stopping.abort(new ParleyError("the connector stops", { code: "cancelled" }));
		await this.#inbox.stop();
		await this.#audiences.stop();
		await this.#subscriptions.stop();
		await this.#decisions.stop();
		await this.#outbox.stop();
	}
}
