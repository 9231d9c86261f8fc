import type { Schedule, WantedSchedule } from "./schedule.ts";

/** Schedules for one tool call: those of the person who began the run, for the session of the run. */
export interface ScheduleDesk {
	/** Throws if the schedule is not valid, if the run may create none, or if it would start a skill that only people may start. */
	check(wanted: WantedSchedule): Promise<void>;
	/** Creates a schedule. Repeated for the same call it changes nothing. */
	create(wanted: WantedSchedule): Promise<Schedule>;
	list(): Promise<readonly Schedule[]>;
	/** Returns a schedule that the person may remove. Throws `not_found` otherwise. */
	removable(id: string): Promise<Schedule>;
	remove(id: string): Promise<Schedule>;
}
