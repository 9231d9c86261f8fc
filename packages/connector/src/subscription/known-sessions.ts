import type { EventFrame, OpenSession } from "@parley/protocol";
import { roomKeyOf, type SessionKey } from "./external-key.ts";

/** A session of this connector on the gateway. */
export interface KnownSession {
	readonly id: string;
	readonly key: SessionKey;
	/** Last known activity, in milliseconds since the epoch. */
	readonly usedAt: number;
}

/** Sessions by external key, by id and by room. */
export class KnownSessions {
	readonly #byKey = new Map<string, KnownSession>();
	/** External keys by id. */
	readonly #byId = new Map<string, string>();
	/** External keys by room key. */
	readonly #byRoom = new Map<string, Set<string>>();

	all(): Iterable<KnownSession> {
		return this.#byKey.values();
	}

	get(externalKey: string): KnownSession | undefined {
		return this.#byKey.get(externalKey);
	}

	withId(id: string): KnownSession | undefined {
		const externalKey = this.#byId.get(id);
		return externalKey === undefined ? undefined : this.#byKey.get(externalKey);
	}

	/** Returns the sessions of a room, in the order in which they became known. */
	inRoom(roomKey: string): KnownSession[] {
		return [...(this.#byRoom.get(roomKey) ?? [])].flatMap(
			(externalKey) => this.#byKey.get(externalKey) ?? [],
		);
	}

	/** Adds a session. Replaces another session with the same key. */
	set(externalKey: string, session: KnownSession): void {
		const before = this.#byKey.get(externalKey);
		if (before !== undefined) this.#byId.delete(before.id);
		this.#byKey.set(externalKey, session);
		this.#byId.set(session.id, externalKey);
		const roomKey = roomKeyOf(session.key);
		const room = this.#byRoom.get(roomKey);
		if (room === undefined) this.#byRoom.set(roomKey, new Set([externalKey]));
		else room.add(externalKey);
	}

	delete(externalKey: string): void {
		const known = this.#byKey.get(externalKey);
		if (known === undefined) return;
		this.#byKey.delete(externalKey);
		this.#byId.delete(known.id);
		const roomKey = roomKeyOf(known.key);
		const room = this.#byRoom.get(roomKey);
		room?.delete(externalKey);
		if (room?.size === 0) this.#byRoom.delete(roomKey);
	}
}

/**
 * Returns the event for the deletion of a session. The gateway does not record this event. `seq` must follow all
 * recorded events.
 */
export function deletionAt(session: string, seq: number): EventFrame {
	return { type: "event", event: "session.deleted", session_id: session, payload: {}, seq };
}

/** Returns an open session that has only one event: its deletion at `seq`. */
export function deletedSession(id: string, seq: number): OpenSession {
	return {
		id,
		status: "resumed",
		lastSeq: seq,
		async *events() {
			yield { ...deletionAt(id, seq), transient: true };
		},
		close() {},
	};
}
