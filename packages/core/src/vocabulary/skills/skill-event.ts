/** The run that a skill works in. */
interface OfRun {
	readonly runId: string;
	/** The call of the model that started the skill; "" if a person did. */
	readonly callId: string;
	/** The name of the skill. */
	readonly skill: string;
}

/** One try of a step of a workflow. */
interface StepTry extends OfRun {
	readonly stepId: string;
	readonly title: string;
	/** The model that the step asks for; "" for the model of the run. */
	readonly model: string;
	/** The task that works on this try. */
	readonly taskId: string;
	/** Counts the tries of the step, from 1. */
	readonly attempt: number;
}

/**
 * What happens to a skill, in the session of its run. In this order: started; for each try of a step one step.started and
 * one step.completed; last exactly one completed. Steps that run in parallel are mixed. A try with `willRetry` is followed
 * by the next try of its step.
 */
export type SkillEvent =
	| (OfRun & {
			readonly type: "skill.started";
			/** `multi-step`: a workflow. */
			readonly kind: "simple" | "multi-step";
			readonly vars: Readonly<Record<string, string>>;
	  })
	| (StepTry & { readonly type: "skill.step.started" })
	| (StepTry & {
			readonly type: "skill.step.completed";
			/** The beginning of the result. */
			readonly output: string;
			/** "" if the step succeeded, `cancelled`, or the reason of the failure. */
			readonly error: string;
			/** The verdict about the criteria, in the words of the model that judged; "" without criteria. */
			readonly reason: string;
			readonly willRetry: boolean;
			readonly durationMs: number;
	  })
	| (OfRun & {
			readonly type: "skill.completed";
			/** The beginning of the result. */
			readonly output: string;
			/** "" if the skill succeeded, `cancelled`, or the reason of the failure. */
			readonly error: string;
			readonly durationMs: number;
	  });
