import { ParleyError } from "@parley/base";
import { Cron } from "croner";
import {
	type EventTrigger,
	eventTriggers,
	invalidSchedule,
	scheduleLimits,
	type Trigger,
} from "../vocabulary/schedule.ts";
import { scheduleTimeTexts } from "./texts.ts";

/**
 * Creates the evaluator of a cron expression, with the rules of Vixie cron. A fixed time that does not exist because
 * daylight saving begins is due at the first minute after the gap. A fixed time that occurs twice because daylight
 * saving ends is due only at its first occurrence. If minutes or hours have a wildcard, the expression follows elapsed
 * time instead.
 */
function cronOf({ cron, timeZone }: { readonly cron: string; readonly timeZone: string }): Cron {
	return new Cron(cron, { timezone: timeZone, mode: "5-part", fixedTimeRule: "no-wildcard", paused: true });
}

/**
 * Returns the first due time after `after`, in milliseconds since the epoch. Returns undefined if no due time follows,
 * or if the trigger is an event.
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

/**
 * Returns the normal form of a trigger. Throws `invalid_argument`, with the invalid value, if the trigger is invalid or
 * never fires.
 */
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
			throw noEvent(trigger.event);
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
		const reason = cause instanceof Error ? cause.message.replace(/^CronPattern: /, "") : "";
		const message = scheduleTimeTexts.invalidCron(shown(cron), reason);
		throw new ParleyError(message, { code: "invalid_argument", cause });
	}
	if (due === undefined) throw invalidSchedule(scheduleTimeTexts.neverDue(shown(cron)));
	return checked;
}

/** Returns the normal form of an IANA time zone name. Throws `invalid_argument` for an unknown name. */
function checkTimeZone(timeZone: string): string {
	try {
		return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
	} catch (cause) {
		const message = scheduleTimeTexts.unknownZone(shown(timeZone));
		throw new ParleyError(message, { code: "invalid_argument", cause });
	}
}

function checkInterval(trigger: Extract<Trigger, { kind: "interval" }>): Trigger {
	const { everyMs } = trigger;
	const { shortestMs, longestMs } = scheduleLimits;
	if (Number.isSafeInteger(everyMs) && everyMs >= shortestMs && everyMs <= longestMs) return trigger;
	throw invalidSchedule(
		scheduleTimeTexts.interval(everyMs / 1000, shortestMs / 1000, longestMs / 86_400_000),
	);
}

function checkOnce(trigger: Extract<Trigger, { kind: "once" }>, now: number): Trigger {
	const { at } = trigger;
	const time = Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : String(at);
	if (!(at > now)) throw invalidSchedule(scheduleTimeTexts.past(time));
	if (at - now > scheduleLimits.farthestMs) {
		throw invalidSchedule(scheduleTimeTexts.tooFar(time));
	}
	return { ...trigger, at: Math.trunc(at) };
}

/**
 * Converts the local time `text` in the zone `timeZone`, such as `2026-12-01T09:00:00`, to milliseconds since the
 * epoch. Returns undefined if the time is invalid.
 */
function localTime(text: string, timeZone: string): number | undefined {
	try {
		return new Cron(text, { timezone: timeZone, paused: true }).getOnce()?.getTime();
	} catch {
		return undefined;
	}
}

function shown(text: string): string {
	return JSON.stringify(text.slice(0, 100));
}

const units: Readonly<Record<string, number>> = {
	minute: 60_000,
	hour: 3_600_000,
	day: 24 * 3_600_000,
	week: 7 * 24 * 3_600_000,
};

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/**
 * Parses the trigger of a schedule: plain words, a time, an event or a cron expression. A time without an offset is in `timeZone`,
 * for example `Europe/Berlin`. Throws `invalid_argument` if the text is not understood, or the trigger is invalid or never fires.
 */
export function readWhen(
	text: string,
	{ now, timeZone }: { readonly now: number; readonly timeZone: string },
): Trigger {
	const zone = checkTimeZone(timeZone);
	const words = text.trim().toLowerCase().replace(/\s+/g, " ");
	const read = readEvery(words, zone) ?? readOnce(text.trim(), now, zone) ?? readOther(words, zone);
	if (read) return checkTrigger(read, now);
	throw invalidSchedule(scheduleTimeTexts.notUnderstood(shown(text)));
}

function readEvery(words: string, timeZone: string): Trigger | undefined {
	const [, count, unit] = /^every (?:(\d{1,6}) )?(minute|hour|day|week)s?$/.exec(words) ?? [];
	const unitMs = unit === undefined ? undefined : units[unit];
	if (unitMs !== undefined) return { kind: "interval", everyMs: Number(count ?? 1) * unitMs };
	const [, day, time] = /^every ([a-z]+?)s? at ([^ ]+)$/.exec(words) ?? [];
	const clock = readTime(time);
	const days = day === undefined ? undefined : daysOf(day);
	if (clock === undefined || days === undefined) return undefined;
	return { kind: "cron", cron: `${clock.minute} ${clock.hour} * * ${days}`, timeZone };
}

function daysOf(name: string): string | undefined {
	if (name === "day") return "*";
	if (name === "weekday") return "1-5";
	const index = weekdays.indexOf(name);
	return index === -1 ? undefined : String(index);
}

function readTime(text: string | undefined): { readonly hour: number; readonly minute: number } | undefined {
	const [, hours, minutes = "0", half] = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/.exec(text ?? "") ?? [];
	if (hours === undefined) return undefined;
	const written = Number(hours);
	if (half !== undefined && (written < 1 || written > 12)) return undefined;
	const hour = half === undefined ? written : (written % 12) + (half === "pm" ? 12 : 0);
	const minute = Number(minutes);
	return hour <= 23 && minute <= 59 ? { hour, minute } : undefined;
}

function readOnce(text: string, now: number, timeZone: string): Trigger | undefined {
	const [, count, unit] = /^in (\d{1,6}) (minute|hour|day|week)s?$/i.exec(text) ?? [];
	const unitMs = units[unit?.toLowerCase() ?? ""];
	if (unitMs !== undefined) return { kind: "once", at: now + Number(count) * unitMs };
	const [, date, time, zone] =
		/^(?:at )?(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?)(Z|[+-]\d{2}:\d{2})?$/i.exec(text) ??
		[];
	if (date === undefined || time === undefined) return undefined;
	const at =
		zone === undefined
			? localTime(`${date}T${time.length === 5 ? `${time}:00` : time}`, timeZone)
			: Date.parse(`${date}T${time}${zone}`);
	return at === undefined || Number.isNaN(at) ? undefined : { kind: "once", at };
}

function readOther(words: string, timeZone: string): Trigger | undefined {
	const event = /^on ([a-z_]+\.[a-z_]+)$/.exec(words)?.[1];
	if (event !== undefined) return { kind: "event", event: eventOf(event) };
	const cron = /^(?:cron )?(\S+ \S+ \S+ \S+ \S+)$/.exec(words)?.[1];
	// Five words that start with neither a digit nor `*` are a sentence, not a cron expression.
	return cron !== undefined && /^[\d*]/.test(cron) ? { kind: "cron", cron, timeZone } : undefined;
}

/** Returns the event with the name `name`. Throws `invalid_argument` if no event with the name can start a schedule. */
export function eventOf(name: string): EventTrigger {
	const known = eventTriggers.find((event) => event === name);
	if (known !== undefined) return known;
	throw noEvent(name);
}

function noEvent(name: string): ParleyError {
	return invalidSchedule(scheduleTimeTexts.noEvent(shown(name), eventTriggers.join(", ")));
}

/** Returns a readable description of a trigger, for example `every 2 hours`. */
export function whenText(trigger: Trigger): string {
	switch (trigger.kind) {
		case "cron":
			return `cron ${trigger.cron} (${trigger.timeZone})`;
		case "interval":
			return everyText(trigger.everyMs);
		case "once":
			return `at ${new Date(trigger.at).toISOString()}`;
		case "event":
			return `on ${trigger.event}`;
	}
}

function everyText(ms: number): string {
	for (const name of ["week", "day", "hour", "minute"]) {
		const unit = units[name] ?? 0;
		if (ms % unit === 0) return ms === unit ? `every ${name}` : `every ${ms / unit} ${name}s`;
	}
	return `every ${ms / 1000} seconds`;
}
