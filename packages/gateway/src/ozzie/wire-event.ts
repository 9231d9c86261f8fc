import type { Passing, Recorded, SessionEvent } from "@parley/core";

/** What happens within a run that this wire has no word for. */
type Unnamed = "model.replied" | "tool.progress";

/** A passing event that this wire tells. */
export interface WirePassing extends Passing {
	readonly event: Exclude<Passing["event"], { readonly type: Unnamed }>;
}

/** An event that this wire tells. */
export type WireEvent = Recorded | WirePassing;

/** Whether this wire has a word for it. */
export function isWireEvent(happened: SessionEvent): happened is WireEvent {
	const { type } = happened.event;
	return type !== "model.replied" && type !== "tool.progress";
}
