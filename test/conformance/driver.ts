import type { Wire } from "./requirement.ts";

export interface Question {
	/** Token of the open question. */
	readonly token: string;
	/** The tool and the arguments of the call. Absent on a wire that shows only the id of the call. */
	readonly tool?: string;
	readonly arguments?: unknown;
}

export interface Outcome {
	/** All streamed text, one item for each reply. */
	readonly streamed: readonly string[];
	/** The calls with visible arguments, in order of their start. */
	readonly calls: readonly Call[];
	/** The final text of the run, and its error or "". */
	readonly content: string;
	readonly error: string;
}

export interface Call {
	readonly name: string;
	readonly arguments: unknown;
	/** The result, or the error of a failed call. */
	readonly text: string;
	readonly failed: boolean;
}

/** One client with one conversation, in the terms of the runtime. */
export interface Conversation extends AsyncDisposable {
	/** Sends one or several messages in a row. `outcome` follows the runs that they start. */
	say(...texts: readonly string[]): Promise<void>;
	question(): Promise<Question>;
	approve(question: Question): Promise<void>;
	deny(question: Question): Promise<void>;
	cancel(): Promise<void>;
	/** Resolves when a part of the current reply was streamed. */
	streaming(): Promise<void>;
	/** Waits until the run ends and returns its outcome, once for each run. */
	outcome(): Promise<Outcome>;
	/** Disconnects, and returns the outcome of the active run without the text that was already streamed. */
	leave(): Promise<Pick<Outcome, "content" | "error">>;
	/** Replaces all messages with a summary, and returns the summary. */
	compact(): Promise<string>;
}

/** Operations of a wire for the scenarios of all wires. */
export interface Driver {
	readonly wire: Wire;
	/** The call that runs this command line, in the form that the wire shows. */
	readonly command: (line: string) => Pick<Call, "name" | "arguments">;
	/** Starts a conversation in a new gateway or process. */
	converse(): Promise<Conversation>;
}
