import type { Arrival, Room } from "@parley/connector";

/** An arrival, and what the inbox knows it by. */
export interface Incoming {
	readonly arrival: Arrival;
	readonly key: { readonly id: string; readonly conversation: string };
	/** Called when it is durably taken. Never rejects. */
	readonly taken?: () => Promise<void>;
}

/** What an event of the gateway comes to: nothing where it says why. */
export type Translated = readonly Incoming[] | { readonly ignored: string };

export type Handler = (data: unknown, signal: AbortSignal) => Translated | Promise<Translated>;

/** The outbox's and the inbox's name of a room. */
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
