import { type Clock, ParleyError, parseJson, type Timer } from "@parley/base";
import type { DiscordLink, DiscordPort, DiscordRequest, DiscordResponse } from "@parley/discord";
import { type Dispatch, GatewayClosed, type Order, type Session, type Sink } from "./gateway/session.ts";
import { readLink } from "./platform/links.ts";
import type { Simulator } from "./platform/simulator.ts";

export interface SessionStore {
	session?: {
		readonly id: string;
		/** Sequence number of the newest delivered event. The same process resumes after it. */
		readonly seq: number;
		/**
		 * Sequence numbers of delivered events whose handlers have not resolved. Another process resumes before the
		 * lowest of these numbers.
		 */
		readonly unreceived?: ReadonlySet<number>;
	};
}

export interface InProcessOptions {
	/** Token of the app. By default, the token of the simulator. */
	readonly token?: string;
	readonly intents: number;
	/** Store of the session. Two ports with the same store represent two successive processes. */
	readonly sessions?: SessionStore;
}

type Handlers = Parameters<DiscordPort["connect"]>[0];

/** Measured delay: discord.js reconnects half a second after a lost connection. */
const reconnectMs = 500;
/**
 * Close codes after which a retry cannot help:
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
const final = new Set([4004, 4010, 4011, 4012, 4013, 4014]);
/** Close codes after which the client reconnects with a new session. */
const ending = new Set([1000, 1001, 4007, 4009]);

/** Connector port to the simulator, without sockets and with the simulator's clock. */
export class InProcessPort implements DiscordPort {
	readonly #simulator: Simulator;
	readonly #clock: Clock;
	readonly #token: string;
	readonly #intents: number;
	readonly #sessions: SessionStore;
	#unreceived = new Set<number>();
	#handlers: Handlers | undefined;
	#live: { readonly session: Session; readonly sink: Sink } | undefined;
	#timer: Timer | undefined;
	#closed = false;

	constructor(simulator: Simulator, options: InProcessOptions) {
		this.#simulator = simulator;
		this.#clock = simulator.clock;
		this.#token = options.token ?? simulator.token;
		this.#intents = options.intents;
		this.#sessions = options.sessions ?? {};
	}

	async request({ method, path, query, body, files, authorized }: DiscordRequest): Promise<DiscordResponse> {
		if (this.#closed) throw new ParleyError("the port is closed", { code: "unavailable" });
		return await this.#simulator.network.carry({
			method,
			path,
			query: query ?? {},
			// A copy, as from the network: without undefined fields, and independent of later changes by the caller.
			body: body === undefined ? undefined : parseJson(JSON.stringify(body)),
			files: (files ?? []).map(({ name, bytes }, index) => ({ index, name, bytes })),
			authorization: authorized === false ? undefined : `Bot ${this.#token}`,
		});
	}

	async download(url: string, maximum: number, signal: AbortSignal): Promise<Uint8Array> {
		await Promise.resolve();
		signal.throwIfAborted();
		const { state } = this.#simulator;
		if (!url.startsWith(`${state.cdn}/`)) {
			throw new ParleyError("the address is not Discord's", { code: "permission_denied" });
		}
		const file = readLink(state, url);
		if (!file) throw new ParleyError("the file is no longer available", { code: "not_found" });
		if (file.bytes.byteLength > maximum) {
			throw new ParleyError(`the file is larger than ${maximum} bytes`, { code: "resource_exhausted" });
		}
		return Uint8Array.from(file.bytes);
	}

	async connect(handlers: Handlers): Promise<void> {
		this.#rollBack();
		const { promise, resolve } = Promise.withResolvers<void>();
		const { link } = handlers;
		const first = (state: DiscordLink): void => {
			link(state);
			resolve();
		};
		this.#handlers = { ...handlers, link: first };
		this.#open();
		await promise;
	}

	async close(): Promise<void> {
		this.#closed = true;
		this.#timer?.cancel();
		await Promise.resolve();
		// After this close code, another process can resume the session.
		this.#leave(4200);
	}

	/** Sets a presence, as opcode 3 does. Without a connection, the presence is dropped. */
	present(presence: unknown): void {
		if (!this.#closed && this.#live) this.#simulator.gateway.present(presence);
	}

	/** Simulates a killed process: the port ignores further events and does not write the session. */
	kill(): void {
		this.#closed = true;
		this.#timer?.cancel();
		this.#handlers = undefined;
		this.#leave(1006);
	}

	#leave(code: number): void {
		if (this.#live) this.#simulator.gateway.leave(this.#live.session, this.#live.sink, code);
		this.#live = undefined;
	}

	/** Sets the session to the event before the lowest unreceived event. Without such an event, deletes the session. */
	#rollBack(): void {
		const { id, seq, unreceived = [] } = this.#sessions.session ?? { id: "", seq: 0 };
		const received = Math.min(seq, ...[...unreceived].map((one) => one - 1));
		if (received > 0) this.#sessions.session = { id, seq: received };
		else delete this.#sessions.session;
	}

	#open(): void {
		if (this.#closed) return;
		const sink: Sink = {
			send: (payload) => this.#receive(sink, payload),
			cut: () => this.#lose("the connection was cut", 1006),
			close: (code, reason) => this.#end(code, reason),
		};
		try {
			this.#live = { session: this.#begin(sink), sink };
		} catch (error) {
			if (!(error instanceof GatewayClosed)) throw error;
			this.#end(error.code, error.message);
		}
	}

	#begin(sink: Sink): Session {
		const { gateway } = this.#simulator;
		const session = this.#sessions.session;
		const token = this.#token;
		const resumed = session && gateway.resume({ token, sessionId: session.id, seq: session.seq }, sink);
		if (resumed) return resumed;
		delete this.#sessions.session;
		this.#unreceived = new Set();
		return gateway.identify({ token, intents: this.#intents }, sink);
	}

	#end(code: number, reason: string): void {
		const detail = `closed with ${code}: ${reason}`;
		if (!final.has(code)) {
			this.#lose(detail, code);
			return;
		}
		this.#leave(code);
		this.#handlers?.link({ state: "refused", detail });
	}

	#lose(detail: string, code: number, waitMs = reconnectMs): void {
		if (ending.has(code)) delete this.#sessions.session;
		this.#leave(code);
		if (this.#closed) return;
		this.#handlers?.link({ state: "lost", detail });
		this.#timer?.cancel();
		this.#timer = this.#clock.after(waitMs, () => this.#open());
	}

	#receive(sink: Sink, payload: Dispatch | Order): void {
		if (this.#live?.sink !== sink) return;
		if (payload.op === 0) {
			this.#dispatch(this.#live.session, payload);
		} else if (payload.op === 7) {
			this.#lose("asked to reconnect", 4000);
		} else {
			if (payload.d !== true) delete this.#sessions.session;
			// A random delay of one to five seconds: https://discord.com/developers/docs/events/gateway#resuming
			this.#lose("the session is invalid", 4000, 1000 + this.#simulator.state.chance() * 4000);
		}
	}

	#dispatch({ id }: Session, { t, d, s }: Dispatch): void {
		const handlers = this.#handlers;
		if (t === "READY") this.#ready(false);
		const received = handlers?.dispatch({ t, d: structuredClone(d) });
		// A handler may have killed this port, which then must not write the session.
		if (this.#handlers) this.#note(id, s, received);
		if (t === "RESUMED") this.#ready(true);
	}

	#note(id: string, seq: number, received: ReturnType<Handlers["dispatch"]>): void {
		const unreceived = this.#unreceived;
		const { session } = this.#sessions;
		this.#sessions.session = { id, seq: Math.max(seq, session?.seq ?? 0), unreceived };
		if (received === undefined) return;
		unreceived.add(seq);
		received.then(
			() => {
				if (this.#handlers) unreceived.delete(seq);
			},
			// The event stays unreceived, so the next process receives it again.
			() => undefined,
		);
	}

	#ready(resumed: boolean): void {
		const { app } = this.#simulator.state;
		this.#handlers?.link({ state: "ready", user: app.user.id, application: app.id, resumed });
	}
}
