import type { GatewayDispatchEvents } from "discord-api-types/v10";

export interface Dispatch {
	readonly op: 0;
	readonly t: GatewayDispatchEvents;
	readonly s: number;
	readonly d: object;
}

/**
 * Payload without a sequence number. Opcode 7 requests a reconnect. Opcode 9 reports an invalid session, with
 * `d: true` if the session can be resumed.
 */
export interface Order {
	readonly op: 7 | 9;
	readonly t: null;
	readonly s: null;
	readonly d: boolean | null;
}

export interface Sink {
	send(payload: Dispatch | Order): void;
	/** Cuts the connection without a close frame. */
	cut(): void;
	/**
	 * Ends the connection with one of Discord's close codes:
	 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
	 */
	close(code: number, reason: string): void;
}

export class GatewayClosed extends Error {
	override readonly name = "GatewayClosed";
	readonly code: number;

	constructor(code: number, reason: string) {
		super(reason);
		this.code = code;
	}
}

/**
 * Session of the app. `log` contains the newest events of the session. `sink` is undefined while the session is
 * disconnected.
 */
export interface Session {
	readonly id: string;
	readonly intents: number;
	seq: number;
	readonly log: Dispatch[];
	sink: Sink | undefined;
	/** Time of the last disconnect, in milliseconds since the epoch. 0 before the first disconnect. */
	lostAt: number;
}
