import * as z from "zod";

/** `call_id` is the call of the model that started the skill, or empty if a person did. */
const skill = { skill_name: z.string(), run_id: z.string(), call_id: z.string() };
const step = {
	...skill,
	step_id: z.string(),
	step_title: z.string(),
	/** Empty for the model of the run. */
	model: z.string(),
	/** The task of the step. */
	task_id: z.string(),
	/** Number of the try, from 1. */
	attempt: z.int().min(1),
};
/** Nanoseconds. */
const duration = z.int().min(0);

/** Events of skills, in the session of their run. */
export const skillPayloads = {
	"skill.started": z.object({
		...skill,
		type: z.enum(["simple", "multi-step"]),
		vars: z.record(z.string(), z.string()),
	}),
	"skill.step.started": z.object(step),
	/** One try of a step has ended: `error` is empty if it succeeded, `reason` is the verdict about its criteria. */
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
