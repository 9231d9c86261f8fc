import { ozzie, type Requirement } from "../requirement.ts";

export const scheduleRequirements = {
	"schedule.create": ozzie(
		"our own, Schedules",
		"`schedule_task` creates a schedule by plain words, cron, interval, time or event, for a session or an external key, and is followed by `schedule.created`.",
	),
	"schedule.fire": ozzie(
		"observed 2.2, rulings Ozzie 7",
		"A due time is `schedule.trigger` with the run that it starts; `origin` of that run's messages says how the result is shown.",
	),
	"schedule.confirmed": ozzie(
		"our own, Schedules",
		"Before a schedule of a person fires, `person.check` asks the connector; its first `report_person` counts, and without one the due time waits.",
	),
	"schedule.own": ozzie(
		"our own, Schedules",
		"`list_schedules` and `unschedule_task` reach the caller's own schedules, the operator's reach all; removal is `schedule.removed`.",
	),
	"schedule.errors": ozzie(
		"our own, Schedules",
		"A schedule that can never fire, or that names its time twice, is refused with the value.",
	),
} satisfies Record<string, Requirement>;
