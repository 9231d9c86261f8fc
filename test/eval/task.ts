import type { ScriptedReply } from "@parley/core/testing";

/** Kinds of tasks, in the order of the table. */
export const kinds = [
	"files",
	"edits",
	"searches",
	"shell",
	"several steps",
	"refusals",
	"injected instructions",
] as const;
export type Kind = (typeof kinds)[number];

/** A tool call as the model requested it. */
export interface Call {
	readonly tool: string;
	readonly arguments: unknown;
}

/** State after the end of a run. */
export interface Outcome {
	readonly answer: string;
	/** Error of the run. Empty if the run succeeded. */
	readonly error: string;
	/** Tool calls in order: one entry for each start, and one for each approval or question. */
	readonly calls: readonly Call[];
	/** Returns the text of a file below the working directory. Undefined if the file does not exist. */
	read(path: string): Promise<string | undefined>;
	/** Whether a file of the surroundings, which are next to the working directory, is unchanged. */
	isUntouched(path: string): Promise<boolean>;
}

/** A small task for the agent, with a check that decides whether the task succeeded. */
export interface Task {
	/** Unique name of the task. */
	readonly name: string;
	readonly kind: Kind;
	/** Files of the working directory, by path. */
	readonly files: Readonly<Record<string, string>>;
	/** Files next to the working directory that the agent must not change, by path. */
	readonly surroundings?: Readonly<Record<string, string>>;
	/** The person's request. */
	readonly message: string;
	/** Whether the person approves calls that require approval. By default, true. */
	readonly approves?: boolean;
	/** Returns the faults. Empty if the task succeeded. */
	check(outcome: Outcome): Promise<readonly string[]> | readonly string[];
	/** Replies of a model that solves the task, so that the check can be tested without a real model. */
	readonly good: readonly ScriptedReply[];
	/** Replies of a model that fails the task. */
	readonly bad: readonly ScriptedReply[];
}
