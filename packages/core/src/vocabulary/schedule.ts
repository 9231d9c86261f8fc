import { ParleyError } from "@parley/base";
import type { Person, Principal } from "./principal.ts";
import type { Taint } from "./taint.ts";
import { scheduleLimitTexts } from "./texts.ts";

/** Types of recorded events that can fire a schedule. The Ozzie protocol uses the same names. */
export const eventTriggers = [
	"user.message",
	"assistant.message",
	"file.created",
	"budget.reached",
	"task.created",
	"task.completed",
	"task.failed",
	"task.cancelled",
	"task.suspended",
] as const;

export type EventTrigger = (typeof eventTriggers)[number];

/** Times at which a schedule fires, or the event on which it fires. */
export type Trigger =
	/** Cron expression with five fields, in an IANA time zone. */
	| { readonly kind: "cron"; readonly cron: string; readonly timeZone: string }
	/** The first interval starts when the schedule is created. */
	| { readonly kind: "interval"; readonly everyMs: number }
	/** `at` is in milliseconds since the epoch. */
	| { readonly kind: "once"; readonly at: number }
	/** An event of the schedule's session. */
	| { readonly kind: "event"; readonly event: EventTrigger };

/** Display of the result in a channel: in a separate thread, as a post, or only if the run fails or asks a question. */
export const shows = ["thread", "post", "silent"] as const;

export type Show = (typeof shows)[number];

interface ScheduleTexts {
	/** Message that each firing sends to the session. */
	readonly prompt: string;
	/** Title. Default: the beginning of the prompt. */
	readonly title?: string | undefined;
}

/** Message, trigger and presentation of a schedule. */
export interface NewSchedule extends ScheduleTexts {
	readonly trigger: Trigger;
	/** Default: `post`. */
	readonly show?: Show | undefined;
}

/** A message that the gateway sends to a session at given times or on events, as a run of the schedule's owner. */
export interface Schedule {
	readonly id: string;
	/** Session of the next firing. */
	readonly sessionId: string;
	/** External key of the session. If the session is deleted, the next firing opens a session with this key. */
	readonly externalKey?: string;
	/** Id of the person or principal that created the schedule. Each firing has the owner's current permissions. */
	readonly owner: string;
	/** Principal that created the schedule. The principal's person is in `person`. */
	readonly principal: Omit<Principal, "person">;
	readonly person?: Person;
	readonly title: string;
	readonly prompt: string;
	readonly trigger: Trigger;
	readonly show: Show;
	/** Taint of the run or request that created the schedule. Each firing adds this taint to the session. */
	readonly taint: Taint;
	/** Time of the creation. All times of a schedule are in milliseconds since the epoch. */
	readonly createdAt: number;
	/** Absent if the schedule waits for an event, or if no due time follows. */
	readonly nextDue?: number;
	/** Last due time that has passed, even if no run started. */
	readonly lastDue?: number;
	readonly lastFiredAt?: number;
	readonly lastRunId?: string;
	readonly firings: number;
	/** Reason, for people, why the schedule did not fire at its last due time or still waits to fire. */
	readonly problem?: string;
	/** For an event schedule, the `seq` up to which the events of the session were checked. */
	readonly seenSeq: number;
}

/** The schedule that started a run, in the form that the run and the run's events contain. */
export interface RunOrigin {
	readonly scheduleId: string;
	readonly title: string;
	readonly show: Show;
	/** Milliseconds since the epoch. */
	readonly dueAt: number;
	/** Whether the run started more than a minute after the due time. */
	readonly late: boolean;
}

export const scheduleLimits = {
	prompt: 20_000,
	title: 200,
	/** Maximum schedules of an owner. */
	perOwner: 50,
	/** Minimum milliseconds between two due times of a schedule with an interval or an event trigger. */
	shortestMs: 60_000,
	longestMs: 366 * 24 * 3_600_000,
	/** Maximum milliseconds until the time of a `once` schedule. */
	farthestMs: 5 * 366 * 24 * 3_600_000,
} as const;

/** Maximum milliseconds after the due time at which a firing is not marked as late. */
export const lateMs = 60_000;

/**
 * Returns the trimmed prompt, and the title or its default. Throws `invalid_argument` for a blank prompt, and for a
 * prompt or title above the maximum length.
 */
export function checkScheduleTexts({ prompt: given, title: requested = "" }: ScheduleTexts): {
	readonly prompt: string;
	readonly title: string;
} {
	const prompt = given.replaceAll("\0", "").trim();
	const title = oneLine(requested) || oneLine(prompt).slice(0, 80);
	if (prompt === "") throw invalidSchedule(scheduleLimitTexts.emptyPrompt);
	if (prompt.length > scheduleLimits.prompt) {
		throw invalidSchedule(scheduleLimitTexts.longPrompt(prompt.length, scheduleLimits.prompt));
	}
	if (title.length > scheduleLimits.title) {
		throw invalidSchedule(scheduleLimitTexts.longTitle(title.length, scheduleLimits.title));
	}
	return { prompt, title };
}

function oneLine(text: string): string {
	return text.replaceAll("\0", "").replace(/\s+/gu, " ").trim();
}

export function unknownSchedule(id: string): ParleyError {
	const shown = JSON.stringify(id.slice(0, 100));
	return new ParleyError(scheduleLimitTexts.notFound(shown), {
		code: "not_found",
	});
}

export function invalidSchedule(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}

/**
 * Trigger of a schedule, in plain words or as separate fields. A cron expression without a time zone uses the gateway's time
 * zone.
 */
export type RequestedTrigger =
	| Exclude<Trigger, { kind: "cron" }>
	| { readonly kind: "cron"; readonly cron: string; readonly timeZone?: string | undefined }
	| { readonly kind: "words"; readonly when: string; readonly timeZone?: string | undefined };

export interface RequestedSchedule extends Omit<NewSchedule, "trigger"> {
	readonly trigger: RequestedTrigger;
}

/** Tool call that creates a schedule. */
export interface CallOrigin {
	readonly callId: string;
	/** Taint of the run's session. */
	readonly taint: Taint;
}

/** Events that a schedule records in its session. */
export type ScheduleEvent =
	| {
			readonly type: "schedule.created";
			readonly scheduleId: string;
			readonly title: string;
			readonly trigger: Trigger;
			readonly show: Show;
			readonly owner: string;
			/** Milliseconds since the epoch. Absent if the schedule waits for an event. */
			readonly nextDue?: number;
	  }
	/**
	 * A schedule was due. The event has the run that started, or the reason why no run started. If a run started, its
	 * `user.message` event follows.
	 */
	| (RunOrigin & {
			readonly type: "schedule.trigger";
			readonly trigger: Trigger;
			/** Id of the run, or "" if no run started. */
			readonly runId: string;
			/** Reason why no run started, or "". */
			readonly error: string;
	  })
	| {
			readonly type: "schedule.removed";
			readonly scheduleId: string;
			readonly title: string;
			/** `completed` for a `once` schedule that fired, otherwise `removed`. */
			readonly reason: "completed" | "removed";
			/** Person or principal that removed the schedule, or "" for the gateway. */
			readonly by: string;
	  };

/**
 * Access to the schedules in the session of a run, for one tool call. The owner of the schedules is the person who
 * started the run. If the operator started the run and chat users joined it, the owner is the last of these users.
 */
export interface ScheduleAccess {
	/**
	 * Checks a requested schedule. Throws if the schedule is invalid, if the run may not create schedules, or if only
	 * people may start the schedule's skill.
	 */
	check(requested: RequestedSchedule): Promise<void>;
	/** Creates a schedule. A repetition of the same tool call changes nothing. */
	create(requested: RequestedSchedule): Promise<Schedule>;
	list(): Promise<readonly Schedule[]>;
	/** Returns a schedule that the owner may remove. Throws `not_found` for any other id. */
	removable(id: string): Promise<Schedule>;
	remove(id: string): Promise<Schedule>;
}
