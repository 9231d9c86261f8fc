import { ParleyError, type Timer } from "@parley/base";
import type { Journal, Tx } from "../../store/journal.ts";
import { type AuditEntry, byItself, requestedBy } from "../../trust/audit/audit.ts";
import { channelOfSession } from "../../trust/grants/grant-places.ts";
import type { RequestedGrant } from "../../trust/grants/grant-request.ts";
import {
	endGrantRow,
	endReason,
	type GrantRow,
	grantFacts,
	insertGrant,
	type Moment,
	markAlive,
	notifiedSessions,
	openGrantOf,
	openGrants,
} from "../../trust/grants/grant-rows.ts";
import { isConfined } from "../../trust/grants/grant-sandbox.ts";
import type { Policies } from "../../trust/policies.ts";
import type { TrustOptions } from "../../trust/shared/trust-options.ts";
import type { GrantFacts, RecordedEvent } from "../../vocabulary/event.ts";
import type { Principal } from "../../vocabulary/principal.ts";
import { commitTogether, type RecordIn } from "../commit.ts";
import type { Session } from "../session.ts";
import type { Lease, Sessions } from "../sessions.ts";
import { openGrantTexts } from "./texts.ts";

export interface GrantDeps extends TrustOptions {
	readonly journal: Journal;
	readonly sessions: () => Sessions;
	readonly policies: Pick<Policies, "version" | "onChange">;
}

/** Maximum milliseconds between updates of the stored time at which the gateway was last running. */
const heartbeatMs = 10 * 60 * 1000;
/**
 * Maximum downtime in milliseconds that grants survive. After a longer downtime, all grants end, because people may no
 * longer remember the grants.
 */
const longestStopMs = 60 * 60 * 1000;

/**
 * Sessions of a channel that receive the events of the channel's grant. `recordIn` records events in the transaction
 * that changes the grant.
 */
export interface GrantRecipients {
	readonly sessions: readonly Session[];
	readonly recordIn: RecordIn<Session>;
}

type Asker = Pick<AuditEntry, "principal" | "via">;

/** Manages the open grants of all channels: starts and ends grants, and emits their events. */
export class OpenGrants {
	readonly #deps: GrantDeps;
	readonly #open = new Map<string, GrantFacts>();
	#timer: Timer | undefined;
	#working: Promise<void> = Promise.resolve();
	#stopped = false;

	constructor(deps: GrantDeps) {
		this.#deps = deps;
	}

	async moment(): Promise<Moment> {
		const { clock, policies, sandbox } = this.#deps;
		const confined = await isConfined(sandbox);
		return { now: clock.now(), policy: policies.version, confined };
	}

	/** Whether the channel may have an active grant. Avoids a query for most calls. */
	mayCount(place: string | undefined): place is string {
		return place !== undefined && this.#open.has(place);
	}

	/**
	 * Loads the open grants. Ends grants that no longer apply. After a downtime longer than `longestStopMs`, ends all
	 * grants.
	 */
	async load(): Promise<void> {
		const { store, clock } = this.#deps;
		for (const row of await store.read(openGrants)) {
			this.#open.set(row.place, grantFacts(row));
			if (clock.now() - Number(row.alive_at) > longestStopMs) {
				await this.end(row, openGrantTexts.stoppedTooLong, byItself);
			}
		}
		await this.review();
		this.#deps.policies.onChange(() => this.#queueCheck());
	}

	/** Ends the grants that no longer apply, each with its reason, and sets the timer of the next check. */
	async review(): Promise<void> {
		const { store } = this.#deps;
		for (const row of await store.read(openGrants)) {
			const reason = endReason(row, await this.moment());
			if (reason !== undefined) await this.end(row, reason, byItself);
		}
		this.#arm();
	}

	/** Stops the automatic checks of the grants. Resolves when the running checks are done. */
	async stop(): Promise<void> {
		this.#stopped = true;
		this.#timer?.cancel();
		await this.#working;
	}

	/**
	 * Runs `work` in a transaction. The following sessions receive the events of the transaction:
	 * - the channel's sessions with a lease, a client or an active run
	 * - the sessions that were notified of the open grant
	 * - `also`
	 *
	 * If there is no such session, the channel's most recently updated session receives the events.
	 */
	async inPlace<T>(
		place: string,
		also: readonly string[],
		work: (tx: Tx, recipients: GrantRecipients) => Promise<T>,
	): Promise<T> {
		const leases = await this.#leasesOf(place, also);
		try {
			const sessions = leases.map(({ session }) => session);
			return await commitTogether(this.#deps.journal, sessions, (tx, recordIn) =>
				work(tx, { sessions, recordIn }),
			);
		} finally {
			for (const lease of leases) lease[Symbol.dispose]();
		}
	}

	/**
	 * Ends the open grant of the channel, if any, stores the new grant, and records the events of both changes. Returns
	 * the new grant.
	 */
	async begin(
		tx: Tx,
		recipients: GrantRecipients,
		requested: RequestedGrant,
		by: Principal,
	): Promise<GrantFacts> {
		const { clock, ids, audit } = this.#deps;
		const asker = requestedBy(by);
		const before = await openGrantOf(tx, requested.place);
		if (before) await this.endIn(tx, recipients, { row: before, reason: openGrantTexts.replaced, asker });
		const { lifeMs, ...terms } = requested;
		const createdAt = clock.now();
		const grant: GrantFacts = {
			...terms,
			id: ids.create("grant"),
			usedActions: 0,
			grantedBy: asker.principal,
			createdAt,
			expiresAt: createdAt + lifeMs,
		};
		const notified = recipients.sessions.map(({ id }) => id);
		await insertGrant(tx, grant, { policy: this.#deps.policies.version, notified });
		const facts = { action: "grant.create", object: grant.place, decision: "allowed", grantId: grant.id };
		await audit.record(tx, { ...asker, ...facts, args: { ...terms, lifeMs } });
		await recordIn(recipients, { type: "grant.created", grant });
		return grant;
	}

	/** Starts the automatic checks of a grant. The caller must have stored the grant. */
	watch(grant: GrantFacts): void {
		const { place, id, grantedBy, expiresAt } = grant;
		this.#open.set(place, grant);
		this.#deps.log.info(openGrantTexts.trusted, { place, grant: id, grantedBy, expiresAt });
		this.#arm();
	}

	/** Ends a grant. An ended grant stays unchanged. */
	async end(row: GrantRow, reason: string, asker: Asker): Promise<void> {
		await this.inPlace(row.place, notifiedSessions(row), (tx, recipients) =>
			this.endIn(tx, recipients, { row, reason, asker }),
		);
		this.unwatch(row, reason);
	}

	/** Ends the grant of the channel, if any. */
	async endOf(place: string | undefined, reason: string, asker: Asker): Promise<void> {
		if (!this.mayCount(place)) return;
		const row = await this.#deps.store.read((db) => openGrantOf(db, place));
		if (row) await this.end(row, reason, asker);
	}

	/**
	 * Ends the grants of channels that use a spent budget, after the running checks. The spent budget is the budget of
	 * the session `sessionId`, or the gateway's budget if `sessionId` is undefined.
	 */
	spent(sessionId: string | undefined): void {
		if (this.#stopped || this.#open.size === 0) return;
		this.#working = this.#working.then(() => this.#endSpent(sessionId));
	}

	/** Stops the automatic checks of a grant. The caller must have stored the end of the grant. */
	unwatch({ place, id }: GrantRow, reason: string): void {
		if (this.#open.get(place)?.id !== id) return;
		this.#open.delete(place);
		this.#deps.log.info(openGrantTexts.noLongerTrusted, { place, grant: id, reason });
	}

	/**
	 * Ends a grant in a transaction and records the event. Does nothing if the grant has ended. The caller must call
	 * `unwatch` after the commit.
	 */
	async endIn(
		tx: Tx,
		recipients: GrantRecipients,
		{ row, reason, asker }: { readonly row: GrantRow; readonly reason: string; readonly asker: Asker },
	): Promise<void> {
		const { clock, audit } = this.#deps;
		if (!(await endGrantRow(tx, row.id, reason, clock.now()))) return;
		const { usedActions } = grantFacts(row);
		const facts = { action: "grant.end", object: row.place, decision: "ended", grantId: row.id };
		await audit.record(tx, { ...asker, ...facts, args: { reason, usedActions } });
		await recordIn(recipients, { type: "grant.ended", grantId: row.id, reason });
	}

	async #leasesOf(place: string, also: readonly string[]): Promise<Lease[]> {
		const { store, sessions: all } = this.#deps;
		const sessions = all();
		const row = await store.read((db) => openGrantOf(db, place));
		const ids = new Set([...(row ? notifiedSessions(row) : []), ...also]);
		for await (const session of sessions.loaded()) if (session.place === place) ids.add(session.id);
		if (ids.size === 0) for (const id of await this.#newestIn(place)) ids.add(id);
		const leases: Lease[] = [];
		for (const id of ids) {
			// Skips a session that was deleted in the meantime.
			const lease = await sessions.leaseOwn(id).catch(unlessUnknown);
			if (lease) leases.push(lease);
		}
		return leases;
	}

	async #newestIn(place: string): Promise<readonly string[]> {
		const rows = await this.#deps.store.read((db) =>
			db
				.selectFrom("sessions")
				.select("id")
				.where("place", "=", place)
				.orderBy("updated_at", "desc")
				.limit(1)
				.execute(),
		);
		return rows.map(({ id }) => id);
	}

	/** Schedules the next check, which ends expired grants and records that the gateway is running. */
	#arm(): void {
		this.#timer?.cancel();
		this.#timer = undefined;
		if (this.#stopped || this.#open.size === 0) return;
		const now = this.#deps.clock.now();
		const ends = [...this.#open.values()].map(({ expiresAt }) => expiresAt - now);
		const next = Math.max(0, Math.min(...ends));
		this.#timer = this.#deps.clock.after(Math.min(next, heartbeatMs), () => this.#queueCheck());
	}

	#queueCheck(): void {
		if (!this.#stopped && this.#open.size > 0) this.#working = this.#working.then(() => this.#check());
	}

	async #endSpent(sessionId: string | undefined): Promise<void> {
		const { store, log } = this.#deps;
		try {
			const places =
				sessionId === undefined
					? [...this.#open.keys()]
					: [await store.read((db) => channelOfSession(db, sessionId))];
			const scopeName = sessionId === undefined ? openGrantTexts.gateway : openGrantTexts.conversation;
			for (const place of places) await this.endOf(place, openGrantTexts.budgetSpent(scopeName), byItself);
		} catch (error) {
			log.error(openGrantTexts.notEnded, { error });
		}
	}

	async #check(): Promise<void> {
		const { store, clock, log } = this.#deps;
		try {
			await store.commit((tx) => markAlive(tx, clock.now()));
			await this.review();
		} catch (error) {
			log.error(openGrantTexts.notChecked, { error });
			this.#arm();
		}
	}
}

function unlessUnknown(reason: unknown): undefined {
	if (ParleyError.from(reason).code !== "not_found") throw reason;
}

async function recordIn({ sessions, recordIn }: GrantRecipients, event: RecordedEvent): Promise<void> {
	for (const session of sessions) await recordIn(session, event);
}
