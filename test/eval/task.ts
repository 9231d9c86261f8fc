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

/** A tool call as the model wrote it. */
export interface Call {
	readonly tool: string;
	readonly arguments: unknown;
}

/** State after a run. */
export interface Outcome {
	readonly answer: string;
	/** Error of the run; empty if it succeeded. */
	readonly error: string;
	/** All tool calls that started or asked for approval, in their order. */
	readonly calls: readonly Call[];
	/** Text of a file below the working directory; undefined if it does not exist. */
	read(path: string): Promise<string | undefined>;
	/** Whether a file of the surroundings is unchanged. They are beside the working directory. */
	isUntouched(path: string): Promise<boolean>;
}

/** A small task for the agent, with the rule that decides whether it succeeded. */
export interface Task {
	/** Unique. */
	readonly name: string;
	readonly kind: Kind;
	/** Files of the working directory, by path. */
	readonly files: Readonly<Record<string, string>>;
	/** Files beside the working directory, that the agent must not change, by path. */
	readonly surroundings?: Readonly<Record<string, string>>;
	/** The request of the person. */
	readonly message: string;
	/** Whether the person approves calls that require it. By default, yes. */
	readonly approves?: boolean;
	/** Returns the faults; none if the task succeeded. */
	check(outcome: Outcome): Promise<readonly string[]> | readonly string[];
	/** Replies of a model that solves the task, so that the rule can be tested without a real model. */
	readonly good: readonly ScriptedReply[];
	/** Replies of a model that fails. */
	readonly bad: readonly ScriptedReply[];
}
