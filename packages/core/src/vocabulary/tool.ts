import type { FileHandle } from "node:fs/promises";
import type { Clock, Logger } from "@parley/base";
import type * as z from "zod";
import type { BackgroundAccess } from "./commands/background-command.ts";
import type { DelegationAccess } from "./delegation.ts";
import type { ChangeRecorder, UndoAccess } from "./file-change.ts";
import type { MemoryAccess } from "./memory.ts";
import type { ImageBlock } from "./message.ts";
import type { StopReason } from "./model.ts";
import type { Elicitation, ElicitationAnswer } from "./prompt.ts";
import type { Sandbox } from "./sandbox.ts";
import type { ScheduleAccess } from "./schedule.ts";
import type { Invocation, StartedSkill, WorkflowCall, WorkflowEnd } from "./skill.ts";
import type { FileFacts } from "./stored-file.ts";
import type { ActionClass } from "./taint.ts";
import type { PlanStep, TaskAccess, TaskProgress } from "./task.ts";

/**
 * Effect of a tool call. It determines the recovery of the call. After a crash, only `none` and `idempotent` calls run
 * again. For an interrupted `effectful` call, the model learns that the effect is unknown. Calls with effect `none` may
 * run in parallel.
 */
export type ToolEffect = "none" | "idempotent" | "effectful";

/** Scope of an approval for the session: a tool, by its name in rules, with either a path below `root` or an argv prefix. */
export type GrantScope = (
	| { readonly kind: "path"; readonly tool: string; readonly root: string }
	| { readonly kind: "argv"; readonly tool: string; readonly prefix: readonly string[] }
) & {
	/**
	 * Version of the rules under which the scope was approved. Under a different version, the approval is no longer
	 * valid. If absent, only the built-in rules applied.
	 */
	readonly policy?: string;
};

/** Plan of a tool call, made before the decision. Planning has no side effects. */
export interface ToolPlan {
	/** One line for people, for example `run ls -la`. It contains the complete command or path. */
	readonly label: string;
	readonly classes: readonly ActionClass[];
	/** Unified diff of a write, or "". */
	readonly preview: string;
	/**
	 * Facts that the decision is based on, such as real path, directory and executable. The facts are checked again just
	 * before the call runs.
	 */
	readonly binding: Readonly<Record<string, string>>;
	/** Absent if no "for this session" answer can cover the call. */
	readonly grant?: GrantScope;
	/** Whether the call reads all files below the path in `binding`. */
	readonly below?: boolean;
	/** Real paths that the call writes, in addition to the path in `binding`. Rules apply to all of these paths. */
	readonly furtherPaths?: readonly string[];
	readonly notes: readonly string[];
	/** Notes that describe an ordinary call. A short display of an approval may omit them. */
	readonly usualNotes?: readonly string[];
	/**
	 * Collects facts that take time to determine. Called only if an approval is required: before the approval request, and
	 * when the call is planned again.
	 */
	readonly bind?: (options?: BindOptions) => Promise<BoundFacts>;
}

export interface BindOptions {
	/**
	 * Earlier binding. If a limit ended the earlier search, the new search reads at most as many entries as the earlier
	 * search.
	 */
	readonly earlier?: ToolPlan["binding"] | undefined;
	/** Facts that other tool calls of the same reply collected. */
	readonly sharedFacts?: SharedFilesFacts | undefined;
}

/**
 * Facts about directories that the tool calls of one reply share, so that each directory is read once. Not
 * valid after the calls are bound.
 */
export type SharedFilesFacts = Map<string, Promise<FilesFact>>;

/** Snapshot of the files below a directory. */
export interface FilesFact {
	/**
	 * First line: the number of scanned entries, followed by ` (limit)` if the search is not complete. Further lines: a path, a tab
	 * and an identity, for each file and each directory with files of installed packages. For an unreadable directory, the
	 * identity is the error code.
	 */
	readonly text: string;
	readonly files: number;
	/** False if a limit ended the search before all files were read. */
	readonly complete: boolean;
}

/** Further facts to which an approval is bound, and notes for the approver. */
export interface BoundFacts {
	readonly binding: Readonly<Record<string, string>>;
	readonly notes: readonly string[];
	/** Notes that describe an ordinary call, as in `ToolPlan`. */
	readonly usualNotes?: readonly string[];
}

/** A request of a tool to the model of the run. The request does not contain the session's messages. */
export interface PlainRequest {
	/** Name of the program that sends the request. The instructions for the model contain this name. */
	readonly from: string;
	readonly system: string;
	/** Messages of the request. The last message has role `user`. */
	readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
	/** Maximum tokens of the reply. The gateway allows at most 4,096. */
	readonly maxTokens: number;
}

export interface PlainReply {
	/** Model that answered. */
	readonly model: string;
	readonly text: string;
	readonly stop: StopReason;
}

/** Directories and services for a tool call. Paths are real absolute paths. */
export interface ToolContext {
	readonly sessionId: string;
	readonly callId: string;
	/** Directories that the tools of this session may access. The first directory is the working directory. */
	readonly roots: readonly string[];
	readonly cwd: string;
	/** Paths that no tool may use, such as the data directory. `workspace` and `readable` are exceptions. */
	readonly forbidden: readonly string[];
	/** The session's own workspace: the only directory below the forbidden paths that tools may change. */
	readonly workspace?: string | undefined;
	/** Directories below the forbidden paths that tools and commands may read but not change: the operator's skills. */
	readonly readable?: readonly string[];
	readonly sandbox: Sandbox;
	readonly signal: AbortSignal;
	readonly clock: Clock;
	/** Log for errors whose details the model does not receive. */
	readonly log: Logger;
	/**
	 * Asks a person and waits for the answer. The wait does not count as working time of the run. When `withdrawn` aborts, the
	 * question closes with the outcome `cancelled`.
	 */
	ask(question: Elicitation, withdrawn?: AbortSignal): Promise<ElicitationAnswer>;
	/**
	 * Removes secrets from a text for a question. Call it before shortening a text, because a shortened text can end with a part of
	 * a secret.
	 */
	redact(text: string): string;
	/**
	 * Calls the model once. The call counts toward the limits and budgets of the run. Throws:
	 * - `resource_exhausted` if a limit or budget does not allow the call
	 * - `unavailable` if the model returns no text
	 * - `cancelled` if `withdrawn` aborts first
	 * - the error of a failed model call
	 */
	reply(request: PlainRequest, withdrawn?: AbortSignal): Promise<PlainReply>;
	/**
	 * Sends output that people may watch while the call runs. The bytes are read as UTF-8, even across chunks.
	 */
	progress(chunk: Uint8Array): void;
	/**
	 * Replaces the list of steps of the run. If a task makes the call, replaces the task's list instead. Clients show the
	 * list as progress.
	 */
	todo(steps: readonly PlanStep[]): Promise<TaskProgress>;
	/**
	 * Runs the steps of a skill and resolves with the result of the skill. A repeated call continues the same steps. Throws
	 * `cancelled` if the run is stopped, and `failed_precondition` inside a task.
	 */
	workflow(started: Omit<WorkflowCall, "callId">): Promise<WorkflowEnd>;
	readonly delegation: DelegationAccess;
	readonly background: BackgroundAccess;
	readonly changes: ChangeRecorder;
	/** Set for the tool call with which a run undoes a turn. */
	readonly undo?: UndoAccess;
	readonly memories: MemoryAccess;
	readonly schedules: ScheduleAccess;
	/** Starts a skill in the run. Throws an error for the model if the skill cannot start. */
	skill(invocation: Invocation): Promise<StartedSkill>;
	/** Set if a task makes the call. */
	readonly task?: TaskAccess;
	/** Opens a stored result of this session by its name (`output_…`). Throws `not_found` for an unknown name. */
	openOutput(name: string): Promise<FileHandle>;
	/**
	 * Shares a copy of a file with the readers of the session. The copy has the current content. A repeated tool call
	 * returns the first copy again.
	 */
	share(path: string, name: string): Promise<FileFacts>;
}

/**
 * Result of a tool call. The model gets `text` without secrets, and shortened if it is long. `failed` marks an error. `text` must
 * report all effects of the call. `images` are added for models that can see, so `text` must describe them. Images of a failed call
 * are dropped.
 */
export interface ToolResult {
	readonly text: string;
	readonly failed: boolean;
	readonly images?: readonly ImageBlock[];
	/**
	 * Text that people and later runs of the session get instead of `text`. Default: `text`. A long `text` is also stored in a file
	 * of the session, so `text` must be short if `later` is present.
	 */
	readonly later?: string;
}

/** Other unambiguous ways to write a parameter. */
export interface ParameterLeniency {
	readonly names?: readonly string[];
	/** Whether a larger number becomes the maximum. */
	readonly atMost?: true;
	/** Whether 0 becomes 1, for models that count from 0. */
	readonly fromZero?: true;
	/**
	 * Unit of a duration. A value in another unit is converted if the written name contains that unit, for example
	 * `timeout_ms`. If the name has no unit, a value in seconds above the parameter's maximum is read as milliseconds. A
	 * value in milliseconds below the minimum is read as seconds.
	 */
	readonly unit?: "s" | "ms";
}

/** Other unambiguous spellings of a tool call. `normaliseCall` converts them to the form of `parameters`. */
export interface Leniency {
	/** Other names of the tool. Names that differ only in case, `_` and `-` are accepted without an entry. */
	readonly names?: readonly string[];
	/** Top-level keys to ignore, such as `description`. */
	readonly ignored?: readonly string[];
	/** Other spellings by parameter. They also apply to fields of objects in parameters. */
	readonly parameters?: Readonly<Record<string, ParameterLeniency>>;
}

/**
 * A tool. `plan` inspects the call without side effects. `plan` throws a `ParleyError` for the model if the call is
 * invalid, for example for a missing file or a forbidden path. `run` gets the approved plan, and refuses if the state no
 * longer matches the plan's binding. `plan` and `run` receive arguments that passed `parameters`.
 */
export interface Tool<Arguments = unknown> {
	readonly name: string;
	/**
	 * Name in rules of policies, grants and channels. Default: `name`. A variant of another tool has the name of that tool,
	 * so that rules about that tool apply to both tools.
	 */
	readonly ruleName?: string;
	readonly description: string;
	/**
	 * Returns the schema of the arguments. `defineTool` creates the schema at the first use, because most processes use few
	 * tools.
	 */
	parameters(): z.ZodType<Arguments>;
	/** Returns the JSON Schema that models get. Default: the JSON Schema of `parameters`. */
	schema?(): Readonly<Record<string, unknown>>;
	readonly accepts?: Leniency;
	readonly effect: ToolEffect;
	/**
	 * Classes of an ordinary call, for clients that show permissions before any call. If absent, a call without
	 * an effect is treated as allowed by the built-in rules, and any other call as requiring approval.
	 */
	readonly usual?: readonly ActionClass[];
	/**
	 * Parameters that accept the handle of a password (`secret:…`). Only `run` receives the password. The model and all clients see
	 * the handle.
	 */
	readonly secrets?: readonly string[];
	/**
	 * Returns the shell text or the words of a call that runs a program. Rules about commands match this text or these
	 * words.
	 */
	command?(args: Arguments): string | readonly string[];
	plan(args: Arguments, context: ToolContext): Promise<ToolPlan>;
	run(args: Arguments, plan: ToolPlan, context: ToolContext): Promise<ToolResult>;
}

/** Name of a tool. `ruleName` is the tool's name in rules, if that name differs. */
export interface NamedTool {
	readonly name: string;
	readonly ruleName?: string;
}

export function ruleNameOf({ name, ruleName = name }: NamedTool): string {
	return ruleName;
}

/** Returns the name of a client's tool in rules. The prefix distinguishes the tool from other tools with the same name. */
export function clientRuleName(name: string): string {
	return `client:${name}`;
}

/** Checks the types of a tool, and returns it as a tool with arguments of unknown type. */
export function defineTool<Arguments>(tool: Tool<Arguments>): Tool {
	let schema: z.ZodType<Arguments> | undefined;
	const parameters = (): z.ZodType<Arguments> => {
		schema ??= tool.parameters();
		return schema;
	};
	// The cast is safe because the runner calls `plan` and `run` only with the output of `parameters`.
	return { ...tool, parameters } as unknown as Tool;
}
