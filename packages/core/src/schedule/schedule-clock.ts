import type { Timer } from "@parley/base";
import { fromRow, type Tx } from "../journal/journal.ts";
import type { RunOptions } from "../run/options.ts";
import { nextDue } from "./due.ts";
import { type FiringParts, fireSchedule } from "./fire.ts";
import { type Schedule, scheduleLimits } from "./schedule.ts";
import { changeSchedule, eventSchedules, waitingSchedules } from "./schedule-rows.ts";

/** Longest time without a look at the clock: a machine that sleeps stops its timers, and its clock may be set. */
const lookAgainMs = 60_000;
/** A clock that went back by more than this was set. */
const setBackMs = 1_000;
/** Schedules that are read together. */
const together = 100;
/** Events of a session that are looked at together. */
const mostEvents = 500;

/** Fires schedules when they are due. One timer serves all of them. */
export class ScheduleClock {
	readonly #parts: FiringParts;
	#timer: Timer | undefined;
	/** When the timer looks, in milliseconds since the epoch. */
	#lookAt = Number.POSITIVE_INFINITY;
	#looking: Promise<void> = Promise.resolve();
	#state: "new" | "started" | "stopped" = "new";
	/** Schedules that wait for the end of a run or after a failure: their session, and until when on the monotonic clock. */
	readonly #held = new Map<string, { readonly sessionId: string; readonly until: number }>();
	/** The firing that is being written, and whether a run of its session ended meanwhile. */
	#firing: { readonly sessionId: string; runEnded: boolean } | undefined;
	/** Sessions with schedules on an event, and sessions with an event that was not looked at. */
	readonly #listening = new Set<string>();
	readonly #heard = new Set<string>();
	/** The wall clock minus the monotonic clock, at the last look. */
	#offset = Number.NEGATIVE_INFINITY;

	constructor(parts: FiringParts) {
		this.#parts = parts;
		parts.deps.observers.addRecorded(({ event, sessionId }) => {
			if (event.type === "schedule.created") {
				if (event.trigger.kind === "event") this.#listening.add(sessionId);
				this.#wait(event.nextDue ?? Number.POSITIVE_INFINITY);
			} else if (event.type === "session.created" && this.#listening.size > 0) {
				// It may have the external key of a deleted session, and so the schedules of that.
				this.#listening.add(sessionId);
			} else if (event.type === "assistant.message" && this.#release(sessionId)) this.#soon();
			if (!this.#listening.has(sessionId)) return;
			this.#heard.add(sessionId);
			this.#soon();
		});
	}

	/** Fires what was missed while the gateway was stopped, once each, and continues from there. */
	start(): void {
		if (this.#state !== "new") return;
		this.#state = "started";
		this.#look(true);
	}

	/** Resolves when no firing is being written any more. */
	async stop(): Promise<void> {
		this.#state = "stopped";
		this.#timer?.cancel();
		await this.#looking;
	}

	#soon(): void {
		this.#wait(Number.NEGATIVE_INFINITY);
	}

	#wait(due: number): void {
		if (this.#state !== "started") return;
		const { clock } = this.#parts.deps;
		const now = clock.now();
		const lookAt = Math.min(Math.max(due, now), now + lookAgainMs);
		if (this.#timer && this.#lookAt <= lookAt) return;
		this.#timer?.cancel();
		this.#lookAt = lookAt;
		this.#timer = clock.after(lookAt - now, () => this.#look(false));
	}

	#look(isFirst: boolean): void {
		this.#timer?.cancel();
		this.#timer = undefined;
		this.#lookAt = Number.POSITIVE_INFINITY;
		this.#looking = this.#looking.then(() => this.#work(isFirst));
	}

	async #work(isFirst: boolean): Promise<void> {
		try {
			if (isFirst) await this.#listen();
			if (this.#wasSetBack() || isFirst) await this.#reckonAnew();
			await this.#takeEvents();
			await this.#fireAll();
		} catch (error) {
			this.#parts.deps.log.error("schedules could not be looked through", { error });
			this.#wait(Number.POSITIVE_INFINITY);
		}
	}

	async #fireAll(): Promise<void> {
		const { clock, journal } = this.#parts.deps;
		while (this.#state === "started") {
			const except = this.#heldNow();
			const next = await journal.store.read((db) => waitingSchedules(db, { except, limit: together }));
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

	/** Fires one. If that fails, the others do not wait for it. */
	async #fire(schedule: Schedule): Promise<void> {
		const { deps } = this.#parts;
		const { id, sessionId } = schedule;
		const firing = { sessionId, runEnded: false };
		this.#firing = firing;
		try {
			if ((await fireSchedule(this.#parts, schedule)) !== "busy" || firing.runEnded) return;
		} catch (error) {
			deps.log.error("a schedule could not fire and is tried again", { scheduleId: id, sessionId, error });
		}
		this.#held.set(id, { sessionId, until: deps.clock.monotonic() + lookAgainMs });
	}

	#heldNow(): string[] {
		const now = this.#parts.deps.clock.monotonic();
		for (const [id, { until }] of this.#held) if (until <= now) this.#held.delete(id);
		return [...this.#held.keys()];
	}

	/** A run has ended. Returns whether a schedule waited for that. */
	#release(sessionId: string): boolean {
		if (this.#firing?.sessionId === sessionId) this.#firing.runEnded = true;
		const waiting = [...this.#held].filter(([, held]) => held.sessionId === sessionId);
		for (const [id] of waiting) this.#held.delete(id);
		return waiting.length > 0;
	}

	#wasSetBack(): boolean {
		const { clock } = this.#parts.deps;
		const offset = clock.now() - clock.monotonic();
		const isBack = offset < this.#offset - setBackMs;
		this.#offset = offset;
		return isBack;
	}

	/**
	 * Computes the due times that are to come from the last firing and the clock as it is. A due time that has fired does
	 * not come back, and one that waited for a wrong clock does not wait on.
	 */
	async #reckonAnew(): Promise<void> {
		const { clock, journal } = this.#parts.deps;
		await journal.store.commit(async (tx) => {
			const now = clock.now();
			for (const schedule of await waitingSchedules(tx, { except: [] })) {
				const due = dueFrom(schedule, now);
				if (due !== schedule.nextDue) await changeSchedule(tx, schedule.id, { nextDue: due ?? null });
			}
		});
	}

	async #listen(): Promise<void> {
		const all = await this.#parts.deps.journal.store.read((db) => eventSchedules(db));
		for (const { sessionId } of all) {
			this.#listening.add(sessionId);
			this.#heard.add(sessionId);
		}
	}

	/** Makes schedules due whose event has come, at most one firing a minute each. */
	async #takeEvents(): Promise<void> {
		const { clock, journal } = this.#parts.deps;
		const heard = [...this.#heard];
		this.#heard.clear();
		for (const sessionId of heard) {
			await journal.store.commit(async (tx) => {
				const schedules = await eventSchedules(tx, sessionId);
				if (schedules.length === 0) this.#listening.delete(sessionId);
				for (const schedule of schedules) await takeEvent(tx, schedule, clock.now());
			});
		}
	}
}

function dueFrom(schedule: Schedule, now: number): number | undefined {
	const { trigger, nextDue: due = now, createdAt, lastDue = createdAt } = schedule;
	if (trigger.kind === "once" || due <= now) return due;
	// The end of a pause between two events.
	if (trigger.kind === "event") return Math.min(due, now + scheduleLimits.shortestMs);
	return nextDue(trigger, Math.max(now, lastDue), createdAt);
}

/** Looks at the events of the session since the last look. Those of runs that a schedule started do not count. */
async function takeEvent(tx: Tx, schedule: Schedule, now: number): Promise<void> {
	const { id, trigger, sessionId, seenSeq, lastFiredAt = Number.NEGATIVE_INFINITY } = schedule;
	if (trigger.kind !== "event") return;
	const events = await tx
		.selectFrom("events")
		.select(["seq", "data"])
		.where("session_id", "=", sessionId)
		.where("seq", ">", seenSeq)
		.where("type", "=", trigger.event)
		.orderBy("seq")
		.limit(mostEvents)
		.execute();
	const last = events.at(-1);
	if (!last) return;
	let counts = false;
	for (const { data } of events) counts ||= !(await isOfSchedule(tx, data));
	const isNew = counts && schedule.nextDue === undefined;
	const due = Math.max(now, lastFiredAt + scheduleLimits.shortestMs);
	await changeSchedule(tx, id, { seenSeq: Number(last.seq), ...(isNew && { nextDue: due }) });
}

async function isOfSchedule(tx: Tx, data: string): Promise<boolean> {
	const { runId } = fromRow<{ readonly runId?: string }>(data);
	if (runId === undefined) return false;
	const run = await tx.selectFrom("runs").select("options").where("id", "=", runId).executeTakeFirst();
	const options = run?.options ?? null;
	return options !== null && fromRow<RunOptions>(options).origin !== undefined;
}
