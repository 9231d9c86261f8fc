import type { Wire } from "./requirement.ts";

/** An approval that a call waits for. */
export interface Question {
	/** Token of the answered question. */
	readonly token: string;
	/** The tool and the arguments of the call; absent on a wire that shows only its id. */
	readonly tool?: string;
	readonly arguments?: unknown;
}

/** Result of one message. */
export interface Outcome {
	/** All that was streamed, reply by reply. */
	readonly streamed: readonly string[];
	/** The calls that were shown with their arguments, in the order in which they started. */
	readonly calls: readonly Call[];
	/** The text that the run left, and what went wrong, or "". */
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
	/** Says something, or several things without waiting in between; the runs that it starts are followed with `outcome`. */
	say(...texts: readonly string[]): Promise<void>;
	/** The next approval that is asked for. */
	question(): Promise<Question>;
	approve(question: Question): Promise<void>;
	deny(question: Question): Promise<void>;
	cancel(): Promise<void>;
	/** Waits for something of the reply in the making. */
	streaming(): Promise<void>;
	/** Waits for the end of the run and returns its outcome, once for each run. */
	outcome(): Promise<Outcome>;
	/** Sends nothing more, and returns the outcome of the active run, as far as it was not streamed. */
	leave(): Promise<Pick<Outcome, "content" | "error">>;
	/** Has a summary put in the place of all that was said, and returns it. */
	compact(): Promise<string>;
}

/** Operations of a wire for the scenarios of all wires. */
export interface Driver {
	readonly wire: Wire;
	/** The call that runs this command line, as the wire shows it. */
	readonly command: (line: string) => Pick<Call, "name" | "arguments">;
	/** Begins a conversation with a gateway or a process of its own. */
	converse(): Promise<Conversation>;
}
