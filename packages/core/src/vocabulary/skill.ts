import { defined, ParleyError } from "@parley/base";
import type { Delegation } from "./delegation.ts";
import { skillLimitTexts } from "./texts.ts";

/** The place of a skill's file: the data directory, `.parley/skills` or `.claude/skills` of a working directory. */
export type SkillSource = "data" | "directory" | "claude";

export interface SkillStep {
	/** Unique in its skill. */
	readonly id: string;
	/** Default: the id. */
	readonly title: string;
	readonly prompt: string;
	/** A model's name or a tier; the model of the run if absent. */
	readonly model?: string;
	/** Ids of the steps that must end before this one starts. They exist and have no cycle. */
	readonly needs: readonly string[];
	/** Conditions that the result must meet. Absent without conditions. */
	readonly criteria?: readonly string[];
}

/** The content of a skill file. */
export interface SkillText {
	/** At most 64 letters, digits, dots, hyphens and underscores. */
	readonly name: string;
	/** At most 1,024 characters in one line; "" if the file has no text. */
	readonly description: string;
	/** The text after the frontmatter, trimmed, with its placeholders. */
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
	/** Steps of a workflow, in the order of the file. Absent for a skill with text only. */
	readonly steps?: readonly SkillStep[];
}

/** A skill that was read. */
export interface Skill extends SkillText {
	readonly source: SkillSource;
	/** Real path of the directory of `SKILL.md`, or of the directory that contains `NAME.md`. */
	readonly directory: string;
	/** SHA-256 of all files of the skill, in hexadecimal. */
	readonly hash: string;
}

/** The run that a skill works in. */
interface OfRun {
	readonly runId: string;
	/** The call of the model that started the skill; "" if a person did. */
	readonly callId: string;
	readonly skill: string;
}

/** One attempt of a step. */
interface StepTry extends OfRun {
	readonly stepId: string;
	readonly title: string;
	/** The requested model of the step; "" for the model of the run. */
	readonly model: string;
	/** The task that works on this try. */
	readonly taskId: string;
	/** Counts the tries of the step, from 1. */
	readonly attempt: number;
}

/**
 * Events of a skill, in the session of its run. Order: started; for each attempt of a step one step.started and one
 * step.completed; finally exactly one completed. Parallel steps are interleaved. An attempt with `willRetry` is followed by
 * the next attempt of its step.
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

/** A step of a workflow: of a skill, or the work of a sub-agent. */
export interface WorkStep extends SkillStep {
	readonly delegated?: Delegation;
}

/** A skill with steps, unchanged since its start. Its prompts have no placeholders. */
export interface Workflow {
	readonly name: string;
	/** SHA-256 of the files of the skill; absent in runs of earlier versions. */
	readonly hash?: string;
	/** At least one. Their ids are unique, and their needs exist and have no cycle. */
	readonly steps: readonly WorkStep[];
	/** Whether the steps are sub-agents: the failure of one does not affect the others, and all results are returned. */
	readonly isDelegation?: true;
	/** Names of the only tools of its steps, of those that the run has. All of these if absent. */
	readonly tools?: readonly string[];
	/** Model name or tier for steps without one. Default: the model of the run. */
	readonly model?: string;
}

export interface WorkflowCall {
	readonly workflow: Workflow;
	/** The arguments as the caller wrote them; "" for none. */
	readonly arguments: string;
	/** The call of the model that starts it; "" if a person does. One call starts one workflow. */
	readonly callId: string;
}

export interface WorkflowEnd {
	/** The results of the last steps; "" if it failed. */
	readonly output: string;
	/** "" if it succeeded, `cancelled`, or the reason of the failure in words for people. */
	readonly error: string;
}

/** Workflow records of a run. */
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

/** A skill that a call has started: its text, or the steps that the tool must run. */
export type StartedSkill = { readonly text: string } | Omit<WorkflowCall, "callId">;

/** Limits in characters. The filled-in texts are stored with the run and sent to the model. */
const max = { arguments: 100_000, filled: 1_000_000 } as const;

/** A skill as one run uses it: recorded with the run, so that a later change of the file has no effect on it. */
export interface UsedSkill {
	readonly name: string;
	readonly source: SkillSource;
	readonly directory: string;
	readonly hash: string;
	readonly tools?: readonly string[];
	readonly model?: string;
	/** As the caller wrote them; "" for none. */
	readonly arguments: string;
	/** Whether it has files besides its text. */
	readonly hasFiles: boolean;
	/** The text for the model: the name, the directory and the body, without placeholders. */
	readonly text: string;
	/** The steps of a workflow, without placeholders. */
	readonly steps?: readonly SkillStep[];
}

/** A message that begins with `/name`. */
export interface Invocation {
	readonly name: string;
	/** Everything after the name and one space. */
	readonly arguments: string;
}

/** The skill that a message may start; undefined if it does not begin with `/` and a name. */
export function invocationIn(content: string): Invocation | undefined {
	const [, name, given = ""] =
		/^\/([\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63})(?:\s([\s\S]*))?$/u.exec(content) ?? [];
	return name === undefined ? undefined : { name, arguments: given };
}

/**
 * Fills in the arguments of a call. With `isQuoted`, each is written as one line in quotes: the words of a person of a
 * chat, which must not read like the words of the skill. Throws `invalid_argument` if the arguments have more than 100,000
 * characters, or the text and the prompts of all steps together more than 1,000,000.
 */
export function useSkill(
	{ skill, files }: { readonly skill: Skill; readonly files: readonly string[] },
	given: string,
	{ isQuoted = false }: { readonly isQuoted?: boolean } = {},
): UsedSkill {
	const { name, source, directory, hash, body, tools, model, steps } = skill;
	if (given.length > max.arguments) {
		throw refused(skillLimitTexts.longArguments(name, given.length, max.arguments));
	}
	const filling = new Filling({ name, directory }, given, isQuoted);
	return {
		name,
		source,
		directory,
		hash,
		arguments: given,
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

/** The texts of one skill, filled in with the arguments of one call. */
class Filling {
	readonly #skill: FilledSkill;
	readonly #given: string;
	readonly #words: readonly string[];
	readonly #isQuoted: boolean;
	#length = 0;

	constructor(skill: FilledSkill, given: string, isQuoted: boolean) {
		this.#skill = skill;
		this.#given = given;
		this.#words = splitArguments(given);
		this.#isQuoted = isQuoted;
	}

	/**
	 * Replaces `$ARGUMENTS`, `$0` for the first argument and so on, `$ARGUMENTS[0]` as another spelling, and
	 * `${CLAUDE_SKILL_DIR}`, each once. Placeholders inside the arguments stay, and so do those without an argument.
	 */
	fill(text: string): string {
		this.#count(text.length);
		return text.replaceAll(
			/\$(?:ARGUMENTS(?:\[(\d{1,3})\])?|(\d{1,3})(?!\d)|\{CLAUDE_SKILL_DIR\})/g,
			(whole: string, index: string | undefined, short: string | undefined) => {
				const value = this.#valueOf(whole, index ?? short);
				this.#count(value.length - whole.length);
				return value;
			},
		);
	}

	#valueOf(whole: string, number: string | undefined): string {
		if (whole === "$ARGUMENTS") return this.#shown(this.#given);
		if (number === undefined) return this.#skill.directory;
		const word = this.#words[Number(number)];
		return word === undefined ? whole : this.#shown(word);
	}

	#shown(value: string): string {
		return this.#isQuoted ? JSON.stringify(value) : value;
	}

	/** Throws before the text becomes too long, so that it is never in memory. */
	#count(characters: number): void {
		this.#length += characters;
		if (this.#length <= max.filled) return;
		throw refused(skillLimitTexts.tooLong(this.#skill.name, max.filled));
	}
}

/**
 * Splits at spaces. `"` and `'` enclose spaces and are dropped. There are no escapes, and an open quote extends to the end.
 */
export function splitArguments(given: string): readonly string[] {
	const written = given.match(/(?:[^ "']|"[^"]*(?:"|$)|'[^']*(?:'|$))+/g) ?? [];
	return written
		.map((word) => word.replaceAll(/"([^"]*)(?:"|$)|'([^']*)(?:'|$)/g, "$1$2"))
		.filter((word) => word !== "");
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
