import { type Clock, defined, type Logger, parseJson, type Store } from "@parley/base";
import type { ConnectorTables, RoomProgress } from "@parley/connector";
import * as z from "zod";
import type { DiscordDispatch, DiscordLink, DiscordRest } from "../vocabulary/discord-port.ts";
import { directTenant } from "../vocabulary/links.ts";
import { snowflakeAt } from "../vocabulary/snowflake.ts";
import { CatchUp } from "./catch-up.ts";
import type { ReadPosition } from "./direct-messages.ts";
import { type EventHandlers, EventReceiver } from "./event-receiver.ts";
import { type CursorStore, HighWater } from "./high-water.ts";
import { type AliveStore, LastAlive } from "./last-alive.ts";

export interface ListeningParts {
	readonly port: DiscordRest;
	readonly database: {
		readonly store: Store<ConnectorTables>;
		readonly cursors: CursorStore;
		readonly alive: AliveStore;
		readonly birth: BirthStore;
	};
	readonly handlers: Promise<EventHandlers>;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Receives the events of Discord, and reads messages that were missed. */
export class Listening {
	readonly #highWater: HighWater;
	readonly #alive: LastAlive;
	/** Creation time of the database; see `creationTimeOf`. */
	readonly #createdAt: number;
	readonly #receiver: EventReceiver;
	readonly #catchUp: CatchUp;
	#isReady = false;

	static async open(parts: ListeningParts): Promise<Listening> {
		const { database, clock, log } = parts;
		const highWater = await HighWater.open({ store: database.cursors, clock, log });
		const alive = await LastAlive.open({ store: database.alive, clock, log });
		const createdAt = await creationTimeOf(database.birth, clock);
		return new Listening(parts, { highWater, alive, createdAt });
	}

	private constructor(
		parts: ListeningParts,
		state: { readonly highWater: HighWater; readonly alive: LastAlive; readonly createdAt: number },
	) {
		const { port, handlers, database, clock, log } = parts;
		const { highWater, alive, createdAt } = state;
		this.#createdAt = createdAt;
		this.#highWater = highWater;
		this.#alive = alive;
		this.#receiver = new EventReceiver({ handlers, highWater, clock, log });
		this.#catchUp = new CatchUp({
			port,
			highWater,
			alive,
			clock,
			log,
			people: (known) => {
				const direct = [...known].filter(([, { guild }]) => guild === undefined);
				return readKnownPeople(database.store, new Set(direct.map(([channel]) => channel)));
			},
			receive: (event) => this.#receiver.receive(event),
		});
	}

	/** Returns the number of channels with missed messages that are not read yet. */
	get behind(): number {
		return this.#highWater.behind.length;
	}

	/** Handles an event; see `CatchUp.dispatch`. */
	dispatch(event: DiscordDispatch): Promise<void> {
		return this.#catchUp.dispatch(event);
	}

	/** Handles a change of the connection. Call it before the first event after the change. */
	linked(link: DiscordLink): void {
		this.#isReady = link.state === "ready";
		if (link.state !== "ready") return;
		if (link.resumed) this.#catchUp.resumed();
		else this.#catchUp.begin();
	}

	/**
	 * Starts to record the last time at which no message was missed. If no time is stored, first reads the channels
	 * of `knownRooms`. Rejects if the reading of these channels is stopped. Call it when the connector is ready.
	 */
	async begin(knownRooms: () => Promise<readonly RoomProgress[]>): Promise<void> {
		if (this.#alive.since === undefined) {
			const places = placesOf(await knownRooms(), this.#createdAt);
			// The channels are recorded now, because later messages may be missed there and Discord does not list direct messages.
			await Promise.all([this.#catchUp.read(places), this.#highWater.know(places)]);
		}
		this.#alive.begin(() => this.#isReady && this.#catchUp.isDone);
	}

	/** Stops receiving and reading. Resolves when no event is in progress. */
	async stop(): Promise<void> {
		this.#isReady = false;
		// Reading and receiving stop together, because reading waits until missed messages are durable.
		await Promise.all([this.#catchUp.stop(), this.#receiver.stop()]);
	}

	/** Stores the cursors and the recorded time. Resolves when both are stored, or when storing has failed. */
	async close(): Promise<void> {
		await this.#alive.close();
		await this.#highWater.close();
	}
}

/**
 * Returns the position in each channel after which reading starts. Only messages that are older than the database
 * are considered, because missed messages may precede newer messages. The position is the newest of these messages
 * in the sessions of the channel. Without such a message, the position is the last use of the sessions.
 */
function placesOf(rooms: readonly RoomProgress[], createdAt: number): ReadPosition[] {
	const createdId = BigInt(snowflakeAt(createdAt));
	const byRoom = Map.groupBy(rooms, ({ room }) => room.thread ?? room.channel);
	return [...byRoom].map(([channel, read]) => {
		const ids = read.flatMap((one) => one.messages).filter((message) => /^\d{1,20}$/.test(message));
		const messages = ids.map(BigInt).filter((message) => message < createdId);
		const moments = read.map(({ usedAt }) => BigInt(snowflakeAt(Math.min(usedAt, createdAt))));
		const known = messages.length > 0 ? messages : moments;
		const [newest = 0n] = known.toSorted((one, other) => (one < other ? 1 : -1));
		const tenant = read[0]?.room.tenant ?? directTenant;
		const guild = tenant === directTenant ? undefined : tenant;
		return [channel, defined({ message: String(newest), guild })];
	});
}

/** Storage for the time at which the database was created, in milliseconds since the epoch. */
export interface BirthStore {
	load(): Promise<number | undefined>;
	save(at: number): Promise<void>;
}

async function creationTimeOf(store: BirthStore, clock: Clock): Promise<number> {
	const known = await store.load();
	if (known !== undefined) return known;
	const now = clock.now();
	await store.save(now);
	return now;
}

const Author = z.object({ id: z.string(), bot: z.boolean() });
const maxRows = 2000;

/**
 * Returns the ids of people with access who used the agent. The person with the latest use is first. Omits bots,
 * and people who used the agent in a conversation of `except`. Reads at most `maxRows` rows.
 */
export async function readKnownPeople(
	store: Store<ConnectorTables>,
	except: ReadonlySet<string>,
): Promise<string[]> {
	const rows = await store.read((db) =>
		db
			.selectFrom("heard")
			.select(["person", "conversation"])
			// These effects occur only for people with access.
			.where("effect", "in", ["sent", "edited", "answered", "replied"])
			.orderBy("at", "desc")
			.limit(maxRows)
			.execute(),
	);
	const authors = rows.map(({ person, conversation }) => ({
		...Author.parse(parseJson(person)),
		conversation,
	}));
	const known = new Set(authors.filter(({ conversation }) => except.has(conversation)).map(({ id }) => id));
	const people = authors.filter(({ id, bot }) => !bot && !known.has(id));
	return [...new Set(people.map(({ id }) => id))];
}
