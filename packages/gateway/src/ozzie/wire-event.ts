import type { Passing, Recorded, SessionEvent } from "@parley/core";

/** What happens within a run that this wire has no word for. */
type Unnamed = "model.replied" | "tool.progress";

/** A passing event that this wire tells. */
export interface WirePassing extends Passing {
	readonly event: Exclude<Passing["event"], { readonly type: Unnamed }>;
}

/** A refused message, for a client that never reads the error of a response and waits for the reply. */
interface RefusedMessage extends Omit<Passing, "event"> {
	readonly event: { readonly type: "message.refused"; readonly error: string };
}

/** An event that this wire tells. */
export type WireEvent = Recorded | WirePassing | RefusedMessage;

/** Whether this wire has a word for it. */
export function isWireEvent(happened: SessionEvent): happened is Recorded | WirePassing {
	const { type } = happened.event;
	return type !== "model.replied" && type !== "tool.progress";
}
