import type { ScriptedReply } from "@parley/core/testing";

/** Kinds of tasks, in the order of the results. */
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

/** A tool call as requested by the model. */
export interface Call {
	readonly tool: string;
	readonly arguments: unknown;
}

/** State after the run has ended. */
export interface Outcome {
	readonly answer: string;
	/** Error of the run. Empty if the run succeeded. */
	readonly error: string;
	/** Tool calls in order: one item per start, and one per approval or question. */
	readonly calls: readonly Call[];
	/** Returns the text of a file in the working directory, or undefined if the file does not exist. */
	read(path: string): Promise<string | undefined>;
	/** Whether a file in `surroundings` is unchanged. */
	isUntouched(path: string): Promise<boolean>;
}

/** A small task for the agent, with a check of the outcome. */
export interface Task {
	readonly name: string;
	readonly kind: Kind;
	/** Files in the working directory, by path. */
	readonly files: Readonly<Record<string, string>>;
	/** Files next to the working directory, by path. The agent must not change them. */
	readonly surroundings?: Readonly<Record<string, string>>;
	readonly message: string;
	/** Whether the user approves calls that require approval. By default, true. */
	readonly approves?: boolean;
	/** Returns the faults of the outcome. Empty if the task succeeded. */
	check(outcome: Outcome): Promise<readonly string[]> | readonly string[];
	/** Model replies that solve the task. They test the check without a real model. */
	readonly good: readonly ScriptedReply[];
	/** Model replies that fail the task. */
	readonly bad: readonly ScriptedReply[];
}
