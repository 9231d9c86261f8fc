import type { Socket } from "node:net";
import type { Clock, Timer } from "@parley/base";

/** Limits of unauthenticated connections. */
export interface PlacesLimits {
	/** Maximum number of served connections from one address. */
	readonly perPeer: number;
	/** Maximum number of served connections in total. */
	readonly pending: number;
	/** Maximum number of waiting connections. The kernel has accepted them, but they are not read until a place is free. */
	readonly waiting: number;
}

export interface NewConnection {
	readonly socket: Socket;
	/** Clock for the time until the connection must be authenticated. */
	readonly clock: Clock;
	/**
	 * Admits the connection, immediately or when a place is free. Not called if the socket closes before a place is
	 * free.
	 */
	admit(): void;
	/** Whether the peer is a process of the gateway's own user; false if the user is unknown. Never rejects. */
	isOwn(): Promise<boolean>;
}

/**
 * Milliseconds until a served connection must be authenticated. Further bytes do not extend this time, because a
 * client could otherwise keep its place forever.
 */
const DEADLINE_MS = 10_000;

/** A waiting connection, linked to the previous and the next waiting connection from the same address. */
interface Entry {
	readonly peer: string;
	readonly connection: NewConnection;
	older: Entry | undefined;
	newer: Entry | undefined;
}

/** Waiting connections of one address, in order. Each connection can be removed in constant time. */
class Queue {
	oldest: Entry | undefined;
	newest: Entry | undefined;
	length = 0;

	append(entry: Entry): Entry {
		entry.older = this.newest;
		if (this.newest) this.newest.newer = entry;
		else this.oldest = entry;
		this.newest = entry;
		this.length++;
		return entry;
	}

	remove({ older, newer }: Entry): void {
		if (older) older.newer = newer;
		else this.oldest = newer;
		if (newer) newer.older = older;
		else this.newest = older;
		this.length--;
	}
}

interface WaitingSocket {
	readonly peer: string;
	readonly deadline: Timer;
}

/**
 * Limits the served unauthenticated connections, and queues further connections. A connection that keeps its place for
 * ten seconds is closed.
 */
export class Places {
	readonly #limits: PlacesLimits;
	readonly #isShared: (peer: string) => boolean;
	readonly #waiting = new Map<Socket, WaitingSocket>();
	readonly #byPeer = new Map<string, number>();
	/** Queues by address, in the order of their turns. */
	readonly #queues = new Map<string, Queue>();
	/** Addresses by the length of their queue. No set is ever empty. */
	readonly #byLength = new Map<number, Set<string>>();
	#longest = 0;
	readonly #entryOf = new Map<Socket, Entry>();

	/** Sets the limits. `isShared` returns whether many clients share an address, so that `perPeer` does not apply. */
	constructor(limits: PlacesLimits, isShared: (peer: string) => boolean = () => false) {
		this.#limits = limits;
		this.#isShared = isShared;
	}

	get served(): number {
		return this.#waiting.size;
	}

	get waiting(): number {
		return this.#entryOf.size;
	}

	/** Whether a connection from the address `peer` would be served immediately. */
	hasPlace(peer: string): boolean {
		if (this.#waiting.size >= this.#limits.pending) return false;
		return (this.#byPeer.get(peer) ?? 0) < this.#limits.perPeer || this.#isShared(peer);
	}

	/** Admits the connection, queues it, or closes it if the queue is full. */
	enter(peer: string, connection: NewConnection): void {
		if (this.hasPlace(peer)) this.#admit(peer, connection);
		else if (this.waiting < this.#limits.waiting) this.#await(peer, connection);
		else connection.socket.destroy();
	}

	/** Removes the connection from its place or from the queue. */
	leave(socket: Socket): void {
		this.#leaveQueue(socket);
		const waiting = this.#waiting.get(socket);
		if (waiting === undefined) return;
		waiting.deadline.cancel();
		this.#waiting.delete(socket);
		const left = (this.#byPeer.get(waiting.peer) ?? 1) - 1;
		if (left > 0) this.#byPeer.set(waiting.peer, left);
		else this.#byPeer.delete(waiting.peer);
		this.#admitNext();
	}

	/**
	 * Closes the newest waiting connection of the address with the most waiting connections, in constant time. Returns
	 * false if no connection waits. The choice of this address prevents one address from excluding all others.
	 */
	evict(): boolean {
		const [peer = ""] = this.#byLength.get(this.#longest) ?? [];
		const socket = this.#queues.get(peer)?.newest?.connection.socket;
		if (!socket) return false;
		this.#leaveQueue(socket);
		socket.destroy();
		return true;
	}

	#await(peer: string, connection: NewConnection): void {
		const queue = this.#queues.get(peer) ?? new Queue();
		this.#queues.set(peer, queue);
		this.#entryOf.set(
			connection.socket,
			queue.append({ peer, connection, older: undefined, newer: undefined }),
		);
		this.#updateLengths(peer, queue.length - 1, queue.length);
	}

	#leaveQueue(socket: Socket): void {
		const entry = this.#entryOf.get(socket);
		const queue = entry && this.#queues.get(entry.peer);
		if (!queue) return;
		this.#entryOf.delete(socket);
		queue.remove(entry);
		if (queue.length === 0) this.#queues.delete(entry.peer);
		this.#updateLengths(entry.peer, queue.length + 1, queue.length);
	}

	#updateLengths(peer: string, before: number, now: number): void {
		const left = this.#byLength.get(before);
		left?.delete(peer);
		if (left?.size === 0) this.#byLength.delete(before);
		if (now > 0) {
			const joined = this.#byLength.get(now) ?? new Set();
			this.#byLength.set(now, joined.add(peer));
		}
		if (now > this.#longest || !this.#byLength.has(this.#longest)) this.#longest = now;
	}

	/** Admits the oldest waiting connection of the next address for which a place is free. */
	#admitNext(): void {
		for (const [peer, queue] of this.#queues) {
			const connection = queue.oldest?.connection;
			if (!connection || !this.hasPlace(peer)) continue;
			this.#leaveQueue(connection.socket);
			// Moves the address to the end of the turns.
			if (this.#queues.delete(peer) && queue.length > 0) this.#queues.set(peer, queue);
			this.#admit(peer, connection);
			return;
		}
	}

	#admit(peer: string, { socket, clock, admit }: NewConnection): void {
		this.#waiting.set(socket, { peer, deadline: clock.after(DEADLINE_MS, () => socket.destroy()) });
		this.#byPeer.set(peer, (this.#byPeer.get(peer) ?? 0) + 1);
		admit();
	}
}
