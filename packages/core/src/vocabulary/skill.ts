/** The place of a skill's file: the data directory, `.parley/skills` or `.claude/skills` of a working directory. */
export type SkillSource = "data" | "directory" | "claude";

/** A step of a workflow. */
export interface SkillStep {
	/** Unique in its skill. */
	readonly id: string;
	/** The id if the file gives none. */
	readonly title: string;
	readonly prompt: string;
	/** A model's name or a tier; the model of the run if absent. */
	readonly model?: string;
	/** Ids of the steps that must end before this one starts. They exist and have no cycle. */
	readonly needs: readonly string[];
	/** The conditions that the result must meet; absent if there are none. */
	readonly criteria?: readonly string[];
}

/** The content of a skill file. */
export interface SkillText {
	/** At most 64 letters, digits, dots, hyphens and underscores. */
	readonly name: string;
	/** At most 1,024 characters in one line; "" if the file has no text. */
	readonly description: string;
	/** The text behind the frontmatter, trimmed, with its placeholders. */
	readonly body: string;
	/** A form for the arguments, such as `[branch]`. */
	readonly argumentHint?: string;
	/** Whether only a person can start it, and no model. */
	readonly disableModelInvocation: boolean;
	/** Whether a person can start it with `/name`. */
	readonly userInvocable: boolean;
	/** Names of the only tools of its run, as the file writes them. */
	readonly tools?: readonly string[];
	/** A model's name or a tier for its run. */
	readonly model?: string;
	/** The steps of a workflow, in the order of the file; absent for a skill that is a text alone. */
	readonly steps?: readonly SkillStep[];
}

/** A skill that was read. */
export interface Skill extends SkillText {
	readonly source: SkillSource;
	/** Real path of its directory: of `SKILL.md`, or the one that holds `NAME.md`. */
	readonly directory: string;
	/** SHA-256 of all files of the skill, in hexadecimal. */
	readonly hash: string;
}

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

/** A skill with steps, as it was when it started. Its prompts have no placeholders. */
export interface Workflow {
	/** Name of the skill. */
	readonly name: string;
	/** SHA-256 of the files of the skill; absent in runs of earlier versions. */
	readonly hash?: string;
	/** At least one. Their ids are unique, and their needs exist and have no cycle. */
	readonly steps: readonly SkillStep[];
	/** Names of the only tools of its steps, of those that the run has. All of these if absent. */
	readonly tools?: readonly string[];
	/** A model's name or a tier for steps that name none; the model of the run if absent. */
	readonly model?: string;
}

/** The start of a workflow. */
export interface WorkflowCall {
	readonly workflow: Workflow;
	/** The arguments as the caller wrote them; "" for none. */
	readonly arguments: string;
	/** The call of the model that starts it; "" if a person does. One call starts one workflow. */
	readonly callId: string;
}

/** The end of a workflow. */
export interface WorkflowEnd {
	/** The results of the last steps; "" if it failed. */
	readonly output: string;
	/** "" if it succeeded, `cancelled`, or the reason of the failure in words for people. */
	readonly error: string;
}

/** What a run records of a workflow. */
export type WorkflowStep =
	/** A workflow has started. */
	| {
			readonly kind: "workflow";
			readonly callId: string;
			readonly workflow: Workflow;
			readonly arguments: string;
			/** Milliseconds since the epoch. */
			readonly at: number;
	  }
	/** A try of a step has started, as a task. */
	| {
			readonly kind: "try";
			readonly callId: string;
			readonly stepId: string;
			readonly taskId: string;
			/** The real name of the model. */
			readonly model: string;
			readonly at: number;
	  }
	/** The last try of a step has ended. */
	| {
			readonly kind: "tried";
			readonly callId: string;
			readonly stepId: string;
			readonly output: string;
			/** "" if it succeeded. */
			readonly error: string;
			/** Whether a further try follows. */
			readonly willRetry: boolean;
			/** Tokens of input and output together. */
			readonly tokens: number;
			/** Billionths of a US dollar. */
			readonly cost: number;
	  }
	| ({ readonly kind: "workflowEnded"; readonly callId: string } & WorkflowEnd);

/** A skill that a call has started: its text, or the steps that the tool has to run. */
export type StartedSkill = { readonly text: string } | Omit<WorkflowCall, "callId">;
