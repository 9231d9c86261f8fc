import type { EventFrame } from "@parley/protocol";
import type { View } from "./outcome.ts";

/** One client that follows sessions over all restarts. */
export interface Follower {
	readonly name: string;
	readonly views: readonly View[];
	/** Joins a session and follows it from its beginning. */
	open(session: string): Promise<void>;
	/** Sends a message under a key of its own, again after a loss, and resolves with its run. */
	say(session: string, content: string): Promise<string>;
	/** The gateway is there again. Resolves when the client is back, or lost again. */
	reconnect(): Promise<void>;
	/** Resolves when the client knows that the gateway is gone. */
	lost(): Promise<void>;
	close(): Promise<void>;
}

/** Told of every frame, transient ones too. */
export type OnFrame = (frame: EventFrame) => void;
