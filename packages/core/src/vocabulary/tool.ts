import type { FileHandle } from "node:fs/promises";
import type { Clock, Logger } from "@parley/base";
import type * as z from "zod";
import type { BackgroundAccess } from "./commands/background-command.ts";
import type { DelegationAccess } from "./delegation.ts";
import type { MemoryAccess } from "./memory.ts";
import type { ImageBlock } from "./message.ts";
import type { Elicitation, ElicitationAnswer } from "./prompt.ts";
import type { Sandbox } from "./sandbox.ts";
import type { ScheduleAccess } from "./schedule.ts";
import type { Invocation, StartedSkill, WorkflowCall, WorkflowEnd } from "./skill.ts";
import type { FileFacts } from "./stored-file.ts";
import type { ActionClass } from "./taint.ts";
import type { PlanStep, TaskAccess, TaskProgress } from "./task.ts";

/**
 * Effect of a call, for recovery. After a crash only `none` and `idempotent` calls run again, and an interrupted `effectful`
 * one is reported to the model as unknown. Calls with effect `none` may run in parallel.
 */
export type ToolEffect = "none" | "idempotent" | "effectful";

/** Scope of an approval for the session: a tool, by the name that rules use, with a path below `root`, or an argv prefix. */
export type GrantScope = (
	| { readonly kind: "path"; readonly tool: string; readonly root: string }
	| { readonly kind: "argv"; readonly tool: string; readonly prefix: readonly string[] }
) & {
	/** Version of the rules under which it was approved and with which it ends. Absent: the built-in rules only. */
	readonly policy?: string;
};

/** Plan of a call before its decision. Planning has no effect. */
export interface ToolPlan {
	/** One line for people: `run ls -la`. The complete command or path, never cut. */
	readonly label: string;
	readonly classes: readonly ActionClass[];
	/** A unified diff for writes, else "". */
	readonly preview: string;
	/** Facts that the decision is based on (real path, directory, executable). Checked again just before the call runs. */
	readonly binding: Readonly<Record<string, string>>;
	/** Absent if no "for this session" answer can cover the call. */
	readonly grant?: GrantScope;
	/** Whether it reads everything below the path of its binding. */
	readonly below?: boolean;
	readonly notes: readonly string[];
	/** The notes that describe a usual call. A short display of an approval may omit them. */
	readonly usualNotes?: readonly string[];
	/** Collects facts that need long to collect. Called only if an approval is required, before the question. */
	readonly bind?: (options?: BindOptions) => Promise<BoundFacts>;
}

export interface BindOptions {
	/** The earlier binding. The search ends at the limits of the earlier search. */
	readonly earlier?: ToolPlan["binding"] | undefined;
	/** The looks of other calls at this moment. */
	readonly looks?: SharedLooks | undefined;
}

/** Facts of directories that calls of one reply share, so that each directory is inspected once. Valid for one moment. */
export type SharedLooks = Map<string, Promise<FilesFact>>;

/** Files below a directory at one moment. */
export interface FilesFact {
	/** The number of entries, then one line for each file: its path, a tab and its identity. */
	readonly text: string;
	readonly files: number;
	/** False if a limit ended the look before all files were seen. */
	readonly complete: boolean;
}

/** Further facts that an approval is bound to, and notes for the approver. */
export interface BoundFacts {
	readonly binding: Readonly<Record<string, string>>;
	readonly notes: readonly string[];
	/** As in `ToolPlan`. */
	readonly usualNotes?: readonly string[];
}

/** A request of a tool to the model of its run. The conversation of the session is not part of it. */
export interface PlainRequest {
	/** Name of the program that asks, for the instructions. */
	readonly from: string;
	readonly system: string;
	/** The last one is of the user. */
	readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
	/** Maximum tokens of the reply. The gateway allows 4,096 at most. */
	readonly maxTokens: number;
}

export interface PlainReply {
	/** The model that answered. */
	readonly model: string;
	readonly text: string;
	/** False if the reply ended at `maxTokens`. */
	readonly isComplete: boolean;
}

/** Directories and services of a call. Paths are absolute and real. */
export interface ToolContext {
	readonly sessionId: string;
	readonly callId: string;
	/** Directories that the tools of this session may access. The first one is the working directory. */
	readonly roots: readonly string[];
	readonly cwd: string;
	/** Paths that no tool may read or write, such as the data directory. */
	readonly forbidden: readonly string[];
	/** The only allowed directory below these: the session's own. */
	readonly workspace?: string | undefined;
	/** Directories below these that tools and commands may read, but not change: the operator's skills. */
	readonly readable?: readonly string[];
	readonly sandbox: Sandbox;
	readonly signal: AbortSignal;
	readonly clock: Clock;
	/** For errors whose details the model does not get. */
	readonly log: Logger;
	/**
	 * Asks a person and waits. This time is not included in the working time of the run. `withdrawn`: closes the question. Its
	 * outcome is then `cancelled`.
	 */
	ask(question: Elicitation, withdrawn?: AbortSignal): Promise<ElicitationAnswer>;
	/** Removes secrets from a text for a question. A text that is shortened first can end with a part of a secret. */
	redact(text: string): string;
	/**
	 * Asks the model once. The call counts for the limits and budgets of the run. Throws `resource_exhausted` if they do not
	 * allow it, `unavailable` if the model gives no text, and `cancelled` if `withdrawn` aborts first.
	 */
	reply(request: PlainRequest, withdrawn?: AbortSignal): Promise<PlainReply>;
	/** Sends output that people may watch while the call runs: UTF-8 text, cut anywhere. */
	progress(chunk: Uint8Array): void;
	/** Replaces the list of steps of the run, or of the task that makes the call. Clients show it as progress. */
	todo(steps: readonly PlanStep[]): Promise<TaskProgress>;
	/**
	 * Runs the steps of a skill and resolves with their result. Repeated for the same call it continues. Throws `cancelled`
	 * if the run is stopped, and `failed_precondition` inside a task.
	 */
	workflow(started: Omit<WorkflowCall, "callId">): Promise<WorkflowEnd>;
	readonly delegation: DelegationAccess;
	readonly background: BackgroundAccess;
	readonly memories: MemoryAccess;
	readonly schedules: ScheduleAccess;
	/** Starts a skill in the run. Throws in words for the model. */
	skill(invocation: Invocation): Promise<StartedSkill>;
	/** Set if a task makes the call. */
	readonly task?: TaskAccess;
	/** Opens a stored result of this session by its name (`output_…`). Throws `not_found` for an unknown name. */
	openOutput(name: string): Promise<FileHandle>;
	/** Shares a copy of the present file with the people of the session. A repetition for the same call changes nothing. */
	share(path: string, name: string): Promise<FileFacts>;
}

/**
 * `text` is sent to the model unchanged; `failed` marks an error. Never omits what has happened. `images` are added to
 * `text` for models that can see, so the text must describe them. Images of an error are dropped.
 */
export interface ToolResult {
	readonly text: string;
	readonly failed: boolean;
	readonly images?: readonly ImageBlock[];
	/**
	 * Text that people and later runs of the session get instead of `text`. Default: the same text. A long text is also
	 * stored in a file of the session, so `text` must then be short.
	 */
	readonly later?: string;
}

/** Other ways to write a parameter that have one meaning. */
export interface ParameterLeniency {
	readonly names?: readonly string[];
	/** A larger number becomes the maximum. */
	readonly atMost?: true;
	/** 0 becomes 1, because the caller counts from 0. */
	readonly fromZero?: true;
	/**
	 * Unit of a duration. Another unit is converted if the written name has it (`timeout_ms`), or if the number does not
	 * fit. A number above the maximum of seconds is read as milliseconds, and one below the minimum of milliseconds as
	 * seconds.
	 */
	readonly unit?: "s" | "ms";
}

/** Other spellings of a call with one meaning. `normaliseCall` converts them to the form of `parameters`. */
export interface Leniency {
	/** Other names of the tool. A name that differs only in case, `_` and `-` is accepted without being listed. */
	readonly names?: readonly string[];
	/** Keys that have no effect, such as `description`. */
	readonly ignored?: readonly string[];
	/** By parameter, also for the fields of objects in parameters. */
	readonly parameters?: Readonly<Record<string, ParameterLeniency>>;
}

/**
 * A tool. `plan` inspects without an effect. It throws a `ParleyError` for the model if the call is invalid (no such file, a
 * forbidden path). `run` gets the approved plan, and refuses if the state no longer fits its binding. Both get arguments
 * that passed `parameters`.
 */
export interface Tool<Arguments = unknown> {
	readonly name: string;
	/**
	 * Name in rules of policies, grants and channels. Default: its own. A tool under a second name has the first one here,
	 * so that rules about the first apply to both.
	 */
	readonly ruleName?: string;
	readonly description: string;
	/** Schema of the arguments. `defineTool` constructs it at the first use: most processes never use most tools. */
	parameters(): z.ZodType<Arguments>;
	/** JSON Schema of the arguments that models get; that of `parameters` if absent. */
	schema?(): Readonly<Record<string, unknown>>;
	readonly accepts?: Leniency;
	readonly effect: ToolEffect;
	/**
	 * Classes of a usual call, for clients that show permissions before any call. Without them, a call without an effect
	 * is treated as allowed by the built-in rules, and any other call as one that requires approval.
	 */
	readonly usual?: readonly ActionClass[];
	/**
	 * Parameters that accept a handle (`secret:…`) of a password. Only `run` gets the password. The model and all others see
	 * the handle.
	 */
	readonly secrets?: readonly string[];
	/** For a call that runs a program: the shell text, or the words. Rules about commands use it. */
	command?(args: Arguments): string | readonly string[];
	plan(args: Arguments, context: ToolContext): Promise<ToolPlan>;
	run(args: Arguments, plan: ToolPlan, context: ToolContext): Promise<ToolResult>;
}

/** Name of a tool, and its name in rules if that is another one. */
export interface NamedTool {
	readonly name: string;
	readonly ruleName?: string;
}

/** The name by which rules know a tool. */
export function ruleNameOf({ name, ruleName = name }: NamedTool): string {
	return ruleName;
}

/** Name of a client's tool in rules. Another tool may have the same name. */
export function clientRuleName(name: string): string {
	return `client:${name}`;
}

/** Checks the types of one tool and returns it as a tool of unknown arguments. */
export function defineTool<Arguments>(tool: Tool<Arguments>): Tool {
	let schema: z.ZodType<Arguments> | undefined;
	const parameters = (): z.ZodType<Arguments> => {
		schema ??= tool.parameters();
		return schema;
	};
	// True because the runner calls `plan` and `run` only with the output of `parameters`.
	return { ...tool, parameters } as unknown as Tool;
}
