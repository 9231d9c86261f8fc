import type { EventFrame } from "@parley/protocol";

/** States in which a kill hits the gateway. Each planned state has a minimum number of hits. */
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
	/** Origin of the kill: the process itself at a failpoint, or the test from outside. */
	readonly by: "failpoint" | "outside";
	/** The effect whose call was certainly running during the kill. */
	readonly interrupts?: string;
}

/** A message of a client, sent once or several times. The text of the message ends with `ID done`. */
export interface SentMessage {
	readonly id: string;
	readonly session: string;
	readonly content: string;
	/** Effects of the message's calls. Each effect may happen at most once. */
	readonly effects: readonly string[];
	/** The run in each acknowledgement. */
	readonly acked: string[];
}

/** The persisted frames of one session that one client received, in order of arrival. */
export interface View {
	readonly client: string;
	readonly session: string;
	readonly frames: EventFrame[];
}

/** A message in the response to `load_messages`. */
export interface Page {
	readonly role: string;
	readonly content: string;
	readonly seq: number;
}

/** All outside observations, across all restarts. */
export interface Outcome {
	readonly messages: readonly SentMessage[];
	readonly views: readonly View[];
	/** The frames that a new client of the last process receives from the beginning: one view per session. */
	readonly replay: readonly View[];
	/** Pages of `load_messages`, by session. */
	readonly pages: ReadonlyMap<string, readonly Page[]>;
	/** Number of times that each effect happened, counted outside of the gateway process. */
	readonly effects: ReadonlyMap<string, number>;
	readonly kills: readonly Kill[];
}

/** The effect of a call, from its arguments: `echo EFFECT >> …`, or a file `EFFECT.db`. */
export function effectOf(args: unknown): string | undefined {
	if (typeof args !== "object" || args === null) return undefined;
	const { cmd, path } = args as { readonly cmd?: unknown; readonly path?: unknown };
	if (typeof cmd === "string") return /^echo (\S+) >>/.exec(cmd)?.[1];
	return typeof path === "string" ? /^(\S+)\.db$/.exec(path)?.[1] : undefined;
}
