import type { EventFrame } from "@parley/protocol";
import type { View } from "./outcome.ts";

export interface Follower {
	readonly name: string;
	readonly views: readonly View[];
	/** Joins a session and follows it from its start. */
	open(session: string): Promise<void>;
	/** Sends a message under its own key, again after a loss. Resolves with its run. */
	say(session: string, content: string): Promise<string>;
	/** Connects to a restarted gateway. Resolves when the client is connected, or has lost the connection again. */
	reconnect(): Promise<void>;
	/** Resolves when the client has noticed the loss of its connection. */
	lost(): Promise<void>;
	close(): Promise<void>;
}

/** Receives every frame, including transient ones. */
export type OnFrame = (frame: EventFrame) => void;
