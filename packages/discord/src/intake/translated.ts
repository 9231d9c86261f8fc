import type { InboundEvent, Room } from "@parley/connector";

export interface Incoming {
	readonly inbound: InboundEvent;
	readonly key: { readonly id: string; readonly conversation: string };
	/** Runs when the inbound event is durable. Never rejects. */
	readonly stored?: () => Promise<void>;
}

/** Inbound events of a Discord event, or the reason why the Discord event is ignored. */
export type Translated = readonly Incoming[] | { readonly ignored: string };

export type Handler = (data: unknown, signal: AbortSignal) => Translated | Promise<Translated>;

/** Returns the name of a room in the outbox and the inbox. */
export function conversationOf({ thread, channel }: Room): string {
	return thread ?? channel;
}

export function incoming(inbound: InboundEvent, ...version: readonly string[]): Incoming {
	const { type, room } = inbound;
	const conversation = conversationOf(room);
	return { inbound, key: { id: [type, room.tenant, conversation, ...version].join(":"), conversation } };
}

export function unreadable(event: string): Translated {
	return { ignored: `the data of the event ${event} is invalid` };
}
