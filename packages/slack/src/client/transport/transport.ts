import type { SlackReply } from "../../vocabulary/slack-port.ts";

/** Passes a payload of Slack on. Resolves with the reply when it is durable; if it rejects, Slack must send it again. */
export type Deliver = (body: Readonly<Record<string, unknown>>, attempt: number) => Promise<SlackReply>;

/** One of the two ways on which Slack sends: sockets, or signed requests. It acknowledges when `Deliver` has resolved. */
export interface Transport {
	start(): Promise<unknown>;
	/** Acknowledges what is being taken, and ends. */
	close(): Promise<void>;
	/** The app posted something that Slack should send back as an event. */
	posted(): void;
}
