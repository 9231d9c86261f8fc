import type { EventFrame } from "@parley/protocol";

/** States of the gateway at a kill. `elsewhere` is any other state. */
export const killStates = [
	"before the acknowledgement",
	"model streaming",
	"approval open",
	"tool running",
	"tool done, not recorded",
	"elsewhere",
] as const;
export type KillState = (typeof killStates)[number];

export interface Kill {
	readonly state: KillState;
	/** Cause of the kill: a failpoint in the process, or a signal from the test. */
	readonly by: "failpoint" | "outside";
	/** Effect of a call that was certainly running at the kill. */
	readonly interrupts?: string;
}

/** A message that a client sent one or more times. Its text ends with `ID done`. */
export interface SentMessage {
	readonly id: string;
	readonly session: string;
	readonly content: string;
	/** Effects of the message's calls. Each effect may happen at most once. */
	readonly effects: readonly string[];
	/** The run id in each acknowledgement. */
	readonly acked: string[];
}

/** Persisted frames of one session, as received by one client, in order of arrival. */
export interface View {
	readonly client: string;
	readonly session: string;
	readonly frames: EventFrame[];
}

export interface Page {
	readonly role: string;
	readonly content: string;
	readonly seq: number;
}

/** Observations of clients and files, across all restarts. */
export interface Outcome {
	readonly messages: readonly SentMessage[];
	readonly views: readonly View[];
	/** Frames that a new client of the last process received from the beginning, one view per session. */
	readonly replay: readonly View[];
	/** Messages from `load_messages`, by session. */
	readonly pages: ReadonlyMap<string, readonly Page[]>;
	/** Number of times that each effect happened, read from the files of the root directory. */
	readonly effects: ReadonlyMap<string, number>;
	readonly kills: readonly Kill[];
}

/** Returns the effect in the arguments of a call: `echo EFFECT >> …`, or a file `EFFECT.db`. */
export function effectOf(args: unknown): string | undefined {
	if (typeof args !== "object" || args === null) return undefined;
	const { cmd, path } = args as { readonly cmd?: unknown; readonly path?: unknown };
	if (typeof cmd === "string") return /^echo (\S+) >>/.exec(cmd)?.[1];
	return typeof path === "string" ? /^(\S+)\.db$/.exec(path)?.[1] : undefined;
}
