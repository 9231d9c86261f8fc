import { defined, ParleyError } from "@parley/base";
import type { Delegation } from "./delegation.ts";
import { skillLimitTexts } from "./texts.ts";

/** Location of a skill's file: the data directory, or `.parley/skills` or `.claude/skills` in a working directory. */
export type SkillSource = "data" | "directory" | "claude";

export interface SkillStep {
	/** Id of the step, unique in its skill. */
	readonly id: string;
	/** Title in the file, or the id of a step without a title. */
	readonly title: string;
	readonly prompt: string;
	/** Name of a model, or a tier. Default: the skill's model, otherwise the run's model. */
	readonly model?: string;
	/** Ids of the steps that must succeed before this step starts. The steps exist and form no cycle. */
	readonly needs: readonly string[];
	/** Conditions that the result must meet. Absent if there are none. */
	readonly criteria?: readonly string[];
}

/** Content of a skill file. */
export interface SkillText {
	/** At most 64 letters, digits, dots, hyphens and underscores. */
	readonly name: string;
	/** At most 1,024 characters in one line. "" if the file has no description. */
	readonly description: string;
	/** Text after the frontmatter, trimmed, with placeholders. */
	readonly body: string;
	/** Hint for the arguments, such as `[branch]`. */
	readonly argumentHint?: string;
	/** Whether only a person can start the skill, and no model. */
	readonly disableModelInvocation: boolean;
	/** Whether a person can start the skill with `/name`. */
	readonly userInvocable: boolean;
	/** Names of the tools that the skill's run may use, as the file spells them. */
	readonly tools?: readonly string[];
	/** Name of a model, or a tier, for the skill's run. */
	readonly model?: string;
	/** Steps of a workflow, in the order of the file. Absent for a skill with text only. */
	readonly steps?: readonly SkillStep[];
}

/** A skill that was read from its files. */
export interface Skill extends SkillText {
	readonly source: SkillSource;
	/** Real path of the directory that contains `SKILL.md` or `NAME.md`. */
	readonly directory: string;
	/** SHA-256 of all files of the skill, in hexadecimal. */
	readonly hash: string;
}

interface OfRun {
	readonly runId: string;
	/** Tool call that started the skill, or "" if a person started it. */
	readonly callId: string;
	readonly skill: string;
}

interface StepTry extends OfRun {
	readonly stepId: string;
	readonly title: string;
	/** Resolved name of the model. */
	readonly model: string;
	/** Task that works on this attempt. */
	readonly taskId: string;
	/** Number of the attempt, from 1. */
	readonly attempt: number;
}

/**
 * Events of a skill, or of a delegation to sub-agents. They are in the session of the run that started the skill or the
 * delegation. The order is: one `started`; for each attempt of a step, one `step.started` and one `step.completed`; one
 * `completed`. Parallel steps are interleaved. After an attempt with `willRetry`, the next attempt of the step follows.
 */
export type SkillEvent =
	| (OfRun & {
			readonly type: "skill.started";
			/** `multi-step` for a workflow. */
			readonly kind: "simple" | "multi-step";
			readonly vars: Readonly<Record<string, string>>;
	  })
	| (StepTry & { readonly type: "skill.step.started" })
	| (StepTry & {
			readonly type: "skill.step.completed";
			/** Beginning of the result. */
			readonly output: string;
			/** "" if the step succeeded, otherwise the reason for the failure. It begins with `cancelled` if the step was cancelled. */
			readonly error: string;
			/** Reason of the verdict about the criteria, or "" if there was no verdict. */
			readonly reason: string;
			readonly willRetry: boolean;
			readonly durationMs: number;
	  })
	| (OfRun & {
			readonly type: "skill.completed";
			/** Beginning of the result. */
			readonly output: string;
			/** "" if the skill succeeded, `cancelled`, or the reason for the failure. */
			readonly error: string;
			readonly durationMs: number;
	  });

/** A step of a workflow: a step of a skill, or the work of a sub-agent. */
export interface WorkStep extends SkillStep {
	readonly delegated?: Delegation;
}

/** Steps that tasks execute for a run: the steps of a skill with filled placeholders, or the work of sub-agents. */
export interface Workflow {
	readonly name: string;
	/** SHA-256 of the skill's files. Absent for sub-agents, and in runs of earlier versions. */
	readonly hash?: string;
	/** At least one step. Step ids are unique. Needed steps exist and form no cycle. */
	readonly steps: readonly WorkStep[];
	/** Whether the steps are sub-agents. If so, a failed step does not affect other steps, and all results are returned. */
	readonly isDelegation?: true;
	/** Names of the tools that the steps may use. The run must have these tools. Default: all tools of the run. */
	readonly tools?: readonly string[];
	/** Name of a model, or a tier, for steps without a model. Default: the run's model. */
	readonly model?: string;
}

export interface WorkflowCall {
	readonly workflow: Workflow;
	/** Arguments as the caller wrote them, or "". */
	readonly arguments: string;
	/** Tool call that starts the workflow, or "" if a person starts it. A call starts at most one workflow. */
	readonly callId: string;
}

export interface WorkflowEnd {
	/** Results of the last steps or of all sub-agents, or "" if the workflow failed. */
	readonly output: string;
	/** Error of the workflow: "" if it succeeded, `cancelled`, or a readable reason for the failure. */
	readonly error: string;
}

/** Records of a workflow in the steps of a run. */
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
	/** An attempt of a step has started, as a task. */
	| {
			readonly kind: "try";
			readonly callId: string;
			readonly stepId: string;
			readonly taskId: string;
			/** Resolved name of the model. */
			readonly model: string;
			readonly at: number;
	  }
	/** The newest attempt of a step has ended. */
	| {
			readonly kind: "tried";
			readonly callId: string;
			readonly stepId: string;
			readonly output: string;
			/** "" if the attempt succeeded, otherwise the reason for the failure. */
			readonly error: string;
			/** Whether another attempt follows. */
			readonly willRetry: boolean;
			/** Tokens of input and output together. */
			readonly tokens: number;
			/** Billionths of a US dollar. */
			readonly cost: number;
			/** Milliseconds since the epoch. Absent in runs of earlier versions. */
			readonly at?: number;
	  }
	| ({ readonly kind: "workflowEnded"; readonly callId: string } & WorkflowEnd);

/** A skill that a tool call has started: its text, or the steps that the tool must run. */
export type StartedSkill = { readonly text: string } | Omit<WorkflowCall, "callId">;

/** Maximum characters of the arguments, and of all filled-in texts together. */
const max = { arguments: 100_000, filled: 1_000_000 } as const;

/**
 * A skill in the form that one run uses. This form is recorded with the run, so later changes to the file do not affect
 * the run.
 */
export interface UsedSkill {
	readonly name: string;
	readonly source: SkillSource;
	readonly directory: string;
	readonly hash: string;
	readonly tools?: readonly string[];
	readonly model?: string;
	/** Arguments as the caller wrote them, or "". */
	readonly arguments: string;
	/** Whether the skill has files in addition to its text. */
	readonly hasFiles: boolean;
	/** Text for the model: the name, the directory and the body with filled placeholders. */
	readonly text: string;
	/** Steps of a workflow, with filled placeholders. */
	readonly steps?: readonly SkillStep[];
}

/** A message that begins with `/name`. */
export interface Invocation {
	readonly name: string;
	/** Text after the name and one white-space character. */
	readonly arguments: string;
}

/** Returns the skill that a message may start. Undefined if the message does not begin with `/` and a name. */
export function invocationIn(content: string): Invocation | undefined {
	const [, name, argumentText = ""] =
		/^\/([\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63})(?:\s([\s\S]*))?$/u.exec(content) ?? [];
	return name === undefined ? undefined : { name, arguments: argumentText };
}

/**
 * Fills the arguments of a call into a skill. If `isQuoted` is true, each inserted text is a JSON string. The text of a
 * chat user then cannot look like text of the skill. Throws `invalid_argument` for arguments of more than 100,000
 * characters, or if the filled body and prompts together have more than 1,000,000 characters.
 */
export function useSkill(
	{ skill, files }: { readonly skill: Skill; readonly files: readonly string[] },
	argumentText: string,
	{ isQuoted = false }: { readonly isQuoted?: boolean } = {},
): UsedSkill {
	const { name, source, directory, hash, body, tools, model, steps } = skill;
	if (argumentText.length > max.arguments) {
		throw refused(skillLimitTexts.longArguments(name, argumentText.length, max.arguments));
	}
	const filling = new Filling({ name, directory }, argumentText, isQuoted);
	return {
		name,
		source,
		directory,
		hash,
		arguments: argumentText,
		hasFiles: files.length > 0,
		text: [`[Skill: ${name}]`, skillLimitTexts.basePath(directory), "", filling.fill(body)]
			.join("\n")
			.trimEnd(),
		...defined({
			tools,
			model,
			steps: steps?.map((step) => ({ ...step, prompt: filling.fill(step.prompt) })),
		}),
	};
}

interface FilledSkill {
	readonly name: string;
	readonly directory: string;
}

class Filling {
	readonly #skill: FilledSkill;
	readonly #argumentText: string;
	readonly #words: readonly string[];
	readonly #isQuoted: boolean;
	#length = 0;

	constructor(skill: FilledSkill, argumentText: string, isQuoted: boolean) {
		this.#skill = skill;
		this.#argumentText = argumentText;
		this.#words = splitArguments(argumentText);
		this.#isQuoted = isQuoted;
	}

	/**
	 * Replaces `$ARGUMENTS`, `${CLAUDE_SKILL_DIR}`, and `$N` or `$ARGUMENTS[N]`, where N is the index of an
	 * argument, from 0. Does not replace placeholders inside the arguments, or placeholders without an argument.
	 */
	fill(text: string): string {
		this.#count(text.length);
		return text.replaceAll(
			/\$(?:ARGUMENTS(?:\[(\d{1,3})\])?|(\d{1,3})(?!\d)|\{CLAUDE_SKILL_DIR\})/g,
			(placeholder: string, index: string | undefined, short: string | undefined) => {
				const value = this.#valueOf(placeholder, index ?? short);
				this.#count(value.length - placeholder.length);
				return value;
			},
		);
	}

	#valueOf(placeholder: string, number: string | undefined): string {
		if (placeholder === "$ARGUMENTS") return this.#shown(this.#argumentText);
		if (number === undefined) return this.#skill.directory;
		const word = this.#words[Number(number)];
		return word === undefined ? placeholder : this.#shown(word);
	}

	#shown(value: string): string {
		return this.#isQuoted ? JSON.stringify(value) : value;
	}

	/**
	 * Adds to the length of the filled texts. Throws before a text becomes too long, so that a longer text is
	 * never in memory.
	 */
	#count(characters: number): void {
		this.#length += characters;
		if (this.#length <= max.filled) return;
		throw refused(skillLimitTexts.tooLong(this.#skill.name, max.filled));
	}
}

/**
 * Splits a text at spaces outside `"` and `'`, and removes these quotes. Escapes are not supported. An
 * unclosed quote extends to the end.
 */
export function splitArguments(text: string): readonly string[] {
	const written = text.match(/(?:[^ "']|"[^"]*(?:"|$)|'[^']*(?:'|$))+/g) ?? [];
	return written
		.map((word) => word.replaceAll(/"([^"]*)(?:"|$)|'([^']*)(?:'|$)/g, "$1$2"))
		.filter((word) => word !== "");
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
