import * as z from "zod";

/**
 * Fields about a skill and its run. `call_id` is the id of the tool call that started the skill. `call_id` is empty if
 * a person started the skill.
 */
const skill = { skill_name: z.string(), run_id: z.string(), call_id: z.string() };
const step = {
	...skill,
	step_id: z.string(),
	step_title: z.string(),
	/** Name of the step's model. Empty if the step uses the model of the run. */
	model: z.string(),
	/** Task that runs the step. */
	task_id: z.string(),
	/** Number of the attempt, from 1. */
	attempt: z.int().min(1),
};
/** Duration in nanoseconds. */
const duration = z.int().min(0);

/** Events about skills. Each event is in the session of the run that uses the skill. */
export const skillPayloads = {
	"skill.started": z.object({
		...skill,
		type: z.enum(["simple", "multi-step"]),
		vars: z.record(z.string(), z.string()),
	}),
	"skill.step.started": z.object(step),
	/**
	 * One attempt of a step has ended. `error` is empty if the attempt succeeded. `reason` explains the verdict about
	 * the step's criteria. `reason` is empty if there is no verdict.
	 */
	"skill.step.completed": z.object({
		...step,
		output: z.string(),
		error: z.string(),
		reason: z.string(),
		will_retry: z.boolean(),
		duration,
	}),
	"skill.completed": z.object({ ...skill, output: z.string(), error: z.string(), duration }),
};

export type SkillEventPayloads = {
	readonly [Name in keyof typeof skillPayloads]: Readonly<z.output<(typeof skillPayloads)[Name]>>;
};
