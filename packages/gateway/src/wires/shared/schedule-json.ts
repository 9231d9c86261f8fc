import { defined } from "@parley/base";
import { type RecordedEvent, type RunOrigin, type Schedule, type Trigger, whenText } from "@parley/core";
import type { OriginPayload, ScheduleEventPayloads, SchedulePayload } from "@parley/protocol";
import { toTime } from "./time.ts";

export type AnyScheduleEvent = Extract<
	RecordedEvent,
	{ readonly type: "schedule.created" | "schedule.trigger" | "schedule.removed" }
>;

export const scheduleEventNames = {
	"schedule.created": "schedule.created",
	"schedule.trigger": "schedule.trigger",
	"schedule.removed": "schedule.removed",
} as const;

export function isScheduleEvent(event: { readonly type: string }): event is AnyScheduleEvent {
	return Object.hasOwn(scheduleEventNames, event.type);
}

type EncodedScheduleEvent = {
	[Name in keyof ScheduleEventPayloads]: {
		readonly event: Name;
		readonly payload: ScheduleEventPayloads[Name];
	};
}[keyof ScheduleEventPayloads];

/** Encodes an event of a schedule. The fields for a skill and a task are empty, because a schedule starts a run. */
export function encodeScheduleEvent(event: AnyScheduleEvent): EncodedScheduleEvent {
	const { scheduleId: entry_id, title } = event;
	switch (event.type) {
		case "schedule.created": {
			const { trigger, show, owner, nextDue } = event;
			const payload = { entry_id, title, source: "dynamic" as const, ...encodeTrigger(trigger), show, owner };
			return {
				event: event.type,
				payload: {
					...payload,
					...defined({ next_due: nextDue === undefined ? undefined : toTime(nextDue) }),
				},
			};
		}
		case "schedule.trigger": {
			const { trigger, runId: run_id, error } = event;
			const kind = trigger.kind === "event" ? `event:${trigger.event}` : trigger.kind;
			const ran = { trigger: kind, skill_name: "", task_id: "", run_id, error };
			return { event: event.type, payload: { ...encodeOrigin(event), ...ran } };
		}
		case "schedule.removed":
			return { event: event.type, payload: { entry_id, title, reason: event.reason, by: event.by } };
	}
}

export function encodeOrigin({ scheduleId, title, show, dueAt, late }: RunOrigin): OriginPayload {
	return { entry_id: scheduleId, title, show, due_at: toTime(dueAt), late };
}

export function encodeSchedule(schedule: Schedule): SchedulePayload {
	const { id, title, prompt, trigger, show, sessionId, externalKey, owner, taint, firings } = schedule;
	const { createdAt, nextDue, lastDue, lastFiredAt, lastRunId, problem } = schedule;
	return defined({
		entry_id: id,
		title,
		prompt,
		...encodeTrigger(trigger),
		show,
		session_id: sessionId,
		external_key: externalKey,
		owner,
		taint,
		created_at: toTime(createdAt),
		next_due: nextDue === undefined ? undefined : toTime(nextDue),
		last_due: lastDue === undefined ? undefined : toTime(lastDue),
		last_fired_at: lastFiredAt === undefined ? undefined : toTime(lastFiredAt),
		last_run_id: lastRunId,
		firings,
		problem,
	});
}

function encodeTrigger(trigger: Trigger) {
	const when = whenText(trigger);
	switch (trigger.kind) {
		case "cron":
			return { when, cron_spec: trigger.cron, time_zone: trigger.timeZone };
		case "interval":
			return { when, interval_sec: trigger.everyMs / 1000 };
		case "once":
			return { when, at: toTime(trigger.at) };
		case "event":
			return { when, event: trigger.event };
	}
}
