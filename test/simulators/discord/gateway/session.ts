import type { GatewayDispatchEvents } from "discord-api-types/v10";

export interface Dispatch {
	readonly op: 0;
	readonly t: GatewayDispatchEvents;
	readonly s: number;
	readonly d: object;
}

/** Other messages of Discord to a connection: 7 requests a reconnect, 9 ends the session. */
export interface Order {
	readonly op: 7 | 9;
	readonly t: null;
	readonly s: null;
	readonly d: boolean | null;
}

/** The other end of a connection. */
export interface Sink {
	send(payload: Dispatch | Order): void;
	/** The connection was lost without a close frame. */
	cut(): void;
	/** Discord ends it: https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
	close(code: number, reason: string): void;
}

/** Reason why Discord ends a connection. */
export class GatewayClosed extends Error {
	override readonly name = "GatewayClosed";
	readonly code: number;

	constructor(code: number, reason: string) {
		super(reason);
		this.code = code;
	}
}

/** Events of one session, with or without a connection. */
export interface Session {
	readonly id: string;
	readonly intents: number;
	seq: number;
	/** Events to send again after a resume. */
	readonly log: Dispatch[];
	sink: Sink | undefined;
	/** Time of the last disconnect. */
	lostAt: number;
}
