import type { EventFrame, OpenSession } from "@parley/protocol";
import { roomKeyOf, type SessionKey } from "./external-key.ts";

/** A session of ours that the gateway has. */
export interface KnownSession {
	readonly id: string;
	readonly key: SessionKey;
	/** When something last happened there, in milliseconds since the epoch, as far as is known. */
	readonly usedAt: number;
}

/** Sessions by their external key, by their id, and by the room that they are of. */
export class KnownSessions {
	readonly #byKey = new Map<string, KnownSession>();
	/** External keys. */
	readonly #byId = new Map<string, string>();
	/** External keys, by the key of the room. */
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

	/** In the order in which they became known. */
	inRoom(roomKey: string): KnownSession[] {
		return [...(this.#byRoom.get(roomKey) ?? [])].flatMap(
			(externalKey) => this.#byKey.get(externalKey) ?? [],
		);
	}

	/** Takes the place of another session with that key. */
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

/** The end of a session, which is no recorded event, in a place of its own behind all those. */
export function deletionAt(session: string, seq: number): EventFrame {
	return { type: "event", event: "session.deleted", session_id: session, payload: {}, seq };
}

/** A session that was deleted while nobody read it, as who had read it up to `seq` would have heard of that. */
export function goneSession(id: string, seq: number): OpenSession {
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
