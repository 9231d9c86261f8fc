import type { InboundEvent } from "@parley/connector";

/** An inbound event with its key in the inbox. */
export interface Incoming {
	readonly inbound: InboundEvent;
	readonly key: { readonly id: string; readonly conversation: string };
}

/** Inbound events of a Slack event, or the reason why it is ignored. */
export type Translated = readonly Incoming[] | { readonly ignored: string };
