import { ParleyError } from "@parley/base";
import type { Runner } from "../../agent/runner.ts";
import type { RecordEvents } from "../../conversation/commit.ts";
import type { Session } from "../../conversation/session.ts";
import type { Lease, Sessions } from "../../conversation/sessions.ts";
import type { Keyed } from "../../store/idempotency.ts";
import type { Journal, Tx } from "../../store/journal.ts";
import {
	changeSchedule,
	deleteSchedule,
	findSchedule,
	type ScheduleChange,
} from "../../store/schedule-rows.ts";
import { nextDue } from "../../text/schedule-times.ts";
import { type Audit, requestedBy } from "../../trust/audit/audit.ts";
import type { People } from "../../trust/people/people.ts";
import type { PersonReport } from "../../trust/people/person-checks.ts";
import { authorize } from "../../vocabulary/authorize.ts";
import { actingId, type Principal } from "../../vocabulary/principal.ts";
import type { RunOptions } from "../../vocabulary/run-options.ts";
import { lateMs, type RunOrigin, type Schedule } from "../../vocabulary/schedule.ts";
import { type AcceptPorts, acceptMessage, type Queued } from "../messages/send.ts";
import type { NewSession } from "../sessions/open.ts";
import { firingTexts } from "./texts.ts";

export interface FiringParts extends AcceptPorts {
	readonly journal: Journal;
	readonly audit: Audit;
	readonly people: People;
	readonly sessions: Sessions;
	readonly runner: Runner;
	/** Finds or creates a session. */
	readonly open: (request: Keyed, requested: NewSession) => Promise<{ readonly id: string }>;
	/** Adds the skill of the prompt to the options of the run. Throws if the skill cannot start. */
	readonly withSkill: SkillStart;
}

/** Adds the skill that a message starts, if any, to the options of its run. */
export type SkillStart = (
	session: Session,
	principal: Principal,
	message: { readonly content: string },
	options: RunOptions,
) => Promise<RunOptions>;

/**
 * Result of an attempt to fire:
 * - `fired`: the prompt was sent.
 * - `busy`: a run of the session is active or queued. The schedule stays due.
 * - `unconfirmed`: the connector did not confirm the owner's permissions. The schedule stays due.
 * - `over`: the schedule does not fire for this due time.
 */
export type Fired = "fired" | "busy" | "over" | "unconfirmed";

interface Recording {
	readonly schedule: Schedule;
	readonly origin: RunOrigin;
	readonly runId: string;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

interface Firing {
	readonly schedule: Schedule;
	readonly due: number;
	/** Owner with their current role. */
	readonly principal: Principal;
	/** Reason why the owner may not fire the schedule in any session. Undefined if no such reason exists. */
	readonly lost: string | undefined;
}

/**
 * Sends the prompt of a due schedule. The message, its run, the event and the next due time are stored in one transaction.
 * The schedule therefore fires once for a due time, even if the process is killed. If the owner has no permission, no run
 * starts. `report` is the answer of the owner's connector, if `needsReport` is true.
 */
export async function fireSchedule(
	parts: FiringParts,
	schedule: Schedule,
	report?: PersonReport,
): Promise<Fired> {
	const { nextDue: due } = schedule;
	if (due === undefined) return "over";
	const principal = await ownerNow(parts.people, schedule, report);
	const lost = report?.present === false ? absence(principal, report) : refusalFor(principal);
	const isConfirmed = report !== undefined || !needsReport(schedule);
	if (lost === undefined && !isConfirmed) return postpone(parts, schedule);
	const firing = { schedule, due, principal, lost };
	using lease = await leaseTarget(parts, firing);
	if (lease === undefined) return "over";
	const { session } = lease;
	const refusal = lost ?? refusalFor(principal, session);
	if (refusal !== undefined) {
		await refuse(parts, session, firing, refusal);
		return "over";
	}
	return send(parts, session, firing);
}

/**
 * Whether the owner's role depends on platform roles. If so, the connector must report these roles before each
 * firing.
 */
export function needsReport({ person }: Schedule): boolean {
	return person?.platformRoles !== undefined;
}

/**
 * Returns the owner with the reported role. If the report is missing or the owner is not present, the role
 * follows from the last known platform roles.
 */
async function ownerNow(
	people: People,
	{ principal, person }: Schedule,
	report: PersonReport | undefined,
): Promise<Principal> {
	if (!person) return principal;
	if (report?.present) return { ...principal, person: await people.asReported(person, report) };
	return people.asOfNow({ ...principal, person });
}

function absence(principal: Principal, { reason }: Extract<PersonReport, { present: false }>): string {
	const owner = actingId(principal);
	return reason === "left" ? firingTexts.ownerLeft(owner) : firingTexts.ownerCannotWrite(owner);
}

/** Keeps the schedule due for a later attempt, and stores the reason, which `parley schedules` shows. */
async function postpone({ journal, log }: FiringParts, schedule: Schedule): Promise<Fired> {
	const { id, principal, owner } = schedule;
	const problem = firingTexts.waits(principal.id, owner);
	if (schedule.problem !== problem) {
		await journal.store.commit((tx) => changeSchedule(tx, id, { problem }));
		log.warn(firingTexts.waitsForConnector, { scheduleId: id, connector: principal.id, owner });
	}
	return "unconfirmed";
}

/**
 * Returns a lease of the schedule's session. If that session was deleted, opens the session with the schedule's external
 * key. Returns undefined in these cases:
 *
 * - The session was deleted, and the schedule has no external key. The schedule is then deleted.
 * - The session was deleted, and the owner may not open it again. The due time is then skipped.
 */
async function leaseTarget(
	{ sessions, journal, clock, open }: FiringParts,
	{ schedule, due, principal, lost }: Firing,
): Promise<Lease | undefined> {
	const { id, sessionId, externalKey } = schedule;
	const lease = await sessions.leaseOwn(sessionId).catch((reason: unknown) => {
		if (ParleyError.from(reason).code !== "not_found") throw reason;
	});
	if (lease) return lease;
	if (externalKey === undefined) {
		await journal.store.commit((tx) => deleteSchedule(tx, id));
		return undefined;
	}
	try {
		if (lost !== undefined) throw new ParleyError(lost, { code: "permission_denied" });
		const request = { principal, key: undefined, method: "schedule", params: {} };
		const opened = await open(request, { externalKey });
		await journal.store.commit((tx) => changeSchedule(tx, id, { sessionId: opened.id, seenSeq: 0 }));
		return await sessions.leaseOwn(opened.id);
	} catch (reason) {
		const error = ParleyError.from(reason);
		if (error.code !== "permission_denied") throw reason;
		const change = { ...afterDue(schedule, due, clock.now()), problem: error.message };
		await journal.store.commit((tx) => changeSchedule(tx, id, change));
		return undefined;
	}
}

/**
 * Returns the reason why the principal may not have a schedule, or undefined. Without a session, returns only
 * a reason that applies to every session.
 */
function refusalFor(principal: Principal, session?: Session): string | undefined {
	try {
		const object = session && { owner: session.owner, sessionId: session.id, place: session.place };
		authorize(principal, "schedule.create", object);
		return undefined;
	} catch (reason) {
		return ParleyError.from(reason).message;
	}
}

/**
 * Skips the due time, and stores the refusal as the schedule's problem. Records the refusal only if the problem was
 * different before.
 */
async function refuse(
	{ clock, audit, log }: FiringParts,
	session: Session,
	{ schedule, due, principal }: Firing,
	refusal: string,
): Promise<void> {
	const { id } = schedule;
	await session.commit(async (tx, record) => {
		const now = await findSchedule(tx, id);
		if (now?.nextDue !== due) return;
		await changeSchedule(tx, id, { ...afterDue(now, due, clock.now()), problem: refusal });
		if (now.problem === refusal) return;
		const { trigger } = now;
		const origin = originOf(now, due, clock.now());
		await record({ type: "schedule.trigger", ...origin, trigger, runId: "", error: refusal });
		const entry = { action: "schedule.fire", object: id, decision: "denied" };
		await audit.record(tx, { ...requestedBy(principal), ...entry });
	});
	log.warn(firingTexts.notFired, { scheduleId: id, sessionId: session.id, reason: refusal });
}

async function send(parts: FiringParts, session: Session, firing: Firing): Promise<Fired> {
	const { schedule, due, principal } = firing;
	const { clock, failpoints, log, runner, withSkill } = parts;
	const { id, prompt, taint, firings } = schedule;
	const origin = originOf(schedule, due, clock.now());
	const options = await withSkill(session, principal, { content: prompt }, { origin }).catch(refusalOfSkill);
	if (typeof options === "string") {
		await refuse(parts, session, firing, options);
		return "over";
	}
	let stopped: "busy" | "over" | undefined;
	const fire = async (tx: Tx, record: RecordEvents, queued: Queued): Promise<void> => {
		const now = await findSchedule(tx, id);
		if (now?.nextDue !== due) stopped = "over";
		else if (queued.position > 0) stopped = "busy";
		if (!now || stopped) throw new ParleyError(firingTexts.notNow, { code: "aborted" });
		const runId = queued.run.id;
		await recordFiring(tx, record, { schedule: now, origin, runId, now: clock.now() });
	};
	// The due time alone is not a sufficient key: it can occur again if the clock was days ahead the first time.
	const key = `schedule:${id}:${firings}:${due}`;
	const request = { principal, key, method: "schedule", params: { id, due } };
	await failpoints.reach("schedule-due");
	try {
		const message = { content: prompt, options, scheduled: { taint, fire } };
		const { start } = await acceptMessage(parts, session, request, message);
		runner.start(session, start);
	} catch (reason) {
		if (stopped) return stopped;
		throw reason;
	}
	await failpoints.reach("schedule-fired");
	log.info(firingTexts.fired, { scheduleId: id, sessionId: session.id, late: origin.late });
	return "fired";
}

/**
 * Returns the reason why a skill cannot start. Rethrows errors that are not about the skill, so that the
 * clock retries the schedule.
 */
function refusalOfSkill(reason: unknown): string {
	const { code, message } = ParleyError.from(reason);
	if (code === "failed_precondition" || code === "invalid_argument") return message;
	throw reason;
}

async function recordFiring(
	tx: Tx,
	record: RecordEvents,
	{ schedule, origin, runId, now }: Recording,
): Promise<void> {
	const { id, title, trigger, firings } = schedule;
	await record({ type: "schedule.trigger", ...origin, trigger, runId, error: "" });
	if (trigger.kind === "once") {
		await deleteSchedule(tx, id);
		await record({ type: "schedule.removed", scheduleId: id, title, reason: "completed", by: "" });
		return;
	}
	await changeSchedule(tx, id, {
		...afterDue(schedule, origin.dueAt, now),
		lastFiredAt: now,
		lastRunId: runId,
		firings: firings + 1,
		problem: null,
	});
}

/**
 * Returns the change of the schedule after a due time. Skips the due times up to `now`, so that several
 * missed due times cause only one firing.
 */
function afterDue({ trigger, createdAt }: Schedule, due: number, now: number): ScheduleChange {
	return { nextDue: nextDue(trigger, Math.max(due, now), createdAt) ?? null, lastDue: due };
}

function originOf({ id, title, show }: Schedule, dueAt: number, now: number): RunOrigin {
	return { scheduleId: id, title, show, dueAt, late: now - dueAt > lateMs };
}
