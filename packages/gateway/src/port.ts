import type { Server } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock, Logger } from "@parley/base";
import type { Endpoint } from "./transport/address.ts";
import { Admission } from "./transport/admission.ts";
import { createListener, type Listener } from "./transport/listener.ts";

/** All listeners of a gateway: every one serves everything. */
export interface Port {
	readonly urls: readonly string[];
	/** The connection was authenticated. */
	settled(socket: Duplex): void;
	close(graceMs: number): Promise<void>;
}

/** Opens all places to listen at, or none. */
export async function openPort(
	places: readonly Endpoint[],
	{ clock, log, http }: { readonly clock: Clock; readonly log: Logger; readonly http: Server },
): Promise<Port> {
	const admission = new Admission();
	const listeners: Listener[] = [];
	const close = async (graceMs: number): Promise<void> => {
		await Promise.all(listeners.map((listener) => listener.close(graceMs)));
	};
	try {
		for (const place of places) {
			const onHttp = (socket: Socket): void => void http.emit("connection", socket);
			listeners.push(await createListener({ ...place, clock, log, admission, onHttp }));
		}
	} catch (reason) {
		await close(0);
		throw reason;
	}
	return {
		urls: listeners.map((listener) => listener.address().url),
		settled: (socket) => {
			if (socket instanceof Socket) admission.settled(socket);
		},
		close,
	};
}
