import type { Socket } from "node:net";
import { isLoopback } from "./address.ts";
import { type NewConnection, Places, type PlacesLimits } from "./places.ts";

export interface AdmissionLimits extends PlacesLimits {
	/** Maximum number of connections in any state. */
	readonly open: number;
}

const defaults: AdmissionLimits = { perPeer: 64, pending: 512, waiting: 21_536, open: 21_536 };

/**
 * Prevents unauthenticated clients from exhausting the gateway. A limited number of unauthenticated connections is
 * served at the same time, each for at most ten seconds, and further connections wait unread. At the maximum of open
 * connections, each new connection closes a waiting connection, or is closed itself if none waits. All listeners
 * share one `Admission`.
 *
 * All users of this machine connect from the same loopback address. When this address has no free place, processes of
 * the gateway's own user use separate places and a separate queue. Other users therefore cannot lock the operator
 * out.
 */
export class Admission {
	readonly #limit: number;
	readonly #unauthenticated: Places;
	readonly #own: Places;
	/** TCP socket of each TLS stream, because places belong to TCP sockets. */
	readonly #carriers = new WeakMap<Socket, Socket>();
	#open = 0;

	/**
	 * Applies the defaults to missing limits. `isShared` returns whether many clients share an address, such as the
	 * address of a proxy, so that `perPeer` does not apply.
	 */
	constructor(limits: Partial<AdmissionLimits> = {}, isShared: (peer: string) => boolean = () => false) {
		const { open, ...places } = { ...defaults, ...limits };
		this.#limit = open;
		this.#unauthenticated = new Places(places, isShared);
		this.#own = new Places({ ...places, pending: places.perPeer });
	}

	/** Returns the numbers of unauthenticated connections: served, and waiting. */
	get unauthenticated(): { readonly served: number; readonly waiting: number } {
		const [unauthenticated, own] = [this.#unauthenticated, this.#own];
		return { served: unauthenticated.served + own.served, waiting: unauthenticated.waiting + own.waiting };
	}

	/**
	 * Admits the connection now or later, or closes it. The owner of a loopback connection is looked up only if the
	 * loopback address has no free place.
	 */
	enter(connection: NewConnection): void {
		const { socket } = connection;
		const peer = socket.remoteAddress;
		if (peer === undefined || (this.#open >= this.#limit && !this.#unauthenticated.evict())) {
			socket.destroy();
			return;
		}
		this.#open++;
		socket.on("close", () => {
			this.#open--;
			this.settled(socket);
		});
		if (this.#unauthenticated.hasPlace(peer) || !isLoopback(peer))
			this.#unauthenticated.enter(peer, connection);
		else void this.#enterByOwner(peer, connection);
	}

	/** Records the TLS stream of a connection. From then on, the TLS stream identifies the connection. */
	carries(socket: Socket, secure: Socket): void {
		this.#carriers.set(secure, socket);
	}

	/** Frees the place of a connection that has authenticated or closed. May be called repeatedly. */
	settled(socket: Socket): void {
		const carrier = this.#carriers.get(socket) ?? socket;
		this.#unauthenticated.leave(carrier);
		this.#own.leave(carrier);
	}

	async #enterByOwner(peer: string, connection: NewConnection): Promise<void> {
		const places = (await connection.isOwn()) ? this.#own : this.#unauthenticated;
		if (!connection.socket.destroyed) places.enter(peer, connection);
	}
}
