import type { Socket } from "node:net";

/** How many connections there may be. */
export interface AdmissionLimits {
	/** Not yet authenticated, from one address. */
	readonly perPeer: number;
	/** Not yet authenticated, in all. */
	readonly pending: number;
	/** Accepted by the kernel, but not read from until one of the above is settled. */
	readonly waiting: number;
	/** All of them, whatever their state. */
	readonly open: number;
}

const defaults: AdmissionLimits = { perPeer: 64, pending: 512, waiting: 1_024, open: 21_536 };

interface Waiting {
	readonly peer: string;
	readonly admit: () => void;
}

/**
 * Keeps strangers from using up the gateway: only so many connections that have not been authenticated are served at a
 * time, the next ones wait their turn unread, and where even the queue is full they are closed. One for all listeners.
 */
export class Admission {
	readonly #limits: AdmissionLimits;
	readonly #pending = new Map<Socket, string>();
	readonly #byPeer = new Map<string, number>();
	readonly #waiting = new Map<Socket, Waiting>();
	#open = 0;

	constructor(limits: Partial<AdmissionLimits> = {}) {
		this.#limits = { ...defaults, ...limits };
	}

	/** Calls `admit` at once or when a place is free; never, when the socket closes before, or is closed here. */
	enter(socket: Socket, admit: () => void): void {
		const peer = socket.remoteAddress;
		if (peer === undefined || this.#open >= this.#limits.open) {
			socket.destroy();
			return;
		}
		this.#open++;
		socket.once("close", () => {
			this.#open--;
			this.#waiting.delete(socket);
			this.settled(socket);
		});
		if (this.#hasPlace(peer)) this.#admit(socket, { peer, admit });
		else if (this.#waiting.size < this.#limits.waiting) this.#waiting.set(socket, { peer, admit });
		else socket.destroy();
	}

	/** The connection has been authenticated: it no longer takes the place of a stranger. May be called repeatedly. */
	settled(socket: Socket): void {
		const peer = this.#pending.get(socket);
		if (peer === undefined) return;
		this.#pending.delete(socket);
		const left = (this.#byPeer.get(peer) ?? 1) - 1;
		if (left > 0) this.#byPeer.set(peer, left);
		else this.#byPeer.delete(peer);
		this.#admitNext();
	}

	/** The first that may come in, which is not always the first of the queue: its address may have no place left. */
	#admitNext(): void {
		for (const [socket, waiting] of this.#waiting) {
			if (!this.#hasPlace(waiting.peer)) continue;
			this.#waiting.delete(socket);
			this.#admit(socket, waiting);
			return;
		}
	}

	#admit(socket: Socket, { peer, admit }: Waiting): void {
		this.#pending.set(socket, peer);
		this.#byPeer.set(peer, (this.#byPeer.get(peer) ?? 0) + 1);
		admit();
	}

	#hasPlace(peer: string): boolean {
		return this.#pending.size < this.#limits.pending && (this.#byPeer.get(peer) ?? 0) < this.#limits.perPeer;
	}
}
