import type { Socket } from "node:net";
import { isLoopback } from "./address.ts";
import { type Arrival, Places, type PlacesLimits } from "./places.ts";

/** How many connections there may be. */
export interface AdmissionLimits extends PlacesLimits {
	/** All of them, whatever their state. */
	readonly open: number;
}

const defaults: AdmissionLimits = { perPeer: 64, pending: 512, waiting: 1_024, open: 21_536 };

/**
 * Keeps strangers from using up the gateway: only so many connections that have not been authenticated are served at a
 * time, and none for longer than ten seconds; the next ones wait their turn unread, and where even the queue is full
 * they are closed. One for all listeners.
 *
 * All users of this machine come from the same address. So that others cannot lock the operator out, processes of the
 * gateway's own user have places and a queue of their own, as many as one address has, where strangers have taken theirs.
 */
export class Admission {
	readonly #limit: number;
	readonly #strangers: Places;
	readonly #own: Places;
	#open = 0;

	constructor(limits: Partial<AdmissionLimits> = {}) {
		const { open, ...places } = { ...defaults, ...limits };
		this.#limit = open;
		this.#strangers = new Places(places);
		this.#own = new Places({ ...places, pending: places.perPeer });
	}

	/** Admits the connection at once or later, or closes it. Who it belongs to is asked only where that matters. */
	enter(arrival: Arrival): void {
		const { socket } = arrival;
		const peer = socket.remoteAddress;
		if (peer === undefined || this.#open >= this.#limit) {
			socket.destroy();
			return;
		}
		this.#open++;
		socket.once("close", () => {
			this.#open--;
			this.settled(socket);
		});
		if (this.#strangers.hasPlace(peer) || !isLoopback(peer)) this.#strangers.enter(peer, arrival);
		else void this.#enterByOwner(peer, arrival);
	}

	/** The connection has been authenticated: it no longer takes the place of a stranger. May be called repeatedly. */
	settled(socket: Socket): void {
		this.#strangers.leave(socket);
		this.#own.leave(socket);
	}

	async #enterByOwner(peer: string, arrival: Arrival): Promise<void> {
		const places = (await arrival.isOwn()) ? this.#own : this.#strangers;
		if (!arrival.socket.destroyed) places.enter(peer, arrival);
	}
}
