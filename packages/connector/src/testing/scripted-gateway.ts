import { type Clock, ParleyError } from "@parley/base";
import {
	type Client,
	type EventFrame,
	isOzzieEvent,
	type MethodInput,
	type MethodResult,
	type OnBehalf,
	type OpenParams,
	type OpenSession,
	type RequestMethod,
	type RequestOptions,
} from "@parley/protocol";
import type { GatewayFiles, GatewayHistory, PastEvent } from "../gateway/gateway-files.ts";
import { type Role, type ScriptedMethods, unknown, usualMethods } from "./scripted-methods.ts";
import { ScriptedSession } from "./scripted-session.ts";

const publicMethods = new Set(["whoami", "pair"]);

/**
 * A gateway in memory, which continues to exist when a connector restarts. It has sessions with numbered frames,
 * queued messages, questions, and one result for each key. `away` simulates a network failure: requests and frames
 * wait.
 */
export class ScriptedGateway {
	readonly sessions: ScriptedSession[] = [];
	/** Requests in order. A repeated request is omitted if a request with the same key has succeeded. */
	readonly requests: { readonly method: string; readonly params: Readonly<Record<string, unknown>> }[] = [];
	/** Roles of people by platform id. All other people have the role `member`. */
	readonly roles = new Map<string, Role>();
	/** Channel settings, by `TENANT:CHANNEL`. */
	readonly facts = new Map<string, NonNullable<MethodResult<"whoami">["place"]>>();
	readonly methods: ScriptedMethods = usualMethods();
	readonly #clock: Clock;
	readonly #answers = new Map<string, { readonly request: string; readonly answer: Promise<unknown> }>();
	readonly #waiting = new Set<() => void>();
	#isAway = false;
	#created = 0;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	get away(): boolean {
		return this.#isAway;
	}

	set away(away: boolean) {
		this.#isAway = away;
		this.changed();
	}

	roleOf(person: string): Role {
		return this.roles.get(person) ?? "member";
	}

	get newest(): ScriptedSession {
		const [newest] = this.sessions.toSorted((one, other) => other.updatedAt - one.updatedAt);
		if (newest) return newest;
		throw new Error("the gateway has no session yet");
	}

	/** Deletes the last used session. */
	delete(): void {
		this.newest.deleted = this.#isAway ? "missed" : "heard";
		this.changed();
	}

	connect(): Client {
		return new ScriptedClient(this);
	}

	readonly stored = new Map<string, Uint8Array>();
	readonly files: GatewayFiles & GatewayHistory = {
		upload: async ({ name, bytes, signal }) => {
			await this.reached(signal);
			this.stored.set(`file_${name}`, bytes);
			return `file_${name}`;
		},
		download: async (id) => {
			const bytes = this.stored.get(id);
			if (bytes) return bytes;
			throw new ParleyError(`file not found: ${id}`, { code: "not_found" });
		},
		events: (id) => this.#pastEvents(id),
		moments: async (id, after, signal) => {
			await this.reached(signal);
			const moments = this.sessions.find((session) => session.id === id)?.moments ?? [];
			return new Map(moments.map((at, index) => [index + 1, at] as const).filter(([seq]) => seq > after));
		},
	};

	async *#pastEvents(id: string): AsyncGenerator<PastEvent> {
		const session = this.sessions.find((one) => one.id === id);
		for (const [index, event] of (session?.frames ?? []).entries()) {
			if (isOzzieEvent(event)) yield { event, at: session?.moments[index] ?? 0 };
		}
	}

	readonly changed = (): void => {
		const waiting = [...this.#waiting];
		this.#waiting.clear();
		for (const wake of waiting) wake();
	};

	change(): Promise<void> {
		return new Promise((resolve) => this.#waiting.add(resolve));
	}

	/** Resolves as soon as the gateway can be reached. Rejects with `cancelled` if the signal aborts. */
	async reached(signal?: AbortSignal): Promise<void> {
		const aborted = (): void => this.changed();
		signal?.addEventListener("abort", aborted, { once: true });
		try {
			while (this.#isAway && !signal?.aborted) await this.change();
		} finally {
			signal?.removeEventListener("abort", aborted);
		}
		if (signal?.aborted) throw new ParleyError("cancelled", { code: "cancelled", cause: signal.reason });
	}

	/**
	 * Runs `work` once for each key; without a key, each time. A refused request can be repeated. Rejects if the key
	 * belongs to another request.
	 */
	once<Value>(method: string, params: object, work: () => Value | Promise<Value>): Promise<Value> {
		const { key, ...rest } = { key: undefined, ...params };
		const request = JSON.stringify({ method, rest });
		const known = typeof key === "string" ? this.#answers.get(key) : undefined;
		if (known && known.request !== request) {
			return Promise.reject(
				new ParleyError(`invalid params: key "${key}" was used for another request: use another key`, {
					code: "invalid_argument",
				}),
			);
		}
		// The cast is safe because an equal request has the same type of result.
		if (known) return known.answer as Promise<Value>;
		this.requests.push({ method, params: { ...params } });
		const answer = (async () => work())();
		if (typeof key === "string") {
			this.#answers.set(key, { request, answer });
			// A client may repeat a refused request with the same key.
			answer.catch(() => this.#answers.delete(key));
		}
		return answer;
	}

	admit(method: string, { actor }: Partial<OnBehalf>): void {
		if (actor === undefined || publicMethods.has(method) || this.roleOf(actor.id) !== "stranger") return;
		const message = `forbidden: chat:guild:${actor.id} has no access: request a code with pair, and send it to the operator for approval`;
		throw new ParleyError(message, { code: "permission_denied" });
	}

	/** Creates a session, or finds the session with the external key. */
	create({ external_key, title, place }: OpenParams & Partial<OnBehalf>): {
		readonly session: ScriptedSession;
		readonly status: "created" | "resumed";
	} {
		const known = this.sessions.find(
			(session) => !session.isDeleted && external_key && session.externalKey === external_key,
		);
		if (known) return { session: known, status: "resumed" };
		this.#created += 1;
		const session = new ScriptedSession({
			id: `sess_${String(this.#created).padStart(4, "0")}`,
			title: title ?? "",
			externalKey: external_key ?? undefined,
			clock: this.#clock,
			changed: this.changed,
			place: place && `${place.tenant}:${place.channel}`,
		});
		this.sessions.push(session);
		return { session, status: "created" };
	}
}

/**
 * Client of a scripted gateway. Refuses a request with a `sessionId` if this connection has not opened that session.
 */
class ScriptedClient implements Client {
	readonly #gateway: ScriptedGateway;
	readonly #open = new Map<string, ScriptedReader>();

	constructor(gateway: ScriptedGateway) {
		this.#gateway = gateway;
	}

	async request<Name extends RequestMethod>(
		method: Name,
		params: MethodInput<Name>,
		{ sessionId, signal }: RequestOptions = {},
	): Promise<MethodResult<Name>> {
		await this.#gateway.reached(signal);
		const { actor, place } = behalfOf(params);
		this.#gateway.admit(method, { actor });
		if (sessionId !== undefined && !this.#open.has(sessionId)) throw unknown(sessionId);
		// The cast is safe because the table contains each method under its name.
		const work = this.#gateway.methods[method] as
			| ((params: MethodInput<Name>, request: object) => MethodResult<Name> | Promise<MethodResult<Name>>)
			| undefined;
		if (!work) throw new ParleyError("not available", { code: "unimplemented" });
		const session = this.#gateway.sessions.find(({ id }) => id === sessionId);
		return this.#gateway.once(method, { ...params, session: sessionId }, () =>
			work(params, { gateway: this.#gateway, actor, place, session }),
		);
	}

	async open(
		params: OpenParams,
		{ signal }: { readonly signal?: AbortSignal | undefined } = {},
	): Promise<OpenSession> {
		const gateway = this.#gateway;
		await gateway.reached(signal);
		gateway.admit("open_session", behalfOf(params));
		const { session, status } = params.session_id
			? { session: this.#find(params.session_id), status: "resumed" as const }
			: await gateway.once("open_session", params, () => gateway.create(params));
		if (this.#open.has(session.id)) {
			throw new ParleyError(`session ${session.id} is already open on this client`, {
				code: "already_exists",
			});
		}
		const after = status === "created" ? 0 : (params.after_seq ?? session.frames.length);
		const reader = new ScriptedReader(gateway, {
			session,
			status,
			after,
			lastSeq: status === "created" ? 0 : session.frames.length,
			closed: () => this.#open.delete(session.id),
		});
		this.#open.set(session.id, reader);
		return reader;
	}

	async close(): Promise<void> {
		for (const reader of [...this.#open.values()]) reader.close();
	}

	#find(id: string): ScriptedSession {
		const session = this.#gateway.sessions.find((each) => each.id === id && !each.isDeleted);
		if (session) return session;
		throw unknown(id);
	}
}

interface Reading {
	readonly session: ScriptedSession;
	readonly status: "created" | "resumed";
	readonly after: number;
	readonly lastSeq: number;
	readonly closed: () => void;
}

class ScriptedReader implements OpenSession {
	readonly id: string;
	readonly status: "created" | "resumed";
	readonly lastSeq: number;
	readonly #gateway: ScriptedGateway;
	readonly #reading: Reading;
	#isClosed = false;

	constructor(gateway: ScriptedGateway, reading: Reading) {
		this.#gateway = gateway;
		this.#reading = reading;
		this.id = reading.session.id;
		this.status = reading.status;
		this.lastSeq = reading.lastSeq;
	}

	async *events(): AsyncGenerator<EventFrame> {
		let deletionSent = false;
		let [after, passed] = [this.#reading.after, this.#reading.session.joinAt];
		while (!this.#isClosed) {
			const next = this.#next(after, passed);
			if (next !== undefined) {
				if (next.transient) passed += 1;
				else after += 1;
				yield next;
			} else if (!this.#gateway.away && this.#reading.session.isDeleted && !deletionSent) {
				// After a reconnection, a client cannot join a deleted session.
				if (this.#reading.session.deleted === "missed") throw unknown(this.id);
				deletionSent = true;
				yield deletion(this.id, after);
			} else await this.#gateway.change();
		}
	}

	/**
	 * Returns the next frame for the reader, or undefined if the reader must wait. `after` and `passed` are the numbers
	 * of recorded and transient frames that the reader has read.
	 */
	#next(after: number, passed: number): EventFrame | undefined {
		if (this.#gateway.away) return undefined;
		const { frames, passing } = this.#reading.session;
		const transient = passing[passed];
		return transient !== undefined && transient.seq <= after ? transient : frames[after];
	}

	close(): void {
		this.#isClosed = true;
		this.#reading.closed();
		this.#gateway.changed();
	}
}

/** Returns a deletion as a real gateway sends it: transient, with the number of the last recorded event. */
function deletion(id: string, seq: number): EventFrame {
	return { type: "event", event: "session.deleted", session_id: id, payload: {}, seq, transient: true };
}

function behalfOf(params: object): Partial<OnBehalf> {
	// The cast is safe because the connector writes these fields with `onBehalf`.
	return params as Partial<OnBehalf>;
}
