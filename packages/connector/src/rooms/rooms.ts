import { type Clock, defined, hotStatement, ParleyError, type Store } from "@parley/base";
import type { Requester } from "@parley/protocol";
import { activeRun } from "../conversation/answers/runs.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import { type RoomFacts, usualFacts } from "../platform/is-for-us.ts";
import { Lookup } from "../platform/lookup.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { readSessionKey, roomKeyOf, type SessionKey, writeSessionKey } from "../subscription/external-key.ts";
import type { KnownSession } from "../subscription/known-sessions.ts";
import type { SessionSubscription } from "../subscription/session-subscription.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";
import { conversationTexts } from "../texts/conversations.ts";
import type { ChannelFacts, Self } from "./channel-facts.ts";
import type { ListedSession } from "./handler-context.ts";
import { onBehalf } from "./on-behalf.ts";

const maxListed = 200;
/** Maximum number of rooms in memory. Further rooms are read from the database. */
const maxKnown = 10_000;

export interface RoomsParts {
	readonly store: Store<ConnectorTables>;
	readonly gateway: Requester;
	readonly subscriptions: Subscriptions;
	readonly channels: ChannelFacts;
	readonly platform: string;
	readonly clock: Clock;
}

/**
 * Key of the session to which a room was switched. `by` is the idempotency key of the switch, or `recovered` after
 * a loss of the database.
 */
interface SwitchedSession {
	readonly key: SessionKey;
	readonly by: string;
}

/** Sessions of rooms, with the current session of each room. */
export class Rooms {
	readonly #parts: RoomsParts;
	/**
	 * Session to which each channel, thread or direct message was switched, by room key; undefined without a switch. Only
	 * this class stores switches.
	 */
	readonly #turns: Lookup<SwitchedSession | undefined>;

	constructor(parts: RoomsParts) {
		const { clock } = parts;
		this.#parts = parts;
		this.#turns = new Lookup({ clock, max: maxKnown });
	}

	/** Returns the channel settings of a room, at most half a minute old. */
	facts(person: Person, room: Room): Promise<RoomFacts> {
		return this.#parts.channels.facts(person, room);
	}

	/** Returns the role and rights of a person, according to the gateway. */
	whoami(person: Person, room: Room): Promise<Self> {
		return this.#parts.channels.whoami(person, room);
	}

	/** Returns the person's current session in a room. Opens a session if the room has no current session. */
	async current(person: Person, room: Room, key: string): Promise<SessionSubscription> {
		const roomKey = await this.#roomKey(person, room);
		const { subscriptions } = this.#parts;
		return subscriptions.open(await this.#currentKey(roomKey), {
			key: `${key}/open`,
			onBehalf: onBehalf(person, room),
		});
	}

	/**
	 * Returns the ids of the sessions that are affected if the person stops the agent in a room. These are the
	 * current session, and other sessions that are read and have an active run.
	 */
	async stoppable(person: Person, room: Room): Promise<readonly string[]> {
		const { subscriptions } = this.#parts;
		const roomKey = await this.#roomKey(person, room);
		const current = writeSessionKey(await this.#currentKey(roomKey));
		const ids: string[] = [];
		for (const { id, key } of this.#knownOf(roomKey)) {
			const isCurrent = writeSessionKey(key) === current;
			const read = isCurrent ? await subscriptions.follow(id) : subscriptions.session(id);
			if (read && (isCurrent || activeRun(read.state.answers))) ids.push(id);
		}
		return ids;
	}

	/** Returns all known sessions of a room, for all people. */
	knownIn({ tenant, channel, thread }: Room): KnownSession[] {
		const isHere = ({ key }: KnownSession): boolean =>
			key.tenant === tenant && key.channel === channel && key.thread === thread;
		return [...this.#parts.subscriptions.known()].filter(isHere);
	}

	/** Whether the connector knows a session of the channel or of one of its threads. */
	async isUsed({ tenant, channel }: Room): Promise<boolean> {
		const { subscriptions } = this.#parts;
		await subscriptions.ready;
		return [...subscriptions.known()].some(({ key }) => key.tenant === tenant && key.channel === channel);
	}

	async isCurrent(key: SessionKey): Promise<boolean> {
		return writeSessionKey(await this.#currentKey(roomKeyOf(key))) === writeSessionKey(key);
	}

	/** Returns the sessions of a room that the person may see in the room, most recently used first. */
	async list(person: Person, room: Room): Promise<readonly (ListedSession & { readonly key: SessionKey })[]> {
		const roomKey = await this.#roomKey(person, room);
		const current = writeSessionKey(await this.#currentKey(roomKey));
		const params = { limit: maxListed, ...onBehalf(person, room) };
		const { sessions } = await this.#parts.gateway.request("list_sessions", params);
		return sessions.flatMap(({ session_id, title, updated_at, message_count, external_key = "", model }) => {
			const key = readSessionKey(external_key);
			if (key === undefined || roomKeyOf(key) !== roomKey) return [];
			return [
				{
					session: session_id,
					title,
					usedAt: Date.parse(updated_at),
					messages: message_count,
					key,
					current: external_key === current,
					...defined({ model }),
				},
			];
		});
	}

	/**
	 * Switches a room to another session. Without an id, switches to a new session. Rejects as
	 * `HandlerContext.switchSession` does.
	 */
	async switchSession(
		person: Person,
		room: Room,
		choice: { readonly session?: string; readonly title?: string; readonly key: string },
	): Promise<SessionSubscription> {
		await this.requireRight(person, room, "session.open");
		const roomKey = await this.#roomKey(person, room);
		const { session, title, key } = choice;
		const chosen =
			session === undefined ? await this.#fresh(roomKey, key) : await this.#listed(person, room, session);
		await this.#turn(roomKey, chosen, key);
		return this.#parts.subscriptions.open(chosen, {
			key: `${key}/open`,
			onBehalf: onBehalf(person, room),
			...defined({ title }),
		});
	}

	/** Rejects with `permission_denied` unless the person has the right. */
	async requireRight(person: Person, room: Room, right: "session.open" | "session.fork"): Promise<void> {
		const { may, hint } = await this.whoami(person, room);
		if (may.includes(right)) return;
		const refusal = right === "session.fork" ? conversationTexts.mayNotCopy : conversationTexts.mayNotOpen;
		throw new ParleyError(hint ?? refusal, { code: "permission_denied" });
	}

	/**
	 * Returns the external key of the first session of a room. The key includes the person if each person has a
	 * separate conversation in the room.
	 */
	keyOf(person: Person, room: Room): Promise<string> {
		return this.#roomKey(person, room);
	}

	/**
	 * Returns the external key for a new session of a room. If a switch with this `key` was already made, returns
	 * the external key of the session to which the room was switched.
	 */
	async nextKey(person: Person, room: Room, key: string): Promise<string> {
		return writeSessionKey(await this.#fresh(await this.#roomKey(person, room), key));
	}

	/**
	 * Starts to read a fork that the gateway has created. `turns`: whether the fork becomes the current session of the
	 * room.
	 */
	async openFork(
		person: Person,
		room: Room,
		{
			externalKey,
			key,
			turns,
		}: { readonly externalKey: string; readonly key: string; readonly turns: boolean },
	): Promise<SessionSubscription> {
		const chosen = requireSessionKey(externalKey);
		if (turns) await this.#turn(await this.#roomKey(person, room), chosen, key);
		const opening = { key: `${key}/open`, onBehalf: onBehalf(person, room) };
		return this.#parts.subscriptions.open(chosen, opening);
	}

	async #roomKey(person: Person, room: Room): Promise<string> {
		const { platform } = this.#parts;
		const { tenant, channel, thread, kind } = room;
		const { sessions } = kind === "direct" ? usualFacts : await this.facts(person, room);
		return writeSessionKey({
			platform,
			tenant,
			channel,
			number: 1,
			...defined({ thread, person: sessions === "person" ? person.id : undefined }),
		});
	}

	async #currentKey(roomKey: string): Promise<SessionKey> {
		await this.#parts.subscriptions.ready;
		const turned = await this.#turned(roomKey);
		if (turned) return turned.key;
		// Without a stored switch, for example after a loss of the database, the last used session is current.
		const known = this.#knownOf(roomKey);
		const [newest] = known.toSorted((one, other) => other.usedAt - one.usedAt);
		if (newest === undefined) return requireSessionKey(roomKey);
		if (known.length > 1) await this.#turn(roomKey, newest.key, "recovered");
		return newest.key;
	}

	async #fresh(roomKey: string, key: string): Promise<SessionKey> {
		await this.#parts.subscriptions.ready;
		const turned = await this.#turned(roomKey);
		// An earlier attempt has already made this switch.
		if (turned?.by === key) return turned.key;
		const numbers = this.#knownOf(roomKey).map(({ key: { number } }) => number);
		const number = Math.max(0, turned?.key.number ?? 0, ...numbers) + 1;
		return { ...requireSessionKey(roomKey), number };
	}

	async #listed(person: Person, room: Room, session: string): Promise<SessionKey> {
		const listed = (await this.list(person, room)).find((each) => each.session === session);
		if (listed) return listed.key;
		throw new ParleyError(conversationTexts.noSuch, { code: "not_found" });
	}

	async #turn(room: string, to: SessionKey, turnedBy: string): Promise<void> {
		const { store, clock } = this.#parts;
		const turn = { room, externalKey: writeSessionKey(to), turnedBy, now: clock.now() };
		await store
			.commit((tx) => writeTurn(tx, turn))
			.catch((reason: unknown) => {
				// The commit may have succeeded, so the database must be read again.
				this.#turns.forget(room);
				throw reason;
			});
		this.#turns.note(room, { key: to, by: turnedBy });
	}

	#turned(roomKey: string): Promise<SwitchedSession | undefined> {
		return this.#turns.find(roomKey, async () => {
			const turn = await this.#parts.store.read((db) => readTurn(db, roomKey));
			const key = turn && readSessionKey(turn.externalKey);
			return key && { key, by: turn.turnedBy };
		});
	}

	#knownOf(roomKey: string): readonly KnownSession[] {
		return this.#parts.subscriptions.knownIn(roomKey);
	}
}

function requireSessionKey(roomKey: string): SessionKey {
	const key = readSessionKey(roomKey);
	if (key) return key;
	throw new ParleyError(`invalid channel key "${roomKey}"`, { code: "internal" });
}

const selectRoom = hotStatement<
	ConnectorTables,
	{ room: string },
	{ external_key: string; turned_by: string }
>((db, p) => db.selectFrom("rooms").select(["external_key", "turned_by"]).where("room", "=", p("room")));

interface Turn {
	readonly room: string;
	readonly externalKey: string;
	readonly turnedBy: string;
	readonly now: number;
}

const upsertRoom = hotStatement<ConnectorTables, Turn>((db, p) => {
	const turned = { external_key: p("externalKey"), turned_by: p("turnedBy"), changed_at: p("now") };
	return db
		.insertInto("rooms")
		.values({ room: p("room"), ...turned })
		.onConflict((conflict) => conflict.column("room").doUpdateSet(turned));
});

async function readTurn(
	db: Parameters<typeof selectRoom>[0],
	room: string,
): Promise<{ readonly externalKey: string; readonly turnedBy: string } | undefined> {
	const [row] = await selectRoom(db, { room });
	return row && { externalKey: row.external_key, turnedBy: row.turned_by };
}

async function writeTurn(tx: Parameters<typeof upsertRoom>[0], turn: Turn): Promise<void> {
	await upsertRoom(tx, turn);
}
