import { ParleyError } from "@parley/base";
import { Cron } from "croner";
import { eventTriggers, invalid, scheduleLimits, type Trigger } from "./schedule.ts";

/**
 * Reads cron by the rules of Vixie cron. A fixed time that daylight saving skips is due at the first minute after the
 * gap; one that comes twice is due the first time. An expression with a wildcard of minutes or hours follows real time.
 */
function cronOf({ cron, timeZone }: { readonly cron: string; readonly timeZone: string }): Cron {
	return new Cron(cron, { timezone: timeZone, mode: "5-part", fixedTimeRule: "no-wildcard", paused: true });
}

/**
 * Returns the first due time after `after`, or undefined if there is none. Schedules on an event have none. Times are
 * milliseconds since the epoch.
 */
export function nextDue(trigger: Trigger, after: number, createdAt: number): number | undefined {
	switch (trigger.kind) {
		case "cron":
			return cronOf(trigger).nextRun(new Date(after))?.getTime();
		case "interval": {
			const { everyMs } = trigger;
			return createdAt + (Math.floor((after - createdAt) / everyMs) + 1) * everyMs;
		}
		case "once":
			return trigger.at > after ? trigger.at : undefined;
		case "event":
			return undefined;
	}
}

/** Returns the trigger in its normal form. Throws `invalid_argument`, with the value, for one that can never fire. */
export function checkTrigger(trigger: Trigger, now: number): Trigger {
	switch (trigger.kind) {
		case "cron":
			return checkCron(trigger, now);
		case "interval":
			return checkInterval(trigger);
		case "once":
			return checkOnce(trigger, now);
		case "event":
			if (eventTriggers.includes(trigger.event)) return trigger;
			throw invalid(`event: ${shown(trigger.event)} starts no schedule: use ${eventTriggers.join(", ")}`);
	}
}

function checkCron(trigger: Extract<Trigger, { kind: "cron" }>, now: number): Trigger {
	const cron = trigger.cron.trim().replace(/\s+/g, " ");
	const timeZone = checkTimeZone(trigger.timeZone);
	const checked = { ...trigger, cron, timeZone };
	let due: number | undefined;
	try {
		due = nextDue(checked, now, now);
	} catch (cause) {
		const why = cause instanceof Error ? cause.message.replace(/^CronPattern: /, "") : "";
		const message = `cron: ${shown(cron)} is not valid (${why}): use five fields such as "0 9 * * 1-5"`;
		throw new ParleyError(message, { code: "invalid_argument", cause });
	}
	if (due === undefined) throw invalid(`cron: ${shown(cron)} is never due: use another day or month`);
	return checked;
}

/** Returns a time zone by its IANA name. Throws `invalid_argument` for an unknown one. */
export function checkTimeZone(timeZone: string): string {
	try {
		return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
	} catch (cause) {
		const message = `time_zone: ${shown(timeZone)} is unknown: use an IANA name such as Europe/Berlin or UTC`;
		throw new ParleyError(message, { code: "invalid_argument", cause });
	}
}

function checkInterval(trigger: Extract<Trigger, { kind: "interval" }>): Trigger {
	const { everyMs } = trigger;
	const { shortestMs, longestMs } = scheduleLimits;
	if (Number.isSafeInteger(everyMs) && everyMs >= shortestMs && everyMs <= longestMs) return trigger;
	throw invalid(
		`interval: ${everyMs / 1000} seconds is not allowed: use ${shortestMs / 1000} seconds to ${longestMs / 86_400_000} days`,
	);
}

function checkOnce(trigger: Extract<Trigger, { kind: "once" }>, now: number): Trigger {
	const { at } = trigger;
	const time = Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : String(at);
	if (!(at > now)) throw invalid(`at: ${time} is in the past: use a later time`);
	if (at - now > scheduleLimits.farthestMs) {
		throw invalid(`at: ${time} is too far away: use a time in the next five years`);
	}
	return { ...trigger, at: Math.trunc(at) };
}

/** The time of a clock in a time zone, such as `2026-12-01T09:00`, in milliseconds since the epoch. */
export function localTime(text: string, timeZone: string): number | undefined {
	try {
		return new Cron(text, { timezone: timeZone, paused: true }).getOnce()?.getTime();
	} catch {
		return undefined;
	}
}

function shown(text: string): string {
	return JSON.stringify(text.slice(0, 100));
}
