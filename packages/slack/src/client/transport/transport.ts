import type { SlackReply } from "../../vocabulary/slack-port.ts";

/** Delivers a payload of Slack. Resolves with the reply when it is stored. If it rejects, Slack must send it again. */
export type Deliver = (body: Readonly<Record<string, unknown>>, attempt: number) => Promise<SlackReply>;

/** A transport of deliveries: sockets, or signed requests. It acknowledges when `Deliver` has resolved. */
export interface Transport {
	start(): Promise<unknown>;
	/** Acknowledges running deliveries, and ends. */
	close(): Promise<void>;
	/** The app posted something that Slack should send back as an event. */
	posted(): void;
}
