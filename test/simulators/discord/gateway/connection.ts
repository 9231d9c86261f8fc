import { type Clock, parseJson, type Timer } from "@parley/base";
import { GatewayOpcodes } from "discord-api-types/v10";
import type { Gateway } from "./gateway.ts";
import { type Dispatch, GatewayClosed, type Order, type Session, type Sink } from "./session.ts";

export interface Socket {
	send(text: string): void;
	close(code: number, reason: string): void;
	/** Cuts the socket without a close frame. */
	terminate(): void;
}

/**
 * Limits of a client: sends in `perMs`, and bytes per send:
 * https://discord.com/developers/docs/events/gateway#rate-limiting
 */
const sends = { maximum: 120, perMs: 60_000, bytes: 4096 };

interface Received {
	readonly op: number | "unreadable";
	readonly d: unknown;
}

/** Gateway side of one connection: HELLO, heartbeats, and the opcodes that a client may send in each state. */
export class Connection {
	readonly #gateway: Gateway;
	readonly #socket: Socket;
	readonly #clock: Clock;
	readonly #heartbeatMs: number;
	readonly #sink: Sink;
	#session: Session | undefined;
	#sent: number[] = [];
	#silence: Timer | undefined;

	constructor(
		gateway: Gateway,
		socket: Socket,
		{ clock, heartbeatMs }: { readonly clock: Clock; readonly heartbeatMs: number },
	) {
		this.#gateway = gateway;
		this.#socket = socket;
		this.#clock = clock;
		this.#heartbeatMs = heartbeatMs;
		this.#sink = {
			send: (payload) => this.#send(payload),
			cut: () => socket.terminate(),
			close: (code, reason) => socket.close(code, reason),
		};
		this.#send({
			op: GatewayOpcodes.Hello,
			d: { heartbeat_interval: heartbeatMs, _trace: [] },
			s: null,
			t: null,
		});
		this.#listen();
	}

	receive(text: string): void {
		try {
			this.#handle(this.#read(text));
		} catch (error) {
			if (!(error instanceof GatewayClosed)) throw error;
			this.#socket.close(error.code, error.message);
		}
	}

	closed(code: number): void {
		this.#silence?.cancel();
		if (this.#session) this.#gateway.leave(this.#session, this.#sink, code);
	}

	#read(text: string): Received {
		const now = this.#clock.now();
		this.#sent = [...this.#sent.filter((at) => now - at < sends.perMs), now];
		if (this.#sent.length > sends.maximum) throw new GatewayClosed(4008, "You are being rate limited.");
		if (Buffer.byteLength(text) > sends.bytes) throw new GatewayClosed(4002, "Error while decoding payload.");
		// The cast is safe because each handler checks the data before it relies on the type.
		return Object(decoded(text)) as Received;
	}

	#handle({ op, d }: Received): void {
		switch (op) {
			case GatewayOpcodes.Heartbeat:
				this.#listen();
				if (!this.#gateway.zombie) this.#send({ op: GatewayOpcodes.HeartbeatAck, d: null, s: null, t: null });
				return;
			case GatewayOpcodes.Identify:
				this.#begin(d);
				return;
			case GatewayOpcodes.Resume:
				this.#resume(d);
				return;
			case GatewayOpcodes.PresenceUpdate:
				this.#demandSession();
				this.#gateway.present(d);
				return;
			case GatewayOpcodes.VoiceStateUpdate:
			case GatewayOpcodes.RequestGuildMembers:
				this.#demandSession();
				return;
			case "unreadable":
				throw new GatewayClosed(4002, "Error while decoding payload.");
			default:
				throw new GatewayClosed(4001, "Unknown opcode.");
		}
	}

	#demandSession(): void {
		if (!this.#session) throw new GatewayClosed(4003, "Not authenticated.");
	}

	#begin(d: unknown): void {
		if (this.#session) throw new GatewayClosed(4005, "Already authenticated.");
		const { token, intents, shard, presence } = Object(d);
		this.#session = this.#gateway.identify({ token, intents, shard, presence }, this.#sink);
	}

	#resume(d: unknown): void {
		if (this.#session) throw new GatewayClosed(4005, "Already authenticated.");
		const { token, session_id: sessionId, seq } = Object(d);
		this.#session = this.#gateway.resume({ token, sessionId, seq }, this.#sink);
		if (!this.#session) this.#send({ op: 9, d: false, s: null, t: null });
	}

	#send(
		payload:
			| Dispatch
			| Order
			| { readonly op: number; readonly d: unknown; readonly s: null; readonly t: null },
	): void {
		this.#socket.send(JSON.stringify(payload));
	}

	#listen(): void {
		this.#silence?.cancel();
		this.#silence = this.#clock.after(this.#heartbeatMs * 2, () =>
			this.#socket.close(4009, "Session timed out."),
		);
	}
}

function decoded(text: string): unknown {
	try {
		return parseJson(text);
	} catch (error) {
		return { op: "unreadable", error };
	}
}
