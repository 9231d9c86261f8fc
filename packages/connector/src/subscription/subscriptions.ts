import { type Clock, defined, delay, ParleyError, type Store } from "@parley/base";
import type { MethodResult, OnBehalf, OpenSession, SessionClient } from "@parley/protocol";
import { isExpecting } from "../conversation/conversation.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { readSessionKey, type SessionKey, writeSessionKey } from "./external-key.ts";
import { deletedSession, type KnownSession, KnownSessions } from "./known-sessions.ts";
import {
	beginSessionCursor,
	canResume,
	forgetSessionCursor,
	readSessionCursor,
	readTraces,
	type SessionCursor,
	type Traces,
} from "./session-cursors.ts";
import { SessionSubscription, type SessionSubscriptionParts } from "./session-subscription.ts";

/** Maximum number of sessions to list at the start. */
const maxListed = 1000;
/** Maximum number of sessions to open in parallel after a start. */
const parallel = 8;
/**
 * Maximum age of recent activity, in milliseconds. Sessions with recent activity are read after a start. The activity
 * may have been in another client.
 */
export const recentMs = 24 * 3_600_000;

const firstWaitMs = 1000;
const maxWaitMs = 30_000;

const activeTasks = ["pending", "running", "suspended"] as const;

export interface SubscriptionsParts extends SessionSubscriptionParts {
	readonly gateway: SessionClient;
	/** Returns a random number from 0 to below 1. */
	readonly chance: () => number;
}

export interface Opening {
	readonly key: string;
	readonly title?: string;
	readonly onBehalf: Required<OnBehalf>;
}

type Listed = MethodResult<"list_sessions">["sessions"][number];

/** All sessions of the connector. Sessions with recent or pending activity are read and rendered. */
export class Subscriptions {
	/**
	 * Promise that resolves when the list of sessions is known. Rejects if the connector stops before the list is
	 * known.
	 */
	readonly ready: Promise<void>;
	readonly #parts: SubscriptionsParts;
	readonly #subscriptions = new Map<string, SessionSubscription>();
	readonly #known = new KnownSessions();
	/** Sessions that are being opened, by external key. */
	readonly #opening = new Map<string, Promise<SessionSubscription>>();
	readonly #begun: Promise<void>;

	constructor(parts: SubscriptionsParts) {
		this.#parts = parts;
		const listed = this.#sessionsToRead();
		this.ready = listed.then(() => undefined);
		// Prevents an unhandled rejection. Callers that await `ready` still receive the rejection. A stop of the
		// connector is not an error.
		this.ready.catch(() => undefined);
		this.#begun = listed.then((sessions) => this.#resumeSubscriptions(sessions)).catch(() => undefined);
	}

	/** Returns the number of sessions that the connector reads. */
	get size(): number {
		return this.#subscriptions.size;
	}

	/** Returns the known sessions of this platform, including sessions that are not read. */
	known(): Iterable<KnownSession> {
		return this.#known.all();
	}

	withId(id: string): KnownSession | undefined {
		return this.#known.withId(id);
	}

	knownIn(roomKey: string): readonly KnownSession[] {
		return this.#known.inRoom(roomKey);
	}

	/** Returns a session that the connector reads; undefined for other sessions. */
	session(id: string): SessionSubscription | undefined {
		return this.#subscriptions.get(id);
	}

	/**
	 * Starts to read a session of this platform by its id. Resolves with its subscription when all past events are
	 * rendered, or with undefined if the session is unknown. Rejects with `not_found` if the session was deleted.
	 */
	async follow(id: string): Promise<SessionSubscription | undefined> {
		await this.ready;
		const known = this.#known.withId(id);
		const subscription = known && (await this.#once(writeSessionKey(known.key), () => this.#resume(known)));
		await subscription?.caughtUp;
		return subscription;
	}

	/** Starts to read the session with an external key. Creates the session if it does not exist. */
	async open(key: SessionKey, opening: Opening): Promise<SessionSubscription> {
		await this.ready;
		const openSubscription = async (): Promise<SessionSubscription> =>
			this.#once(writeSessionKey(key), (externalKey) => {
				const known = this.#known.get(externalKey);
				return known === undefined ? this.#create(key, opening) : this.#resume(known);
			});
		return openSubscription().catch((reason: unknown) => {
			if (ParleyError.from(reason).code !== "not_found") throw reason;
			// The session was deleted while the connector did not read it. The session is now forgotten, so the
			// second call creates a new session.
			return openSubscription();
		});
	}

	/**
	 * Opens a session again after the gateway rejected a request to the session with `not_found`. The gateway also
	 * reports `not_found` if this connection has not joined the session. If this connection cannot join the session
	 * either, the session was deleted: the deletion is rendered, and the session is forgotten.
	 */
	async reopen(subscription: SessionSubscription): Promise<void> {
		const { session } = subscription;
		const known = this.#known.withId(session);
		// Another caller has already reopened the session, or has found that it was deleted.
		if (known === undefined || this.#subscriptions.get(session) !== subscription) return;
		this.#subscriptions.delete(session);
		const reopen = async (): Promise<SessionSubscription> => {
			subscription.close();
			await subscription.ended.catch(() => undefined);
			return this.#resume(known);
		};
		try {
			await this.#once(writeSessionKey(known.key), reopen);
		} catch (reason) {
			if (ParleyError.from(reason).code !== "not_found") throw reason;
		}
	}

	/** Stops all subscriptions. Call it after the signal has aborted. Resolves when rendering has ended. */
	async stop(): Promise<void> {
		// Subscriptions are closed first. Otherwise `#begun` would wait until they have caught up, which the aborted signal
		// prevents.
		for (const subscription of this.#subscriptions.values()) subscription.close();
		await this.#begun;
		await Promise.allSettled(this.#opening.values());
		await Promise.allSettled([...this.#subscriptions.values()].map(({ ended }) => ended));
	}

	async #sessionsToRead(): Promise<readonly KnownSession[]> {
		const { store, gateway, clock, chance, log, signal } = this.#parts;
		for (let failures = 1; ; failures++) {
			try {
				const { sessions } = await gateway.request("list_sessions", { limit: maxListed });
				const { tasks } = await gateway.request("query_tasks", { status: [...activeTasks], limit: 1000 });
				const busy = new Set(tasks.map(({ session_id }) => session_id));
				const traces = await store.read(readTraces);
				const listedHere = sessions.filter((session) => this.#learn(session));
				const alive = listedHere.filter((session) => this.#isAlive(session, busy, traces));
				const read = alive.flatMap(({ session_id }) => this.#known.withId(session_id) ?? []);
				return [...read, ...(await this.#unlisted(sessions, traces))];
			} catch (error) {
				signal.throwIfAborted();
				log.warn("the gateway did not list the sessions", { error });
			}
			const maxDelayMs = Math.min(firstWaitMs * 2 ** (failures - 1), maxWaitMs);
			await delay(clock, maxDelayMs * (0.5 + chance() / 2), signal);
		}
	}

	/** Adds a listed session to the known sessions. Returns false for a session of another platform. */
	#learn({ session_id: id, external_key: text = "", updated_at }: Listed): boolean {
		const key = readSessionKey(text);
		if (key?.platform !== this.#parts.platform.name) return false;
		this.#known.set(text, { id, key, usedAt: Date.parse(updated_at) });
		return true;
	}

	#isAlive(
		{ session_id: id, state, updated_at, last_seq }: Listed,
		busy: ReadonlySet<string>,
		traces: Traces,
	): boolean {
		const isRecent = this.#parts.clock.now() - Date.parse(updated_at) < recentMs;
		return state !== "idle" || isRecent || busy.has(id) || last_seq > (traces.get(id)?.seq ?? 0);
	}

	/**
	 * Returns the unlisted sessions with open answers, questions or tasks, and stores them in memory. Returns none if
	 * the gateway seems to have lost all posted sessions.
	 */
	async #unlisted(sessions: readonly Listed[], traces: Traces): Promise<readonly KnownSession[]> {
		const listed = new Set(sessions.map(({ session_id }) => session_id));
		const { expecting, isAll } = await readUnlisted(this.#parts, listed, traces);
		for (const session of expecting) {
			const externalKey = writeSessionKey(session.key);
			if (this.#known.get(externalKey) === undefined) this.#known.set(externalKey, session);
		}
		if (!isAll || sessions.length >= maxListed) return expecting;
		this.#parts.log.warn(
			"the gateway does not list any of the posted conversations: they were deleted, or the token or data directory has changed; the connector does not delete their posts",
		);
		return [];
	}

	async #resumeSubscriptions(sessions: readonly KnownSession[]): Promise<void> {
		const { log, signal } = this.#parts;
		const queue = [...sessions];
		const work = async (): Promise<void> => {
			for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift()) {
				const { id: session } = next;
				// The session was deleted if a newer session now has its key.
				const isKnown = this.#known.withId(session) !== undefined;
				await (isKnown ? this.follow(session) : this.#renderDeletion(next)).catch((error: unknown) => {
					if (signal.aborted || ParleyError.from(error).code === "not_found") return;
					log.error("a session cannot be read", { session, error });
				});
			}
		};
		await Promise.all(Array.from({ length: parallel }, work));
	}

	#once(
		externalKey: string,
		open: (externalKey: string) => Promise<SessionSubscription>,
	): Promise<SessionSubscription> | SessionSubscription {
		const known = this.#known.get(externalKey);
		const subscription = known && this.#subscriptions.get(known.id);
		if (subscription) return subscription;
		const pending = this.#opening.get(externalKey);
		if (pending) return pending;
		const opening = open(externalKey).finally(() => this.#opening.delete(externalKey));
		this.#opening.set(externalKey, opening);
		return opening;
	}

	async #resume(known: KnownSession): Promise<SessionSubscription> {
		const { id, key } = known;
		const { store, gateway } = this.#parts;
		const cursor = await store.read((db) => readSessionCursor(db, id));
		const after = cursor && canResume(cursor) ? cursor.seq : 0;
		const opened = await gateway.open({ session_id: id, after_seq: after }).catch(async (reason: unknown) => {
			if (ParleyError.from(reason).code === "not_found") await this.#renderDeletion(known);
			throw reason;
		});
		return this.#register(opened, {
			key,
			after,
			cursor: cursor ?? (await beginSessionCursor(store, opened)),
		});
	}

	/**
	 * Renders the deletion of a session that the connector did not read. If the session has no open work, only its
	 * cursor is deleted.
	 */
	async #renderDeletion({ id, key }: KnownSession): Promise<void> {
		const { store, log } = this.#parts;
		if (this.#known.withId(id) !== undefined) this.#known.delete(writeSessionKey(key));
		const cursor = await store.read((db) => readSessionCursor(db, id));
		if (cursor === undefined) return;
		log.info("a session was deleted while it was not read", { session: id });
		if (canResume(cursor) && isExpecting(cursor.state)) {
			const { seq: after } = cursor;
			const subscription = new SessionSubscription(this.#parts, {
				opened: deletedSession(id, after),
				key,
				cursor,
				after,
			});
			await subscription.ended;
		} else await this.#forgetSessionCursor(id);
	}

	async #create(key: SessionKey, { key: once, title, onBehalf }: Opening): Promise<SessionSubscription> {
		const { store, gateway } = this.#parts;
		const opened = await gateway.open({
			external_key: writeSessionKey(key),
			after_seq: 0,
			key: once,
			...onBehalf,
			...defined({ title }),
		});
		const cursor = await store.read((db) => readSessionCursor(db, opened.id));
		return this.#register(opened, {
			key,
			after: 0,
			cursor: cursor ?? (await beginSessionCursor(store, opened)),
		});
	}

	#register(
		opened: OpenSession,
		{ key, ...from }: { readonly key: SessionKey; readonly cursor: SessionCursor; readonly after: number },
	): SessionSubscription {
		const { clock, signal } = this.#parts;
		const externalKey = writeSessionKey(key);
		const subscription = new SessionSubscription(this.#parts, { opened, key, ...from });
		if (signal.aborted) subscription.close();
		this.#subscriptions.set(subscription.session, subscription);
		this.#known.set(externalKey, { id: subscription.session, key, usedAt: clock.now() });
		void subscription.ended.then(
			(end) => this.#ended(subscription, end),
			(error: unknown) => this.#ended(subscription, ParleyError.from(error)),
		);
		return subscription;
	}

	async #ended(subscription: SessionSubscription, end: "deleted" | "closed" | ParleyError): Promise<void> {
		const { log, signal } = this.#parts;
		const { session } = subscription;
		if (this.#subscriptions.get(session) === subscription) this.#subscriptions.delete(session);
		if (signal.aborted || end === "closed") return;
		if (end === "deleted") log.info("a session was deleted and is no longer read", { session });
		else log.error("a session can no longer be read", { session, error: end });
		if (end !== "deleted" && end.code !== "data_loss") return;
		const known = this.#known.withId(session);
		if (known !== undefined) this.#known.delete(writeSessionKey(known.key));
		if (end !== "deleted") await this.#forgetSessionCursor(session);
	}

	async #forgetSessionCursor(session: string): Promise<void> {
		const { store, log } = this.#parts;
		await store
			.commit((tx) => forgetSessionCursor(tx, session))
			.catch((error: unknown) =>
				log.warn("the state of a deleted session could not be removed", { session, error }),
			);
	}
}

/** Time in milliseconds for which cards are stored and can be edited. */
const changeableMs = 90 * 24 * 3_600_000;

interface Unlisted {
	/** Sessions with open answers, questions or tasks. */
	readonly expecting: readonly KnownSession[];
	/** Whether none of the rendered sessions is listed. */
	readonly isAll: boolean;
}

/**
 * Finds the posted sessions that the gateway does not list. Possible reasons: the list was too long, the session was
 * deleted while the connector was stopped, or the gateway has another data directory.
 */
async function readUnlisted(
	parts: {
		readonly store: Store<ConnectorTables>;
		readonly clock: Clock;
		readonly platform: { readonly name: string };
	},
	listed: ReadonlySet<string>,
	traces: Traces,
): Promise<Unlisted> {
	const { store, clock, platform } = parts;
	const platformTraces = [...traces].flatMap(([id, { externalKey = "", changedAt }]) => {
		const key = readSessionKey(externalKey);
		return key?.platform === platform.name ? [{ id, key, usedAt: changedAt }] : [];
	});
	const unlisted = platformTraces.filter(({ id }) => !listed.has(id));
	const expecting: KnownSession[] = [];
	for (const session of unlisted) {
		if (clock.now() - session.usedAt > changeableMs) continue;
		const cursor = await store.read((db) => readSessionCursor(db, session.id));
		if (cursor?.state && isExpecting(cursor.state)) expecting.push(session);
	}
	return { expecting, isAll: platformTraces.length > 0 && unlisted.length === platformTraces.length };
}
