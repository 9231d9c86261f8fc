import type { SlackReply } from "../../vocabulary/slack-port.ts";

/**
 * Delivers a payload from Slack. Resolves with the reply when the payload is stored or answered. After a rejection,
 * the payload must not be acknowledged.
 */
export type Deliver = (body: Readonly<Record<string, unknown>>, attempt: number) => Promise<SlackReply>;

/** A transport of deliveries: sockets, or signed requests. It acknowledges a delivery when `Deliver` has resolved. */
export interface Transport {
	start(): Promise<unknown>;
	/** Acknowledges running deliveries, and closes the transport. */
	close(): Promise<void>;
	/** Records a post for which Slack should send an event. */
	posted(): void;
}
