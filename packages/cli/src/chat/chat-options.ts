import type { Clock } from "@parley/base";
import type { Client, OpenSession, OzzieEvent } from "@parley/protocol";
import type { OutputFormat } from "../text/styles.ts";
import type { TextDisplay } from "./conversation.ts";
import type { ShellLines } from "./slash-commands.ts";

export interface ChatDisplay {
	readonly format: () => OutputFormat;
	/** Prints these rows after a change. */
	readonly show: (rows: readonly string[]) => void;
	/** Whether questions of tasks can be asked at any time. Otherwise they are only shown. */
	readonly asksForTasks: boolean;
	readonly text: TextDisplay;
	/** Whether the answer `always` adds the rule that an approval offers: an operator types at a terminal. */
	readonly offersRules: boolean;
	/** Effect of a line that begins with an exclamation mark. */
	readonly shellLines: ShellLines;
	readonly observer?: ChatObserver;
}

export interface ChatOptions extends ChatDisplay {
	readonly client: Client;
	readonly session: OpenSession;
	readonly clock: Clock;
	openNew(): Promise<OpenSession>;
	/** Opens a session by its id, which may be abbreviated. */
	openExisting(id: string): Promise<OpenSession>;
	/** Absent if no images can be sent. */
	readonly images?: ChatImages;
	/** Files of the directory of a session that complete a text. Absent if the directory is on another machine. */
	listFiles?(sessionId: string, text: string): Promise<string[]>;
}

/** Images that a person sends by their paths. */
export interface ChatImages {
	/** Directory of a relative path that is pasted. */
	readonly cwd: string;
	/** Directory of a relative path after `@` in a session. */
	directory(sessionId: string): Promise<string>;
	/** Returns the id of the image. */
	upload(path: string): Promise<string>;
}

/** Follows a chat for its status row. */
export interface ChatObserver {
	/** Called for the first session, and for each session that replaces it. */
	session(id: string): void;
	event(event: OzzieEvent): void;
	/** The person has chosen a model. */
	model(name: string): void;
}
