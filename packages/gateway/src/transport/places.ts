import type { Socket } from "node:net";
import type { Clock, Timer } from "@parley/base";

/** How many connections that have not been authenticated there may be. */
export interface PlacesLimits {
	/** Served, from one address. */
	readonly perPeer: number;
	/** Served, in all. */
	readonly pending: number;
	/** Accepted from the kernel, but not read from until one of the above is settled. */
	readonly waiting: number;
}

/** A connection that has come. */
export interface Arrival {
	readonly socket: Socket;
	/** Measures how long it may go without being authenticated. */
	readonly clock: Clock;
	/** Called at once or when a place is free; never, when the socket closes before, or is closed for want of room. */
	admit(): void;
	/** Whether a process of the gateway's own user is at the far end; false where that cannot be seen. Never rejects. */
	isOwn(): Promise<boolean>;
}

/** Far more than a request needs. Absolute, because whoever may renew a place by sending a little keeps it for ever. */
const DEADLINE_MS = 10_000;

interface Held {
	readonly peer: string;
	readonly deadline: Timer;
}

/** The places of one kind of connections, and the queue for them. Nobody keeps a place for more than ten seconds. */
export class Places {
	readonly #limits: PlacesLimits;
	readonly #isCrowd: (peer: string) => boolean;
	readonly #held = new Map<Socket, Held>();
	readonly #byPeer = new Map<string, number>();
	/** The queue of each address; the address whose turn is next comes first. */
	readonly #queues = new Map<string, Map<Socket, Arrival>>();
	readonly #peerOf = new Map<Socket, string>();

	/** `isCrowd`: whether an address stands for so many clients that `perPeer` does not hold for it. */
	constructor(limits: PlacesLimits, isCrowd: (peer: string) => boolean = () => false) {
		this.#limits = limits;
		this.#isCrowd = isCrowd;
	}

	get served(): number {
		return this.#held.size;
	}

	get waiting(): number {
		return this.#peerOf.size;
	}

	/** Whether a connection from this address would be served at once. */
	hasPlace(peer: string): boolean {
		if (this.#held.size >= this.#limits.pending) return false;
		return (this.#byPeer.get(peer) ?? 0) < this.#limits.perPeer || this.#isCrowd(peer);
	}

	/** Admits the connection, lets it wait, or closes it where the queue is full. */
	enter(peer: string, arrival: Arrival): void {
		if (this.hasPlace(peer)) this.#admit(peer, arrival);
		else if (this.waiting < this.#limits.waiting) this.#await(peer, arrival);
		else arrival.socket.destroy();
	}

	/** The connection needs no place any more. May be called repeatedly, and for one that is not here. */
	leave(socket: Socket): void {
		this.#leaveQueue(socket);
		const held = this.#held.get(socket);
		if (held === undefined) return;
		held.deadline.cancel();
		this.#held.delete(socket);
		const left = (this.#byPeer.get(held.peer) ?? 1) - 1;
		if (left > 0) this.#byPeer.set(held.peer, left);
		else this.#byPeer.delete(held.peer);
		this.#admitNext();
	}

	/**
	 * Closes the newest waiting connection of the address that has most of them. Returns whether there was one. No
	 * address can keep others out by waiting.
	 */
	evict(): boolean {
		let longest = new Map<Socket, Arrival>();
		for (const queue of this.#queues.values()) if (queue.size > longest.size) longest = queue;
		const socket = [...longest.keys()].at(-1);
		if (!socket) return false;
		this.#leaveQueue(socket);
		socket.destroy();
		return true;
	}

	#await(peer: string, arrival: Arrival): void {
		const queue = this.#queues.get(peer) ?? new Map<Socket, Arrival>();
		queue.set(arrival.socket, arrival);
		this.#queues.set(peer, queue);
		this.#peerOf.set(arrival.socket, peer);
	}

	#leaveQueue(socket: Socket): void {
		const peer = this.#peerOf.get(socket);
		if (peer === undefined) return;
		this.#peerOf.delete(socket);
		const queue = this.#queues.get(peer);
		queue?.delete(socket);
		if (queue?.size === 0) this.#queues.delete(peer);
	}

	/** The first of the queue of the next address that has a place left. */
	#admitNext(): void {
		for (const [peer, queue] of this.#queues) {
			const [arrival] = queue.values();
			if (!arrival || !this.hasPlace(peer)) continue;
			this.#leaveQueue(arrival.socket);
			// The other addresses come first next time.
			if (this.#queues.delete(peer) && queue.size > 0) this.#queues.set(peer, queue);
			this.#admit(peer, arrival);
			return;
		}
	}

	#admit(peer: string, { socket, clock, admit }: Arrival): void {
		this.#held.set(socket, { peer, deadline: clock.after(DEADLINE_MS, () => socket.destroy()) });
		this.#byPeer.set(peer, (this.#byPeer.get(peer) ?? 0) + 1);
		admit();
	}
}
