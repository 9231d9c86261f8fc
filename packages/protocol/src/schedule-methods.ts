import * as z from "zod";
import { key, maybe, notBlank, optionalSession, title, withDefault } from "./params.ts";

const shows = ["thread", "post", "silent"] as const;

/** Display of the result of a firing in a channel: in its own thread, as a post, or only if the run fails or asks. */
const show = z.enum(shows, { error: `must be one of ${shows.join(", ")}` });

/** The trigger of a schedule, in its normal form: the fields of one kind. */
const trigger = {
	/** The trigger in words, as `when` of `schedule_task` takes it. */
	when: z.string(),
	/** Five fields of cron, in the IANA time zone `time_zone`. */
	cron_spec: z.exactOptional(z.string()),
	time_zone: z.exactOptional(z.string()),
	interval_sec: z.exactOptional(z.number()),
	/** RFC 3339. */
	at: z.exactOptional(z.string()),
	event: z.exactOptional(z.string()),
};

/** A message that is sent to a session at given times, as a run of its owner. */
export const SchedulePayload = z.object({
	entry_id: z.string(),
	title: z.string(),
	prompt: z.string(),
	...trigger,
	show,
	session_id: z.string(),
	/** A deleted session is created again under this key. */
	external_key: z.exactOptional(z.string()),
	/** The person or principal whose rights each firing has. */
	owner: z.string(),
	/** Taint of the run that created the schedule: letters U, P and E, or "". */
	taint: z.string(),
	created_at: z.string(),
	/** Absent if it waits for an event, or never fires again. */
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
	/** The run started more than a minute after its due time. */
	late: z.boolean(),
});
export type OriginPayload = z.output<typeof OriginPayload>;

const entry = { entry_id: z.string(), title: z.string() };

/** The life of a schedule, in the session that it acts for. */
export const schedulePayloads = {
	/** `source` is `dynamic`: schedules are created at run time. */
	"schedule.created": z.object({
		...entry,
		source: z.literal("dynamic"),
		...trigger,
		show,
		owner: z.string(),
		next_due: z.exactOptional(z.string()),
	}),
	/**
	 * A due time. `trigger` is `cron`, `interval`, `once` or `event:TYPE`. `run_id` names the started run. If none was
	 * started, it is empty and `error` has the reason. `skill_name` and `task_id` are empty.
	 */
	"schedule.trigger": z.object({
		...OriginPayload.shape,
		trigger: z.string(),
		skill_name: z.string(),
		task_id: z.string(),
		run_id: z.string(),
		error: z.string(),
	}),
	/** `by` is empty if a schedule for one time has fired. */
	"schedule.removed": z.object({ ...entry, reason: z.enum(["completed", "removed"]), by: z.string() }),
};

export type ScheduleEventPayloads = {
	readonly [Name in keyof typeof schedulePayloads]: z.output<(typeof schedulePayloads)[Name]>;
};

/** Messages that are sent to sessions at given times. */
export const scheduleMethods = {
	/** Creates a schedule of the caller. Exactly one of `when`, `cron`, `interval_sec`, `at` and `event` sets its times. */
	schedule_task: {
		params: z.object({
			/** The message that each firing sends to the session. */
			prompt: z.string().max(80_000).regex(notBlank, "blank"),
			title: maybe(title),
			/** Plain words such as `every weekday at 9:00`, or cron. */
			when: maybe(z.string().max(200).regex(notBlank, "blank")),
			cron: maybe(z.string().max(200).regex(notBlank, "blank")),
			interval_sec: maybe(z.number().positive()),
			at: maybe(z.iso.datetime({ offset: true, error: "must be a time such as 2027-01-31T09:00:00Z" })),
			event: maybe(z.string().min(1).max(100)),
			/** An IANA name such as `Europe/Berlin`; that of the gateway if absent. */
			time_zone: maybe(z.string().min(1).max(100)),
			/** `post` if absent. */
			show: maybe(show),
			/** The session of the request if absent. */
			session_id: optionalSession,
			/** Instead of a session: the session of this key is found or created. */
			external_key: maybe(z.string().min(1).max(256)),
			key,
		}),
		result: SchedulePayload,
	},
	/** Returns the schedules of the caller, the next due first. The operator gets all. */
	list_schedules: {
		params: z.object({ session_id: optionalSession, limit: withDefault(z.int().min(1).max(1_000), 100) }),
		result: z.object({ schedules: z.array(SchedulePayload) }),
	},
	/** Deletes a schedule of the caller. The operator can delete all. */
	unschedule_task: {
		params: z.object({ entry_id: z.string().min(1).max(128), key }),
		result: z.object({ status: z.literal("removed"), entry_id: z.string(), title: z.string() }),
	},
};
