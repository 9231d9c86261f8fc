import type { Arrival, Room } from "@parley/connector";

/** Arrival with its key in the inbox. */
export interface Incoming {
	readonly arrival: Arrival;
	readonly key: { readonly id: string; readonly conversation: string };
	/** Called when the arrival is durable. Never rejects. */
	readonly taken?: () => Promise<void>;
}

/** Arrivals of an event, or the reason why it has none. */
export type Translated = readonly Incoming[] | { readonly ignored: string };

export type Handler = (data: unknown, signal: AbortSignal) => Translated | Promise<Translated>;

/** Name of a room in the outbox and the inbox. */
export function conversationOf({ thread, channel }: Room): string {
	return thread ?? channel;
}

export function incoming(arrival: Arrival, ...version: readonly string[]): Incoming {
	const { type, room } = arrival;
	const conversation = conversationOf(room);
	return { arrival, key: { id: [type, room.tenant, conversation, ...version].join(":"), conversation } };
}

export function unreadable(event: string): Translated {
	return { ignored: `the ${event} cannot be read` };
}
