import { defined, type Timer } from "@parley/base";
import type { Observers } from "../../conversation/observers.ts";
import { fromRow, type Tx } from "../../store/journal.ts";
import { changeSchedule, eventSchedules, waitingSchedules } from "../../store/schedule-rows.ts";
import { nextDue } from "../../text/schedule-times.ts";
import type { PersonChecks, PersonReport } from "../../trust/people/person-checks.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import type { RunOptions } from "../../vocabulary/run-options.ts";
import { type Schedule, scheduleLimits } from "../../vocabulary/schedule.ts";
import { type FiringParts, fireSchedule, needsReport } from "./fire.ts";
import { firingTexts } from "./texts.ts";

/**
 * Milliseconds between readings of the clock while a schedule waits, and before a retry. A machine that
 * sleeps stops its timers, and its clock may change.
 */
const checkMs = 60_000;
/** Maximum milliseconds by which the clock may go back without being treated as changed. */
const setBackMs = 1_000;
/**
 * Maximum milliseconds by which a last due time may be in the future. A later time may come from a wrong
 * clock: see `dueFrom`.
 */
const wrongClockMs = 24 * 3_600_000;
const batchSize = 100;
/** Lifetime of a report about an owner, in milliseconds. */
const reportLifeMs = 5_000;
const eventBatchSize = 500;

interface PausedSchedule {
	readonly sessionId: string;
	/** Time on the monotonic clock, in milliseconds. */
	readonly until: number;
	/** Connector that did not confirm the owner's permissions. */
	readonly connector?: string;
}

/** `report` is undefined if the connector did not answer. */
interface Reported {
	readonly report: PersonReport | undefined;
	/** Time on the monotonic clock, in milliseconds, after which the report is requested again. */
	readonly until: number;
}

interface ClockParts extends FiringParts {
	readonly observers: Observers;
	/** Checks of the current permissions of schedule owners who are chat users. */
	readonly checks: PersonChecks;
}

/** Fires schedules when they are due. */
export class ScheduleClock {
	readonly #parts: ClockParts;
	#timer: Timer | undefined;
	/** Time of the next check, in milliseconds since the epoch. */
	#checkAt = Number.POSITIVE_INFINITY;
	#working: Promise<void> = Promise.resolve();
	#state: "new" | "started" | "stopped" = "new";
	/** Schedules that wait for the end of a run, for a connector, or for a retry after a failure. */
	readonly #paused = new Map<string, PausedSchedule>();
	/** Pending or usable reports about owners, by schedule id. */
	readonly #reports = new Map<string, "pending" | Reported>();
	/** The newest firing, and whether a run of the same session has ended since the firing began. */
	#firing: { readonly sessionId: string; runEnded: boolean } | undefined;
	/** Sessions that may have schedules with an event trigger, and sessions with unprocessed events. */
	readonly #listening = new Set<string>();
	readonly #withEvents = new Set<string>();
	/** Wall clock minus monotonic clock, in milliseconds. Decreases if the wall clock is set back. */
	#offset = Number.NEGATIVE_INFINITY;

	constructor(parts: ClockParts) {
		this.#parts = parts;
		parts.checks.onConnected((connector) => this.#retry((paused) => paused.connector === connector));
		parts.observers.addRecorded(({ event, sessionId }) => {
			if (event.type === "schedule.created") {
				// The offset is updated at once, because the clock may be set back before the next check.
				this.#offset = Math.max(this.#offset, this.#offsetNow());
				if (event.trigger.kind === "event") this.#listening.add(sessionId);
				this.#wait(event.nextDue ?? Number.POSITIVE_INFINITY);
			} else if (event.type === "session.created" && this.#listening.size > 0) {
				// The session may have the external key of a deleted session. The new session then receives the schedules of the
				// deleted session.
				this.#listening.add(sessionId);
			} else if (event.type === "assistant.message") this.#release(sessionId);
			if (!this.#listening.has(sessionId)) return;
			this.#withEvents.add(sessionId);
			this.#soon();
		});
	}

	/** Starts the clock. Fires each schedule that became due while the gateway was stopped, but only once. */
	start(): void {
		if (this.#state !== "new") return;
		this.#state = "started";
		this.#queueWork(true);
	}

	/** Stops the timer. Resolves when all writes are done. */
	async stop(): Promise<void> {
		this.#state = "stopped";
		this.#timer?.cancel();
		await this.#working;
	}

	#soon(): void {
		this.#wait(Number.NEGATIVE_INFINITY);
	}

	#wait(due: number): void {
		if (this.#state !== "started") return;
		const { clock } = this.#parts;
		const now = clock.now();
		const checkAt = Math.min(Math.max(due, now), now + checkMs);
		if (this.#timer && this.#checkAt <= checkAt) return;
		this.#timer?.cancel();
		this.#checkAt = checkAt;
		this.#timer = clock.after(checkAt - now, () => this.#queueWork(false));
	}

	#queueWork(isFirst: boolean): void {
		this.#timer?.cancel();
		this.#timer = undefined;
		this.#checkAt = Number.POSITIVE_INFINITY;
		this.#working = this.#working.then(() => this.#work(isFirst));
	}

	async #work(isFirst: boolean): Promise<void> {
		try {
			if (isFirst) await this.#listen();
			if (this.#wasSetBack() || isFirst) await this.#recalculate();
			await this.#processEvents();
			await this.#fireAll();
		} catch (error) {
			this.#parts.log.error(firingTexts.notChecked, { error });
			this.#wait(Number.POSITIVE_INFINITY);
		}
	}

	async #fireAll(): Promise<void> {
		const { clock, journal } = this.#parts;
		while (this.#state === "started") {
			const except = this.#blockedNow();
			const next = await journal.store.read((db) => waitingSchedules(db, { except, limit: batchSize }));
			const now = clock.now();
			const due = next.filter(({ nextDue: at = Number.POSITIVE_INFINITY }) => at <= now);
			if (due.length === 0) {
				const [first] = next;
				if (first?.nextDue !== undefined || except.length > 0) {
					this.#wait(first?.nextDue ?? Number.POSITIVE_INFINITY);
				}
				return;
			}
			for (const schedule of due) if (this.#state === "started") await this.#fire(schedule);
		}
	}

	/**
	 * Fires the schedule, or first requests a report about its owner. Never rejects, so that other schedules
	 * are not delayed.
	 */
	async #fire(schedule: Schedule): Promise<void> {
		const { clock, log } = this.#parts;
		const { id, sessionId, principal } = schedule;
		const reported = this.#reports.get(id);
		if (reported === undefined && needsReport(schedule)) return this.#ask(schedule);
		if (reported === "pending") return;
		this.#reports.delete(id);
		const firing = { sessionId, runEnded: false };
		this.#firing = firing;
		const paused = { sessionId, until: clock.monotonic() + checkMs };
		try {
			const fired = await fireSchedule(this.#parts, schedule, reported?.report);
			if (fired === "unconfirmed") this.#paused.set(id, { ...paused, connector: principal.id });
			else if (fired === "busy" && !firing.runEnded) this.#paused.set(id, paused);
		} catch (error) {
			log.error(firingTexts.retried, { scheduleId: id, sessionId, error });
			this.#paused.set(id, paused);
		}
	}

	/**
	 * Requests a report about the schedule's owner. Does not wait for the report, so that other schedules are
	 * not delayed.
	 */
	#ask({ id, sessionId, principal, person }: Schedule): void {
		const { checks, clock, log } = this.#parts;
		if (!person) return;
		this.#reports.set(id, "pending");
		const answer = checks.ask(person, { connector: principal.id, sessionId }).catch((error: unknown) => {
			log.error(firingTexts.rightsUnconfirmed, { scheduleId: id, error });
			return undefined;
		});
		void answer.then((report) => {
			this.#reports.set(id, { report, until: clock.monotonic() + reportLifeMs });
			if (this.#state === "started") this.#queueWork(false);
		});
	}

	#blockedNow(): string[] {
		const now = this.#parts.clock.monotonic();
		for (const [id, { until }] of this.#paused) if (until <= now) this.#paused.delete(id);
		const unanswered: string[] = [];
		for (const [id, reported] of this.#reports) {
			if (reported === "pending") unanswered.push(id);
			else if (reported.until <= now) this.#reports.delete(id);
		}
		return [...this.#paused.keys(), ...unanswered];
	}

	#release(sessionId: string): void {
		if (this.#firing?.sessionId === sessionId) this.#firing.runEnded = true;
		this.#retry((paused) => paused.sessionId === sessionId);
	}

	#retry(matches: (paused: PausedSchedule) => boolean): void {
		const waiting = [...this.#paused].filter(([, paused]) => matches(paused));
		for (const [id] of waiting) this.#paused.delete(id);
		if (waiting.length > 0) this.#soon();
	}

	#wasSetBack(): boolean {
		const offset = this.#offsetNow();
		const isBack = offset < this.#offset - setBackMs;
		this.#offset = offset;
		return isBack;
	}

	#offsetNow(): number {
		const { clock } = this.#parts;
		return clock.now() - clock.monotonic();
	}

	async #recalculate(): Promise<void> {
		const { clock, journal } = this.#parts;
		await journal.store.commit(async (tx) => {
			const now = clock.now();
			for (const schedule of await waitingSchedules(tx, { except: [] })) {
				// The clock may have been wrong when the stored due time was computed.
				const due = dueFrom(schedule, now);
				if (due !== schedule.nextDue) await changeSchedule(tx, schedule.id, { nextDue: due ?? null });
			}
		});
	}

	async #listen(): Promise<void> {
		const all = await this.#parts.journal.store.read((db) => eventSchedules(db));
		for (const { sessionId } of all) {
			this.#listening.add(sessionId);
			this.#withEvents.add(sessionId);
		}
	}

	/** Makes schedules with an event trigger due after such an event, at most once a minute for each schedule. */
	async #processEvents(): Promise<void> {
		const { clock, journal } = this.#parts;
		while (this.#state === "started") {
			const [sessionId] = this.#withEvents;
			if (sessionId === undefined) return;
			// The session is removed before the transaction, so that an event that arrives during the transaction adds it
			// again.
			this.#withEvents.delete(sessionId);
			let isMore = true;
			try {
				isMore = await journal.store.commit(async (tx) => {
					const schedules = await eventSchedules(tx, sessionId);
					if (schedules.length === 0) this.#listening.delete(sessionId);
					const left: boolean[] = [];
					for (const schedule of schedules) left.push(await processEvent(tx, schedule, clock.now()));
					return left.includes(true);
				});
			} finally {
				// If the transaction failed, or if events of a long series remain, the session is processed again later.
				if (isMore) this.#withEvents.add(sessionId);
			}
		}
	}
}

function dueFrom(schedule: Schedule, now: number): number | undefined {
	const { trigger, nextDue: due = now, createdAt, lastDue = createdAt } = schedule;
	if (trigger.kind === "once" || due <= now) return due;
	// A schedule with an event trigger is due within the minimum pause, even if the clock was set back.
	if (trigger.kind === "event") return Math.min(due, now + scheduleLimits.shortestMs);
	const next = nextDue(trigger, now, createdAt);
	// A last due time that is more than a day ahead and after the next due time comes from a wrong clock. It is
	// ignored.
	const counts = lastDue <= now + wrongClockMs || (next !== undefined && lastDue <= next);
	return counts ? nextDue(trigger, Math.max(now, lastDue), createdAt) : next;
}

/**
 * Returns the due time after an event: now, or a minute after the last firing or due time if that is later. The due time
 * is at most a minute ahead, even if the clock was set back.
 */
function dueOfEvent({ lastFiredAt, lastDue }: Schedule, now: number): number {
	const { shortestMs } = scheduleLimits;
	const last = Math.max(lastFiredAt ?? Number.NEGATIVE_INFINITY, lastDue ?? Number.NEGATIVE_INFINITY);
	return Math.min(Math.max(now, last + shortestMs), now + shortestMs);
}

/**
 * Makes the schedule due if there is a new event for its trigger. Skips events of runs that a schedule started. Returns
 * whether unprocessed events may remain.
 */
async function processEvent(tx: Tx, schedule: Schedule, now: number): Promise<boolean> {
	const { id, trigger, sessionId, seenSeq } = schedule;
	if (trigger.kind !== "event") return false;
	const events = await tx
		.selectFrom("events")
		.select(["seq", "data"])
		.where("session_id", "=", sessionId)
		.where("seq", ">", seenSeq)
		.where("type", "=", trigger.event satisfies RecordedEvent["type"])
		.orderBy("seq")
		.limit(eventBatchSize)
		.execute();
	const last = events.at(-1);
	if (!last) return false;
	let counts = false;
	for (const { data } of events) {
		counts = !(await isOfSchedule(tx, data));
		if (counts) break;
	}
	const isNew = counts && schedule.nextDue === undefined;
	await changeSchedule(tx, id, {
		seenSeq: Number(last.seq),
		...defined({ nextDue: isNew ? dueOfEvent(schedule, now) : undefined }),
	});
	return events.length === eventBatchSize;
}

async function isOfSchedule(tx: Tx, data: string): Promise<boolean> {
	const { runId } = fromRow<{ readonly runId?: string }>(data);
	if (runId === undefined) return false;
	const run = await tx.selectFrom("runs").select("options").where("id", "=", runId).executeTakeFirst();
	const options = run?.options ?? null;
	return options !== null && fromRow<RunOptions>(options).origin !== undefined;
}
