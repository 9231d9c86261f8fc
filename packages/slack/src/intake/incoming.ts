import type { InboundEvent } from "@parley/connector";

/** An inbound event, and what the inbox knows it by. */
export interface Incoming {
	readonly inbound: InboundEvent;
	readonly key: { readonly id: string; readonly conversation: string };
}

/** What an event of Slack comes to: nothing where it says why. */
export type Translated = readonly Incoming[] | { readonly ignored: string };
