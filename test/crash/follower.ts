import type { EventFrame } from "@parley/protocol";
import type { View } from "./outcome.ts";

export interface Follower {
	readonly name: string;
	readonly views: readonly View[];
	/** Joins a session and reads its frames from the beginning. */
	open(session: string): Promise<void>;
	/**
	 * Sends a message with an idempotency key, and repeats it after a lost connection. Returns the id of the message's
	 * run.
	 */
	say(session: string, content: string): Promise<string>;
	/** Connects to a restarted gateway. Resolves when the client is connected or has lost the new connection. */
	reconnect(): Promise<void>;
	/** Resolves when the client has detected the loss of its connection. */
	lost(): Promise<void>;
	close(): Promise<void>;
}

/** Callback for each event that a client receives, including transient events. */
export type OnFrame = (frame: EventFrame) => void;
