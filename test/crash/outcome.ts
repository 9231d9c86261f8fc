import type { EventFrame } from "@parley/protocol";

/** Where a kill hits: the first five are those that must be hit often enough. */
export const killStates = [
	"before the acknowledgement",
	"model streaming",
	"approval open",
	"tool running",
	"tool done, not recorded",
	"elsewhere",
] as const;
export type KillState = (typeof killStates)[number];

/** One SIGKILL that happened. */
export interface Kill {
	readonly state: KillState;
	/** Who pulled the trigger: the process itself at a failpoint, or the test from outside. */
	readonly by: "failpoint" | "outside";
	/** The effect whose call was certainly running. */
	readonly interrupts?: string;
}

/** One message that a client has sent, however often. Its text says `ID done` at its end. */
export interface SentMessage {
	readonly id: string;
	readonly session: string;
	readonly content: string;
	/** What its calls do to the world, each at most once. */
	readonly effects: readonly string[];
	/** The run of each acknowledgement that came. */
	readonly acked: string[];
}

/** The persisted frames of one session as one client got them, in the order of their coming. */
export interface View {
	readonly client: string;
	readonly session: string;
	readonly frames: EventFrame[];
}

/** What `load_messages` tells. */
export interface Page {
	readonly role: string;
	readonly content: string;
	readonly seq: number;
}

/** Everything that was seen from outside, over all restarts. */
export interface Outcome {
	readonly messages: readonly SentMessage[];
	readonly views: readonly View[];
	/** What somebody who comes last is shown from the beginning: one view a session. */
	readonly replay: readonly View[];
	/** By session. */
	readonly pages: ReadonlyMap<string, readonly Page[]>;
	/** How often each effect happened, counted outside of the process. */
	readonly effects: ReadonlyMap<string, number>;
	readonly kills: readonly Kill[];
}

/** The effect of a call, as its arguments name it: `echo EFFECT >> …`, or a file `EFFECT.db`. */
export function effectOf(args: unknown): string | undefined {
	if (typeof args !== "object" || args === null) return undefined;
	const { cmd, path } = args as { readonly cmd?: unknown; readonly path?: unknown };
	if (typeof cmd === "string") return /^echo (\S+) >>/.exec(cmd)?.[1];
	return typeof path === "string" ? /^(\S+)\.db$/.exec(path)?.[1] : undefined;
}
