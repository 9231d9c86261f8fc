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
import type { Form } from "../controls/control-kind.ts";
import type { Controls } from "../controls/controls.ts";
import { DirectNotices } from "../events/direct-notices.ts";
import type { EventParts } from "../events/handler.ts";
import { openTargetForm, type PressedControl } from "../events/interaction.ts";
import { Joins, joinDelayMs } from "../events/joins.ts";
import { queueOf, routeEvents } from "../events/router.ts";
import { Welcomes } from "../events/welcomes.ts";
import type { GatewayFiles, GatewayHistory } from "../gateway/gateway-files.ts";
import { GatewayWatch } from "../gateway/gateway-watch.ts";
import { ModelWatch } from "../gateway/model-watch.ts";
import { Homes } from "../home/homes.ts";
import { Inbox, type QueuedEvent } from "../inbound/inbox.ts";
import type { StuckRow } from "../outbox/decisions.ts";
import { startDecisionPolling } from "../outbox/left-decisions.ts";
import { Outbox } from "../outbox/outbox.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { InboundEvent } from "../platform/inbound-event.ts";
import { AudienceWatch } from "../rooms/audience-watch.ts";
import { ChannelFacts } from "../rooms/channel-facts.ts";
import { MessageHistory } from "../rooms/message-history.ts";
import { openContext } from "../rooms/open-context.ts";
import { RequestContexts } from "../rooms/request-context.ts";
import { type RoomProgress, readRoomProgress } from "../rooms/room-progress.ts";
import { Rooms } from "../rooms/rooms.ts";
import type { StoredValue } from "../store/connector-database.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { Subscriptions } from "../subscription/subscriptions.ts";

/** Maximum time in milliseconds for suggestions. Discord allows three seconds, which include the network. */
const completeMs = 1500;
/**
 * Maximum time in milliseconds to wait for a form. Discord allows three seconds, so an answer without a form is still
 * in time.
 */
const formMs = 1000;
const maxStuck = 20;

export interface ConnectorParts {
	readonly store: Store<ConnectorTables>;
	readonly gateway: Client;
	readonly files: GatewayFiles & GatewayHistory;
	readonly platform: ChatPlatform;
	readonly controls: Controls;
	/**
	 * Stored time of the last known connection to the platform, in the same database as `store`: see
	 * `AudienceWatchParts`.
	 */
	readonly watchedAt: StoredValue<number>;
	/**
	 * Reports that the first provider is treated as failing, or that no provider is treated as failing any longer: see
	 * `ModelWatch`.
	 */
	readonly modelChanged?: (isFailing: boolean) => void;
	readonly clock: Clock;
	/** Returns a random number from 0 to below 1. */
	readonly chance: () => number;
	readonly log: Logger;
	/**
	 * Time in milliseconds within which messages of a person are joined to one request. Default: 0, which joins
	 * no messages.
	 */
	readonly joinMs?: number | undefined;
	/** Failpoints of `Inbox` and `Outbox`. */
	readonly failpoints?: Failpoints;
}

/** State of a connector. Times are milliseconds since the epoch. */
export interface ConnectorStatus {
	/** Number of inbound events that wait to be handled. */
	readonly waiting: number;
	/** Number of unsettled outbox rows, for example posts and edits. */
	readonly open: number;
	/** Up to 20 outbox rows: held rows, then dead rows, with the newest first in each group. */
	readonly stuck: readonly StuckRow[];
	/**
	 * State of the requests to the gateway. `waiting`: the oldest request has had no response for more than 5 s.
	 * Waiting loses no data.
	 */
	readonly gateway: { readonly state: "reached" | "waiting"; readonly since: number };
	/** Number of sessions that the connector reads. */
	readonly sessions: number;
	/** Time of the last event from the platform or from the gateway. */
	readonly lastEventAt?: number;
}

/**
 * Connects one chat platform to one gateway: handles inbound events, and posts session events. Waits while
 * the gateway is down, and then continues.
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
	readonly #modelWatch: ModelWatch;
	readonly #stopping: AbortController;
	#lastEventAt: number | undefined;

	/**
	 * Starts a connector that continues the work of the last process, even if the gateway is down. Requests to the
	 * gateway wait until the grants of unwatched channels have ended (see `AudienceWatch`). The caller closes the
	 * parts.
	 */
	static async start(parts: ConnectorParts): Promise<Connector> {
		const { store, platform, failpoints = noFailpoints } = parts;
		const { clock, chance, log } = parts;
		const { surface, dialect } = platform;
		const outbox = await Outbox.start({ store, surface, dialect, clock, chance, log, failpoints });
		const connector = await Connector.#begin(parts, outbox);
		return connector;
	}

	static async #begin(parts: ConnectorParts, outbox: Outbox): Promise<Connector> {
		const { store, files, platform, controls, clock, chance, log, failpoints = noFailpoints } = parts;
		const { joinMs = 0 } = parts;
		const stopping = new AbortController();
		const { signal } = stopping;
		const audiences = await AudienceWatch.start({ ...parts, signal });
		const gateway = new GatewayWatch(parts.gateway, clock, signal, () => audiences.ending);
		const created: { connector?: Connector } = {};
		const onFrame = (): void => created.connector?.noteSessionEvent();
		const common = { store, outbox, platform, controls, clock, log, signal };
		const modelWatch = new ModelWatch({ clock, changed: parts.modelChanged ?? (() => undefined) });
		const channels = new ChannelFacts({ gateway, clock });
		const subscriptions = new Subscriptions({
			...common,
			history: files,
			gateway,
			channels,
			modelWatch,
			chance,
			onFrame,
		});
		const rooms = new Rooms({ store, gateway, subscriptions, channels, platform: platform.name, clock });
		const messageHistory = await MessageHistory.open(store, clock);
		const known = { ...common, subscriptions, rooms, messageHistory };
		const requestContexts = new RequestContexts(known);
		const context = openContext({ ...known, gateway, files, requestContexts });
		const welcomes = new Welcomes({ ...known, context });
		const homes = new Homes({ ...known, context });
		const joins = new Joins({ store, clock, windowMs: joinMs });
		const directNotices = new DirectNotices({ platform, clock });
		const events = { ...known, context, welcomes, directNotices, homes, joins };
		const inbox = await Inbox.start({
			store,
			clock,
			chance,
			log,
			failpoints,
			...defined({ delayMs: joinMs > 0 ? ({ data }: QueuedEvent) => joinDelayMs(data, joinMs) : undefined }),
			handle: routeEvents(events),
		});
		created.connector = new Connector({
			parts,
			gateway,
			outbox,
			subscriptions,
			events,
			inbox,
			audiences,
			modelWatch,
			stopping,
		});
		return created.connector;
	}

	private constructor(fields: {
		readonly parts: ConnectorParts;
		readonly gateway: GatewayWatch;
		readonly outbox: Outbox;
		readonly subscriptions: Subscriptions;
		readonly events: EventParts;
		readonly inbox: Inbox;
		readonly audiences: AudienceWatch;
		readonly modelWatch: ModelWatch;
		readonly stopping: AbortController;
	}) {
		this.#parts = fields.parts;
		this.#gateway = fields.gateway;
		this.#outbox = fields.outbox;
		this.#decisions = startDecisionPolling({ ...fields.parts, outbox: fields.outbox });
		this.#subscriptions = fields.subscriptions;
		this.#events = fields.events;
		this.#inbox = fields.inbox;
		this.#audiences = fields.audiences;
		this.#modelWatch = fields.modelWatch;
		this.#stopping = fields.stopping;
	}

	/** Notes the time of an event from the platform or from the gateway. */
	noteEvent(): void {
		this.#lastEventAt = this.#parts.clock.now();
	}

	/**
	 * Notes an event of a session. Schedules an update of home pages, because the event may change their content.
	 */
	noteSessionEvent(): void {
		this.noteEvent();
		this.#events.homes.changed();
	}

	/** Handles a loss or a return of the connection to the platform. */
	linked(isLinked: boolean): void {
		this.#audiences.linked(isLinked);
		if (isLinked) this.#reopen();
	}

	/** Releases all posts that wait for their room, because events about reopened rooms may have been lost. */
	#reopen(): void {
		const { log } = this.#parts;
		this.#outbox
			.reopen()
			.catch((error: unknown) =>
				log.warn("posts for closed threads and channels are still waiting", { error }),
			);
	}

	/**
	 * Accepts an inbound event; see `Inbox.accept`. Interactions and stops do not wait for earlier messages. Changes of the
	 * audience wait only for earlier changes of the audience.
	 */
	accept(
		event: InboundEvent,
		{ id, conversation }: { readonly id: string; readonly conversation: string },
	): Promise<boolean> {
		this.noteEvent();
		return this.#inbox.accept({ id, conversation: `${conversation}${queueOf(event)}`, data: event });
	}

	/** Returns the progress of each session in its room; see `readRoomProgress`. */
	roomProgress(): Promise<readonly RoomProgress[]> {
		return readRoomProgress(this.#subscriptions, this.#parts);
	}

	/**
	 * Returns suggestions for an option while a person types its value, within 1.5 s. Returns no suggestions if the
	 * gateway is too slow or refuses the request.
	 */
	async complete({
		command: name,
		...completing
	}: Completing & { readonly command: string }): Promise<readonly Suggestion[]> {
		const { clock, log } = this.#parts;
		const command = commandTable.find((each) => each.name === name);
		if (!command?.complete) return [];
		const over = new AbortController();
		try {
			return await Promise.race([
				command.complete(this.#events.context, completing),
				delay(clock, completeMs, over.signal).then(() => []),
			]);
		} catch (reason) {
			log.debug("a completion failed", { command: name, error: ParleyError.from(reason) });
			return [];
		} finally {
			over.abort();
		}
	}

	/**
	 * Returns the form for a control, within a second. The control's kind must pass `hasFormOfTarget`. If the
	 * result is undefined, call `accept` with the press: the answer then states the reason.
	 */
	async form(pressed: PressedControl): Promise<Form | undefined> {
		const { clock, log } = this.#parts;
		const over = new AbortController();
		const opening = openTargetForm(this.#events, pressed).catch((reason: unknown) => {
			log.debug("a form could not be made", { error: ParleyError.from(reason) });
			return undefined;
		});
		const late = delay(clock, formMs, over.signal).then(() => undefined);
		try {
			return await Promise.race([opening, late]);
		} finally {
			over.abort();
		}
	}

	/** Returns the state for the log and for operators. */
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
			this.#outbox.stuck(maxStuck),
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

	/**
	 * Stops the connector: cancels requests to the gateway, and stops handling and sending. Resolves when all running work has
	 * ended.
	 */
	async stop(): Promise<void> {
		this.#stopping.abort(new ParleyError("cancelled: the connector is stopping", { code: "cancelled" }));
		await this.#inbox.stop();
		await this.#events.homes.stop();
		await this.#audiences.stop();
		await this.#subscriptions.stop();
		await this.#decisions.stop();
		await this.#outbox.stop();
		this.#modelWatch.stop();
	}
}
