import { GatewayDispatchEvents, GatewayIntentBits } from "discord-api-types/v10";
import { hasMessageContent, privilegedIntents } from "../platform/intents.ts";
import { sees } from "../platform/permissions.ts";
import { online, readPresence, showPresence } from "../platform/presence.ts";
import type { SimulatorEvent, State } from "../platform/state.ts";
import { sessionStarts } from "../rest/gateway-routes.ts";
import { guildCreateShape } from "../shapes/guilds.ts";
import { withoutContent } from "../shapes/messages.ts";
import { userShape } from "../shapes/people.ts";
import { Delivery, type Disorder } from "./delivery.ts";
import { PayloadSchema } from "./payload-schema.ts";
import { type Dispatch, GatewayClosed, type Session, type Sink } from "./session.ts";

const known = Object.values(GatewayIntentBits)
	.filter((bit) => typeof bit === "number")
	.reduce((sum, bit) => sum | bit, 0);

/** Maximum number of newest events that a session stores, to send them again after a resume. */
const logLength = 10_000;

export interface Identify {
	readonly token: string;
	readonly intents: number;
	readonly shard?: readonly [number, number] | undefined;
	readonly presence?: unknown;
}

export interface Resume {
	readonly token: string;
	readonly sessionId: string;
	readonly seq: number;
}

/**
 * Simulated gateway of Discord, version 10, without sockets: https://discord.com/developers/docs/events/gateway
 */
export class Gateway {
	readonly #state: State;
	readonly #delivery: Delivery;
	readonly #sessions = new Map<string, Session>();
	#schema: PayloadSchema | undefined;
	/** Whether connections only seem to work: heartbeats are not acknowledged, and no event is sent. */
	zombie = false;

	constructor(state: State) {
		this.#state = state;
		this.#delivery = new Delivery({
			...{ clock: state.clock, chance: () => state.chance() },
			deliver: (event) => this.#dispatch(event),
		});
		state.listen((event) => this.#delivery.carry(event));
	}

	identify({ token, intents, shard, presence }: Identify, sink: Sink): Session {
		const state = this.#state;
		if (token !== state.app.token) throw new GatewayClosed(4004, "Authentication failed.");
		if (shard && (shard[0] < 0 || shard[0] >= shard[1])) throw new GatewayClosed(4010, "Invalid shard.");
		if (!Number.isInteger(intents) || (intents & ~known) !== 0)
			throw new GatewayClosed(4013, "Invalid intent(s).");
		const disallowed = intents & privilegedIntents & ~state.app.privileged;
		if (disallowed !== 0) throw new GatewayClosed(4014, "Disallowed intent(s).");
		// Discord documents: "If the limit is exceeded, the token is reset". The old token is then invalid.
		if (sessionStarts(state).remaining === 0) throw new GatewayClosed(4004, "Authentication failed.");
		state.identifies.push(state.now());
		state.presence = online;
		if (presence !== undefined) this.present(presence);
		const id = state.ids.create("session");
		const session: Session = { id, intents, seq: 0, log: [], sink, lostAt: 0 };
		this.#sessions.set(id, session);
		this.#greet(session);
		return session;
	}

	/**
	 * Resumes a session: sends missed events in order, then RESUMED. Returns undefined if the session is
	 * unknown or expired, or if a missed event is no longer stored. Throws a `GatewayClosed` for a wrong token
	 * and for a `seq` that was not sent yet.
	 */
	resume({ token, sessionId, seq }: Resume, sink: Sink): Session | undefined {
		const state = this.#state;
		if (token !== state.app.token) throw new GatewayClosed(4004, "Authentication failed.");
		const session = this.#sessions.get(sessionId);
		if (!session) return undefined;
		if (!session.sink && state.now() - session.lostAt >= state.settings.resumableMs) {
			this.#sessions.delete(sessionId);
			return undefined;
		}
		if (seq > session.seq) throw new GatewayClosed(4007, "Invalid seq.");
		const missed = session.log.filter(({ s }) => s > seq);
		if (missed.length < session.seq - seq) return undefined;
		session.sink?.cut();
		session.sink = sink;
		for (const dispatch of missed) carry(session, dispatch);
		this.#send(session, GatewayDispatchEvents.Resumed, { _trace: [] });
		return session;
	}

	/** Sets the presence of the app: https://discord.com/developers/docs/events/gateway-events#update-presence */
	present(presence: unknown): void {
		const read = readPresence(presence);
		if (!read) throw new GatewayClosed(4002, "Error while decoding payload.");
		showPresence(this.#state, read);
	}

	/**
	 * Handles a close of the connection by the app. With code 1000 or 1001, Discord also ends the session:
	 * https://discord.com/developers/docs/events/gateway#initiating-a-disconnect
	 */
	leave(session: Session, sink: Sink, code: number): void {
		if (session.sink !== sink) return;
		session.sink = undefined;
		session.lostAt = this.#state.now();
		if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
	}

	drop(): void {
		for (const { sink } of this.#connected()) sink.cut();
	}

	reconnect(): void {
		for (const { sink } of this.#connected()) sink.send({ op: 7, t: null, s: null, d: null });
	}

	invalidate(resumable = false): void {
		for (const { session, sink } of this.#connected()) {
			if (!resumable) this.#sessions.delete(session.id);
			sink.send({ op: 9, t: null, s: null, d: resumable });
		}
	}

	close(code: number, reason = ""): void {
		for (const { session, sink } of this.#connected()) {
			if (code === 4007 || code === 4009) this.#sessions.delete(session.id);
			sink.close(code, reason);
		}
	}

	forgetSessions(): void {
		this.#sessions.clear();
	}

	/** Sets the disorder of events. An empty object ends the disorder. */
	unruly(disorder: Disorder): void {
		this.#delivery.disorder = disorder;
	}

	get connections(): number {
		return this.#connected().length;
	}

	#connected() {
		return [...this.#sessions.values()].flatMap((session) =>
			session.sink ? [{ session, sink: session.sink }] : [],
		);
	}

	#greet(session: Session): void {
		const state = this.#state;
		const guilds = [...state.guilds.values()].filter(({ members }) => members.has(state.app.user.id));
		this.#send(session, GatewayDispatchEvents.Ready, {
			v: 10,
			user: { ...userShape(state.app.user), mfa_enabled: true, verified: true, email: null },
			guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
			session_id: session.id,
			resume_gateway_url: state.gatewayUrl,
			shard: [0, 1],
			application: { id: state.app.id, flags: 0, flags_new: "0" },
		});
		for (const guild of guilds) {
			if (session.intents & GatewayIntentBits.Guilds) {
				this.#send(
					session,
					GatewayDispatchEvents.GuildCreate,
					this.#guildFor(session, guildCreateShape(state, guild)),
				);
			}
		}
	}

	#guildFor(session: Session, guild: ReturnType<typeof guildCreateShape>): object {
		const all = (session.intents & GatewayIntentBits.GuildMembers) !== 0;
		const own = ({ user }: { readonly user: { readonly id: string } }): boolean =>
			user.id === this.#state.app.user.id;
		return all ? guild : { ...guild, members: guild.members.filter(own) };
	}

	#dispatch(event: SimulatorEvent): void {
		for (const session of this.#sessions.values()) {
			if (this.#receives(session, event)) this.#send(session, event.t, this.#readable(session, event));
		}
	}

	#receives({ intents }: Session, event: SimulatorEvent): boolean {
		const subscribed = event.intents === 0 || (event.intents & intents) !== 0;
		const { channel } = event;
		const own = event.message?.onlyFor !== undefined;
		return subscribed && (!channel || own || sees(this.#state, this.#state.app.user, channel));
	}

	#readable({ intents }: Session, { d, message }: SimulatorEvent): object {
		return message && !hasMessageContent(intents) ? withoutContent(this.#state, message, d) : d;
	}

	#send(session: Session, t: GatewayDispatchEvents, d: object): void {
		session.seq += 1;
		const dispatch: Dispatch = { op: 0, t, s: session.seq, d: structuredClone(d) };
		this.#check(dispatch);
		session.log.push(dispatch);
		if (session.log.length > logLength) session.log.shift();
		if (!this.zombie) carry(session, dispatch);
	}

	#check(dispatch: Dispatch): void {
		// The types do not fully describe RESUMED.
		if (dispatch.t === GatewayDispatchEvents.Resumed) return;
		this.#schema ??= PayloadSchema.load();
		const faults = this.#schema.faults(dispatch);
		this.#state.violations.push(...faults.map((fault) => `the simulator's ${dispatch.t}: ${fault}`));
	}
}

function carry(session: Session, dispatch: Dispatch): void {
	const { sink } = session;
	// By the next microtask, the session may have another connection.
	queueMicrotask(() => {
		if (session.sink === sink) sink?.send(dispatch);
	});
}
