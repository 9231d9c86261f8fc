import { ParleyError } from "@parley/base";
import type { Person, Principal } from "./principal.ts";
import type { Taint } from "./taint.ts";
import { scheduleLimitTexts } from "./texts.ts";

/** Events that can start a schedule, by their names on the Ozzie wire. */
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

/** Times at which a schedule fires, in milliseconds since the epoch. */
export type Trigger =
	/** Five fields of cron in an IANA time zone. */
	| { readonly kind: "cron"; readonly cron: string; readonly timeZone: string }
	/** Counted from the creation of the schedule. */
	| { readonly kind: "interval"; readonly everyMs: number }
	| { readonly kind: "once"; readonly at: number }
	/** An event of the session that the schedule acts for. */
	| { readonly kind: "event"; readonly event: EventTrigger };

/** Display of the result in a channel: in its own thread, as a post, or only if the run fails or asks. */
export const shows = ["thread", "post", "silent"] as const;

export type Show = (typeof shows)[number];

interface ScheduleTexts {
	/** The message that each firing sends to the session. */
	readonly prompt: string;
	/** The beginning of the prompt if absent. */
	readonly title?: string | undefined;
}

/** Message, time and presentation of a schedule. */
export interface NewSchedule extends ScheduleTexts {
	readonly trigger: Trigger;
	/** `post` if absent. */
	readonly show?: Show | undefined;
}

/** A message that is sent to a session at given times, as a run of its owner. */
export interface Schedule {
	readonly id: string;
	/** The session of the next firing. */
	readonly sessionId: string;
	/** Replaces the session. A deleted session is created again with this key. */
	readonly externalKey?: string;
	/** The person or principal that created it. Each firing has the owner's present rights. */
	readonly owner: string;
	/** The principal of the owner, without its person. */
	readonly principal: Omit<Principal, "person">;
	readonly person?: Person;
	readonly title: string;
	readonly prompt: string;
	readonly trigger: Trigger;
	readonly show: Show;
	/** Taint of the run that created it. Each firing adds it to the session. */
	readonly taint: Taint;
	/** Times are milliseconds since the epoch. */
	readonly createdAt: number;
	/** Absent if it waits for an event, or if a `once` schedule could not fire. */
	readonly nextDue?: number;
	/** The due time of the last firing. */
	readonly lastDue?: number;
	readonly lastFiredAt?: number;
	readonly lastRunId?: string;
	readonly firings: number;
	/** Reason why the last due time did not fire, for people. */
	readonly problem?: string;
	/** For an event schedule: the last checked event of the session. */
	readonly seenSeq: number;
}

/** The schedule that started a run, as the run and its events name it. */
export interface RunOrigin {
	readonly scheduleId: string;
	readonly title: string;
	readonly show: Show;
	/** Milliseconds since the epoch. */
	readonly dueAt: number;
	/** The run started more than a minute after its due time. */
	readonly late: boolean;
}

export const scheduleLimits = {
	prompt: 20_000,
	title: 200,
	/** Schedules of one owner. */
	perOwner: 50,
	/** Shortest time between two firings of a schedule. */
	shortestMs: 60_000,
	longestMs: 366 * 24 * 3_600_000,
	/** Farthest time of a `once` schedule. */
	farthestMs: 5 * 366 * 24 * 3_600_000,
} as const;

/** A firing later than this is marked as late. */
export const lateMs = 60_000;

/** Returns the message with a title. Throws `invalid_argument` if it is blank or over a limit. */
export function checkTexts({ prompt: given, title: requested = "" }: ScheduleTexts): {
	readonly prompt: string;
	readonly title: string;
} {
	const prompt = given.replaceAll("\0", "").trim();
	const title = oneLine(requested) || oneLine(prompt).slice(0, 80);
	if (prompt === "") throw invalid(scheduleLimitTexts.emptyPrompt);
	if (prompt.length > scheduleLimits.prompt) {
		throw invalid(scheduleLimitTexts.longPrompt(prompt.length, scheduleLimits.prompt));
	}
	if (title.length > scheduleLimits.title) {
		throw invalid(scheduleLimitTexts.longTitle(title.length, scheduleLimits.title));
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

export function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}

/** Trigger of a schedule, in plain words or in parts. A cron expression without a time zone uses that of the gateway. */
export type RequestedTrigger =
	| Exclude<Trigger, { kind: "cron" }>
	| { readonly kind: "cron"; readonly cron: string; readonly timeZone?: string | undefined }
	| { readonly kind: "words"; readonly when: string; readonly timeZone?: string | undefined };

export interface RequestedSchedule extends Omit<NewSchedule, "trigger"> {
	readonly trigger: RequestedTrigger;
}

/** The call of a run that creates a schedule. */
export interface CallOrigin {
	readonly callId: string;
	/** Taint of the session of the run. */
	readonly taint: Taint;
}

/** The life of a schedule, in the session that it acts for: created, triggered any number of times, removed once. */
export type ScheduleEvent =
	| {
			readonly type: "schedule.created";
			readonly scheduleId: string;
			readonly title: string;
			readonly trigger: Trigger;
			readonly show: Show;
			readonly owner: string;
			/** Milliseconds since the epoch; absent if it waits for an event. */
			readonly nextDue?: number;
	  }
	/**
	 * Due time with the run that it started, or the reason why it started no run. The `user.message` of that run follows.
	 */
	| (RunOrigin & {
			readonly type: "schedule.trigger";
			readonly trigger: Trigger;
			/** "" if it started no run. */
			readonly runId: string;
			/** "" if it started a run. */
			readonly error: string;
	  })
	| {
			readonly type: "schedule.removed";
			readonly scheduleId: string;
			readonly title: string;
			/** `completed` of a `once` schedule that fired, else `removed`. */
			readonly reason: "completed" | "removed";
			/** The person or principal that removed it; "" for the gateway. */
			readonly by: string;
	  };

/** Schedules for one tool call: those of the person who began the run, for the session of the run. */
export interface ScheduleAccess {
	/**
	 * Throws if the schedule is invalid, if the run may not create schedules, or if it would start a skill that only people
	 * may start.
	 */
	check(requested: RequestedSchedule): Promise<void>;
	/** Creates a schedule. A repetition for the same call changes nothing. */
	create(requested: RequestedSchedule): Promise<Schedule>;
	list(): Promise<readonly Schedule[]>;
	/** Returns a schedule that the person may remove. Throws `not_found` otherwise. */
	removable(id: string): Promise<Schedule>;
	remove(id: string): Promise<Schedule>;
}
