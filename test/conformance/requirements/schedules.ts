import { ozzie, type Requirement } from "../requirement.ts";

export const scheduleRequirements = {
	"schedule.create": ozzie(
		"our own: Schedules",
		"`schedule_task` creates a schedule by plain words, cron, interval, time or event, for a session or an external key. `schedule.created` follows.",
	),
	"schedule.fire": ozzie(
		"observed 2.2, rulings Ozzie 7",
		"A due time is a `schedule.trigger` event with its run. `origin` of the messages of that run says how the result is shown.",
	),
	"schedule.confirmed": ozzie(
		"our own: Schedules",
		"Before a schedule of a person fires, `person.check` asks the connector. Its first `report_person` is used, and without one the due time waits.",
	),
	"schedule.own": ozzie(
		"our own: Schedules",
		"`list_schedules` and `unschedule_task` access the caller's schedules, and the operator's access all. Removal is `schedule.removed`.",
	),
	"schedule.errors": ozzie(
		"our own: Schedules",
		"A schedule that can never fire, or that has two times, is refused with the value.",
	),
} satisfies Record<string, Requirement>;
