import * as z from "zod";
import { key, maybe, notBlank, optionalSession, title, withDefault } from "./params.ts";

const shows = ["thread", "post", "silent"] as const;

/**
 * Display of a firing's result in a channel. `thread`: in its own thread. `post`: as a post. `silent`: only if the run
 * fails or asks a question.
 */
const show = z.enum(shows, { error: `must be one of ${shows.join(", ")}` });

/** Trigger of a schedule in its normal form. Only the fields for the kind of the trigger are present. */
const trigger = {
	/** Trigger in words, in the form that `when` of `schedule_task` accepts. */
	when: z.string(),
	/** Five cron fields, in the IANA time zone `time_zone`. */
	cron_spec: z.exactOptional(z.string()),
	time_zone: z.exactOptional(z.string()),
	interval_sec: z.exactOptional(z.number()),
	/** Time in the format of RFC 3339. */
	at: z.exactOptional(z.string()),
	event: z.exactOptional(z.string()),
};

/**
 * A schedule: a message that the gateway sends to a session at set times or on an event. The run has the rights of the
 * schedule's owner.
 */
export const SchedulePayload = z.object({
	entry_id: z.string(),
	title: z.string(),
	prompt: z.string(),
	...trigger,
	show,
	session_id: z.string(),
	/** External key of the session. If the session was deleted, a new session is created with the same key. */
	external_key: z.exactOptional(z.string()),
	/** Person or principal that owns the schedule. Each firing has the owner's rights. */
	owner: z.string(),
	/** Taint of the run or request that created the schedule: letters U, P and E, or "". */
	taint: z.string(),
	created_at: z.string(),
	/** Next due time. Absent if the schedule waits for an event, or never fires again. */
	next_due: z.exactOptional(z.string()),
	last_due: z.exactOptional(z.string()),
	last_fired_at: z.exactOptional(z.string()),
	last_run_id: z.exactOptional(z.string()),
	firings: z.int().min(0),
	/** Reason why the last due time started no run. */
	problem: z.exactOptional(z.string()),
});
export type SchedulePayload = z.output<typeof SchedulePayload>;

/** The schedule that started a run. */
export const OriginPayload = z.object({
	entry_id: z.string(),
	title: z.string(),
	show,
	due_at: z.string(),
	/** Whether the run started more than a minute after its due time. */
	late: z.boolean(),
});
export type OriginPayload = z.output<typeof OriginPayload>;

const entry = { entry_id: z.string(), title: z.string() };

/** Events about schedules. Each event is in the session to which the schedule sends messages. */
export const schedulePayloads = {
	/** A schedule was created. `source` is `dynamic`, because schedules are created at run time. */
	"schedule.created": z.object({
		...entry,
		source: z.literal("dynamic"),
		...trigger,
		show,
		owner: z.string(),
		next_due: z.exactOptional(z.string()),
	}),
	/**
	 * A due time. `trigger` is `cron`, `interval`, `once` or `event:TYPE`. `run_id` names the started run. If no run was
	 * started, `run_id` is empty and `error` has the reason. `skill_name` and `task_id` are always empty.
	 */
	"schedule.trigger": z.object({
		...OriginPayload.shape,
		trigger: z.string(),
		skill_name: z.string(),
		task_id: z.string(),
		run_id: z.string(),
		error: z.string(),
	}),
	/** A schedule was removed. `by` is empty if the schedule was a one-time schedule that has fired. */
	"schedule.removed": z.object({ ...entry, reason: z.enum(["completed", "removed"]), by: z.string() }),
};

export type ScheduleEventPayloads = {
	readonly [Name in keyof typeof schedulePayloads]: z.output<(typeof schedulePayloads)[Name]>;
};

/** Methods for schedules, which send messages to sessions at set times or on events. */
export const scheduleMethods = {
	/**
	 * Creates a schedule that the caller owns. Exactly one of `when`, `cron`, `interval_sec`, `at` and `event` must be
	 * given, and sets the trigger.
	 */
	schedule_task: {
		params: z.object({
			/** Message that each firing sends to the session. */
			prompt: z.string().max(80_000).regex(notBlank, "must not be blank"),
			title: maybe(title),
			/** Trigger in plain words, such as `every weekday at 9:00`, or as five cron fields. */
			when: maybe(z.string().max(200).regex(notBlank, "must not be blank")),
			cron: maybe(z.string().max(200).regex(notBlank, "must not be blank")),
			interval_sec: maybe(z.number().positive()),
			at: maybe(z.iso.datetime({ offset: true, error: "must be a time such as 2027-01-31T09:00:00Z" })),
			event: maybe(z.string().min(1).max(100)),
			/** IANA name of the time zone, such as `Europe/Berlin`. Default: the time zone of the gateway. */
			time_zone: maybe(z.string().min(1).max(100)),
			/** Display of results. Default: `post`. */
			show: maybe(show),
			/** Session of the schedule. Default: the session of the request. */
			session_id: optionalSession,
			/**
			 * External key of the session, in place of `session_id`. If no session has the key, a session is created with
			 * it.
			 */
			external_key: maybe(z.string().min(1).max(256)),
			key,
		}),
		result: SchedulePayload,
	},
	/**
	 * Returns the schedules that the caller owns, in the order of their due times. The operator receives the schedules
	 * of all owners.
	 */
	list_schedules: {
		params: z.object({ session_id: optionalSession, limit: withDefault(z.int().min(1).max(1_000), 100) }),
		result: z.object({ schedules: z.array(SchedulePayload) }),
	},
	/** Deletes a schedule that the caller owns. The operator can delete any schedule. */
	unschedule_task: {
		params: z.object({ entry_id: z.string().min(1).max(128), key }),
		result: z.object({ status: z.literal("removed"), entry_id: z.string(), title: z.string() }),
	},
};
