import { createHash } from "node:crypto";
import { defined, type Failpoints, type Ids, ParleyError } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import { type Keyed, type KeyServices, once } from "../../store/idempotency.ts";
import type { Journal, Tx } from "../../store/journal.ts";
import {
	countSchedules,
	deleteSchedule,
	findSchedule,
	insertSchedule,
	listSchedules,
} from "../../store/schedule-rows.ts";
import { taintOfMessage } from "../../store/session-taint.ts";
import { checkTrigger, nextDue, readWhen } from "../../text/schedule-times.ts";
import { type Audit, requestedBy } from "../../trust/audit/audit.ts";
import { authorize } from "../../vocabulary/authorize.ts";
import { actingId, type Principal } from "../../vocabulary/principal.ts";
import {
	type CallOrigin,
	checkScheduleTexts,
	type RequestedSchedule,
	type RequestedTrigger,
	type Schedule,
	scheduleLimits,
	type Trigger,
	unknownSchedule,
} from "../../vocabulary/schedule.ts";
import { joinTaints } from "../../vocabulary/taint.ts";
import type { NewSession } from "../sessions/open.ts";
import { firingTexts } from "./texts.ts";

/** Session of a schedule: the id of the session, or the external key that finds or creates the session. */
export type ScheduleTarget = { readonly sessionId: string } | { readonly externalKey: string };

interface SchedulesOptions extends KeyServices {
	readonly journal: Journal;
	readonly ids: Ids;
	readonly audit: Audit;
	readonly failpoints: Failpoints;
	readonly sessions: Sessions;
	/** Finds or creates a session. */
	readonly open: (request: Keyed, requested: NewSession) => Promise<{ readonly id: string }>;
	/** Throws if the gateway accepts no further work. */
	readonly admit: () => void;
	/** IANA time zone of schedules without their own time zone. Default: the time zone of the machine. */
	readonly timeZone?: string;
}

interface ScheduleFilter {
	readonly sessionId?: string | undefined;
	readonly limit: number;
}

/**
 * Manages schedules: messages that the gateway sends to sessions at given times or after events. Available as
 * `runtime.schedules`.
 */
export class Schedules {
	readonly #options: SchedulesOptions;

	constructor(options: SchedulesOptions) {
		this.#options = options;
	}

	/**
	 * Creates a schedule of the principal. Throws `invalid_argument` for an invalid text or a time that never occurs, and
	 * `resource_exhausted` if the owner has too many schedules.
	 */
	async create(
		request: Keyed,
		target: ScheduleTarget,
		requested: RequestedSchedule,
		call?: CallOrigin,
	): Promise<Schedule> {
		const { sessions, ids, failpoints, open, admit } = this.#options;
		admit();
		const { principal } = request;
		authorize(principal, "schedule.create");
		const sessionId =
			"sessionId" in target ? target.sessionId : (await open({ ...request, key: undefined }, target)).id;
		using lease = await sessions.lease(principal, sessionId, "schedule.create");
		const { session } = lease;
		const key = "externalKey" in target ? { externalKey: target.externalKey } : {};
		const outcome = await session.commit((tx, record) =>
			once(tx, request, this.#options, async () => {
				const id = call ? idOfCall(session, call) : ids.create("sched");
				const known = call && (await findSchedule(tx, id));
				if (known) return known;
				const taint = joinTaints([taintOfMessage(principal, undefined), call?.taint ?? ""]);
				const schedule = { ...this.#checked(session, principal, requested), ...key, id, taint };
				await refuseTooMany(tx, schedule.owner);
				await insertSchedule(tx, schedule);
				const { title, trigger, show, owner, nextDue: due } = schedule;
				const next = due === undefined ? {} : { nextDue: due };
				await record({ type: "schedule.created", scheduleId: id, title, trigger, show, owner, ...next });
				await this.#audit(tx, principal, { action: "create", object: id, args: { sessionId, trigger } });
				return schedule;
			}),
		);
		await failpoints.reach("schedule-created");
		return outcome.response;
	}

	/** Returns the principal's schedules in the order of their next due time. The operator gets all schedules. */
	async list(principal: Principal, { sessionId, limit }: ScheduleFilter): Promise<Schedule[]> {
		authorize(principal, "schedule.read");
		const owner = principal.kind === "operator" ? undefined : actingId(principal);
		return this.#options.journal.store.read((db) => listSchedules(db, { owner, sessionId }, limit));
	}

	/**
	 * Deletes a schedule of the principal. The operator can delete any schedule. Throws `not_found` for a schedule of
	 * another owner, and for an unknown id.
	 */
	async remove(request: Keyed, id: string): Promise<Schedule> {
		const { principal } = request;
		const { journal, sessions } = this.#options;
		authorize(principal, "schedule.remove");
		const found = await journal.store.read((db) => findSchedule(db, id));
		const lease = found && (await sessions.leaseOwn(found.sessionId).catch(ignoreDeleted));
		using lock = lease;
		const commit = lock
			? lock.session.commit.bind(lock.session)
			: <T>(work: (tx: Tx, record: () => Promise<void>) => Promise<T>) =>
					journal.store.commit((tx) => work(tx, async () => undefined));
		const removed = await commit((tx, record) =>
			once(tx, request, this.#options, async () => {
				const schedule = await findSchedule(tx, id);
				const isOwner = principal.kind === "operator" || schedule?.owner === actingId(principal);
				if (!schedule || !isOwner) throw unknownSchedule(id);
				await deleteSchedule(tx, id);
				const { title } = schedule;
				const by = actingId(principal);
				await record({ type: "schedule.removed", scheduleId: id, title, reason: "removed", by });
				await this.#audit(tx, principal, { action: "remove", object: id });
				return schedule;
			}),
		);
		return removed.response;
	}

	/** Returns the trigger in its stored form. Throws `invalid_argument` if the trigger is invalid or can never fire. */
	triggerOf(requested: RequestedTrigger): Trigger {
		const now = this.#options.clock.now();
		if (requested.kind === "words") {
			return readWhen(requested.when, { now, timeZone: requested.timeZone ?? this.#timeZone() });
		}
		if (requested.kind !== "cron") return checkTrigger(requested, now);
		return checkTrigger({ ...requested, timeZone: requested.timeZone ?? this.#timeZone() }, now);
	}

	#timeZone(): string {
		// The machine's time zone is queried only if needed, because the query takes about 15 ms.
		return this.#options.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
	}

	#checked(
		session: Session,
		{ person, ...principal }: Principal,
		{ trigger: requested, show = "post", ...texts }: RequestedSchedule,
	): Omit<Schedule, "id" | "taint"> {
		const now = this.#options.clock.now();
		const trigger = this.triggerOf(requested);
		const { prompt, title } = checkScheduleTexts({
			prompt: session.redactor.redactKnown(texts.prompt),
			...defined({ title: texts.title === undefined ? undefined : session.redactor.redact(texts.title) }),
		});
		const due = nextDue(trigger, now, now);
		const { id, kind, platform } = principal;
		return {
			sessionId: session.id,
			owner: actingId({ ...principal, ...defined({ person }) }),
			principal: { id, kind, ...defined({ platform }) },
			...defined({ person }),
			title: session.redactor.redact(title),
			prompt,
			trigger,
			show,
			createdAt: now,
			firings: 0,
			...defined({ nextDue: due }),
			// Only later events can fire the schedule. The first of them is the `schedule.created` event of the
			// schedule.
			seenSeq: session.bus.seq,
		};
	}

	async #audit(
		tx: Tx,
		principal: Principal,
		{
			action,
			object,
			args,
		}: { readonly action: "create" | "remove"; readonly object: string; readonly args?: object },
	): Promise<void> {
		const entry = { action: `schedule.${action}`, object, decision: "allowed", ...defined({ args }) };
		await this.#options.audit.record(tx, { ...requestedBy(principal), ...entry });
	}
}

/** Derives the id from the call, so that a repeated call after a crash finds the schedule. */
function idOfCall({ id }: Session, { callId }: CallOrigin): string {
	return `sched_${createHash("sha256").update(`${id} ${callId}`).digest("hex").slice(0, 26)}`;
}

async function refuseTooMany(tx: Tx, owner: string): Promise<void> {
	if ((await countSchedules(tx, owner)) < scheduleLimits.perOwner) return;
	const message = firingTexts.tooMany(owner, scheduleLimits.perOwner);
	throw new ParleyError(message, { code: "resource_exhausted" });
}

function ignoreDeleted(reason: unknown): undefined {
	if (ParleyError.from(reason).code !== "not_found") throw reason;
}
