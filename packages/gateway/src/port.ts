import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock, Logger } from "@parley/base";
import { createLocalPeers } from "./auth/local-peer.ts";
import type { Endpoint } from "./transport/address.ts";
import type { Admission } from "./transport/admission.ts";
import { createListener, type Listener } from "./transport/listener.ts";

/** All listeners of a gateway: every one serves everything. */
export interface Port {
	readonly urls: readonly string[];
	/** Accepts no more and ends what is open after `graceMs`; may be called again with less. */
	close(graceMs: number): Promise<void>;
}

export interface PortOptions {
	readonly clock: Clock;
	readonly log: Logger;
	readonly admission: Admission;
	readonly http: Server;
}

/** Opens all places to listen at, or none: nobody is served before the last one is open. */
export async function openPort(
	places: readonly Endpoint[],
	{ clock, log, admission, http }: PortOptions,
): Promise<Port> {
	const listeners: Listener[] = [];
	let early: Socket[] | undefined = [];
	const onHttp = (socket: Socket): void => {
		if (early) early.push(socket);
		else http.emit("connection", socket);
	};
	// Only whose processes they are; whether one of them is a tool is asked when it is authenticated.
	const { isLocal } = createLocalPeers({ log, processes: () => [] });
	const close = async (graceMs: number): Promise<void> => {
		await Promise.all(listeners.map((listener) => listener.close(graceMs)));
	};
	try {
		for (const place of places) {
			listeners.push(await createListener({ ...place, clock, log, admission, onHttp, isOwn: isLocal }));
		}
	} catch (reason) {
		await close(0);
		throw reason;
	}
	const waiting = early.filter((socket) => !socket.destroyed);
	early = undefined;
	for (const socket of waiting) http.emit("connection", socket);
	return { urls: listeners.map((listener) => listener.address().url), close };
}
