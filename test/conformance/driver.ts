import type { Wire } from "./requirement.ts";

export interface Question {
	/** Token of the answered question. */
	readonly token: string;
	/** The tool and the arguments of the call; absent on a wire that shows only its id. */
	readonly tool?: string;
	readonly arguments?: unknown;
}

export interface Outcome {
	/** All streamed text, reply by reply. */
	readonly streamed: readonly string[];
	/** The calls with visible arguments, in the order of their start. */
	readonly calls: readonly Call[];
	/** The final text of the run, and its error or "". */
	readonly content: string;
	readonly error: string;
}

export interface Call {
	readonly name: string;
	readonly arguments: unknown;
	/** The result, or the error of a call that failed. */
	readonly text: string;
	readonly failed: boolean;
}

/** One client with one conversation, in the words of the runtime. */
export interface Conversation extends AsyncDisposable {
	/** Sends a message, or several in a row. Follow the runs that they start with `outcome`. */
	say(...texts: readonly string[]): Promise<void>;
	question(): Promise<Question>;
	approve(question: Question): Promise<void>;
	deny(question: Question): Promise<void>;
	cancel(): Promise<void>;
	/** Waits until a part of the current reply was streamed. */
	streaming(): Promise<void>;
	/** Waits for the end of the run and returns its outcome, once for each run. */
	outcome(): Promise<Outcome>;
	/** Leaves, and returns the outcome of the active run without the streamed part. */
	leave(): Promise<Pick<Outcome, "content" | "error">>;
	/** Replaces all messages by a summary, and returns it. */
	compact(): Promise<string>;
}

/** Operations of a wire for the scenarios of all wires. */
export interface Driver {
	readonly wire: Wire;
	/** The call that runs this command line, as the wire shows it. */
	readonly command: (line: string) => Pick<Call, "name" | "arguments">;
	/** Starts a conversation with a new gateway or process. */
	converse(): Promise<Conversation>;
}
