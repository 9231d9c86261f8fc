import type { Wire } from "./requirement.ts";

export interface Question {
	readonly token: string;
	/** Name of the called tool. Undefined on a wire that shows only the id of the call. */
	readonly tool?: string;
	readonly arguments?: unknown;
}

export interface Outcome {
	/** Streamed text of each model reply, in order. */
	readonly streamed: readonly string[];
	/** Tool calls in order. Empty on a wire that does not show their arguments. */
	readonly calls: readonly Call[];
	/** The final text of the run. `error` is "" for a run without an error. */
	readonly content: string;
	readonly error: string;
}

export interface Call {
	readonly name: string;
	readonly arguments: unknown;
	readonly text: string;
	readonly failed: boolean;
}

/** A client with one conversation, independent of the wire. */
export interface Conversation extends AsyncDisposable {
	/** Sends messages without waiting for their runs. `outcome` returns the outcomes of the runs in order. */
	say(...texts: readonly string[]): Promise<void>;
	question(): Promise<Question>;
	approve(question: Question): Promise<void>;
	deny(question: Question): Promise<void>;
	cancel(): Promise<void>;
	/** Resolves when the client has received text of the current reply. */
	streaming(): Promise<void>;
	/** Waits for the oldest run whose outcome was not yet returned, and returns its outcome. */
	outcome(): Promise<Outcome>;
	/** Disconnects or closes the client's half of the connection, and returns the outcome of the active run. */
	leave(): Promise<Pick<Outcome, "content" | "error">>;
	compact(): Promise<string>;
}

/** Client of one wire, for scenarios that run on all wires. */
export interface Driver {
	readonly wire: Wire;
	/** Returns the name and arguments of the tool call that runs the command `line`. */
	readonly command: (line: string) => Pick<Call, "name" | "arguments">;
	/** Starts a conversation in a new gateway or process. */
	converse(): Promise<Conversation>;
}
