import type { RunOrigin, Show, Trigger } from "./schedule.ts";

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
	/** A due time: the run that it started, or why it started none. The `user.message` of that run follows. */
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
