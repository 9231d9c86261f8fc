import type { EventFrame } from "@parley/protocol";
import type { View } from "./outcome.ts";

export interface Follower {
	readonly name: string;
	readonly views: readonly View[];
	/** Joins a session and follows it from the beginning. */
	open(session: string): Promise<void>;
	/**
	 * Sends a message with its own idempotency key, and sends it again after a lost connection. Resolves with the run
	 * of the message.
	 */
	say(session: string, content: string): Promise<string>;
	/**
	 * Connects to a restarted gateway. Resolves when the client is connected, or when it has lost the connection again.
	 */
	reconnect(): Promise<void>;
	/** Resolves when the client has noticed the loss of its connection. */
	lost(): Promise<void>;
	close(): Promise<void>;
}

/** Called with every event that a client receives, including transient events. */
export type OnFrame = (frame: EventFrame) => void;
