import type { Passing, Recorded, SessionEvent } from "@parley/core";

/** Events of a run that this wire does not show. */
type Unnamed = "model.replied" | "tool.progress" | "calls.proposed";

const unnamed: ReadonlySet<string> = new Set<Unnamed>(["model.replied", "tool.progress", "calls.proposed"]);

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

/** Characters of a call's arguments that are shown while the model writes them: enough for a preview of a file. */
export const mostArguments = 32_768;
/** Characters after which a longer call tells how far it is. */
const progressEvery = 16_384;

/** Whether this wire shows it. */
export function isWireEvent(happened: SessionEvent): happened is Recorded | WirePassing {
	const { event } = happened;
	if (event.type !== "arguments.delta") return !unnamed.has(event.type);
	const { offset, json } = event;
	if (offset < mostArguments) return true;
	return Math.floor(offset / progressEvery) < Math.floor((offset + json.length) / progressEvery);
}

/**
 * Whether a slow reader does without it. `minor` events only show that the model is at work, and are left out first.
 */
export function weightOf({ transient, event }: WireEvent): "required" | "droppable" | "minor" {
	if (!transient) return "required";
	if (event.type === "text.delta") return "droppable";
	return event.type === "thinking.delta" || event.type === "arguments.delta" ? "minor" : "required";
}
