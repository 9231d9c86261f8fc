import type { Passing, Recorded, SessionEvent } from "@parley/core";
import type { EventName, EventPayloads } from "@parley/protocol";

/** Events that the JSON wires do not show. */
type Unnamed = "model.replied" | "tool.running" | "calls.proposed" | "context.updated";

const unnamed: ReadonlySet<string> = new Set<Unnamed>([
	"model.replied",
	"tool.running",
	"calls.proposed",
	"context.updated",
]);

export interface WirePassing extends Passing {
	readonly event: Exclude<Passing["event"], { readonly type: Unnamed }>;
}

/** An event that the JSON wires show: the Ozzie wire and the HTTP endpoints. */
export type WireEvent = Recorded | WirePassing;

/** Maximum number of characters that clients get of a call's arguments while the model is writing the arguments. */
export const maxArguments = 32_768;

/** Number of characters between two progress events about arguments that are longer than `maxArguments`. */
const progressLength = 16_384;

export function isWireEvent(happened: SessionEvent): happened is Recorded | WirePassing {
	const { event } = happened;
	if (event.type !== "arguments.delta") return !unnamed.has(event.type);
	const { offset, json } = event;
	if (offset < maxArguments) return true;
	return Math.floor(offset / progressLength) < Math.floor((offset + json.length) / progressLength);
}

interface DeliveredEvent {
	readonly transient: boolean;
	readonly event: { readonly type: string };
}

const minor: ReadonlySet<string> = new Set(["thinking.delta", "arguments.delta", "tool.progress"]);

/**
 * Returns the priority of an event for slow readers. A slow reader first loses `minor` events, which only show that
 * the model is working, and then `droppable` events.
 */
export function weightOf({ transient, event }: DeliveredEvent): "required" | "droppable" | "minor" {
	if (!transient) return "required";
	if (event.type === "text.delta") return "droppable";
	return minor.has(event.type) ? "minor" : "required";
}

/** Name and payload of an event, without the session and `seq`. */
export type EncodedEvent = {
	[Name in EventName]: { readonly event: Name; readonly payload: EventPayloads[Name] };
}[EventName];
