import type { SkillStep } from "./skill.ts";

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
