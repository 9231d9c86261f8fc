import type { Clock } from "@parley/base";
import type { Client, OpenSession, OzzieEvent } from "@parley/protocol";
import type { OutputFormat } from "../text/styles.ts";
import type { TextDisplay } from "./conversation.ts";
import type { ChatImages } from "./images/chat-images.ts";
import type { ShellLines } from "./slash-commands.ts";

export interface ChatDisplay {
	readonly format: () => OutputFormat;
	/** Prints rows. Called after each change of the chat, even if there are no rows to print. */
	readonly show: (rows: readonly string[]) => void;
	/** Whether the chat can ask the questions of tasks at any time. Otherwise, the chat only shows them. */
	readonly asksForTasks: boolean;
	readonly text: TextDisplay;
	/** Whether the answer `always` may add the rule that an approval offers. True if a person types at a terminal. */
	readonly offersRules: boolean;
	/** Effect of a typed line that begins with an exclamation mark. */
	readonly shellLines: ShellLines;
	readonly observer?: ChatObserver;
}

export interface ChatOptions extends ChatDisplay {
	readonly client: Client;
	readonly session: OpenSession;
	readonly clock: Clock;
	openNew(): Promise<OpenSession>;
	/** Opens an existing session by its id, which may be abbreviated. */
	openExisting(id: string): Promise<OpenSession>;
	/** Access to images. Absent if the chat cannot send images. */
	readonly images?: ChatImages;
	/**
	 * Resolves with paths that complete a text, relative to the session's directory. Absent if the session's directory
	 * is on another machine.
	 */
	listFiles?(sessionId: string, text: string): Promise<string[]>;
}

/** Receives the facts that the status row of a chat shows. */
export interface ChatObserver {
	/** Receives the id of the first session, and the id of each later session of the chat. */
	session(id: string): void;
	event(event: OzzieEvent): void;
	/** Receives the model that the person chose, after the gateway has accepted it. */
	model(name: string): void;
}
