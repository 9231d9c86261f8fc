import type { Person, Room } from "../platform/inbound-event.ts";
import type { HandledEvent, HandlerContext, Reply } from "../rooms/handler-context.ts";

/** A suggested value of an option. `label` is the text that people see. */
export interface Suggestion {
	readonly value: string;
	readonly label: string;
}

export interface CommandOption {
	readonly name: string;
	readonly description: string;
	readonly type: "string" | "integer" | "boolean";
	readonly required: boolean;
	readonly choices?: readonly Suggestion[];
	/** Whether the command's `complete` has suggestions for this option. */
	readonly completes?: true;
	/**
	 * Inclusive limits of the value of an integer option, or of the length of a string option in UTF-16 code units.
	 */
	readonly min?: number;
	readonly max?: number;
}

/** Description of a command for platforms and for the validation of its options. */
export interface CommandShape {
	/** Name of one or two words, for example `ask` or `task new`. */
	readonly name: string;
	/** Alias in text commands. */
	readonly also?: string;
	readonly description: string;
	/** Options of the command, with the required options first. */
	readonly options: readonly CommandOption[];
	/**
	 * `manage`: if commands have permissions on the platform, the platform shows the command by default only to
	 * people who manage the server. The gateway checks permissions for every call.
	 */
	readonly least?: "manage";
}

/** An option, and the start of the value that a person is typing for it. */
export interface Completing {
	readonly option: string;
	readonly typed: string;
	/** Other options that are already filled in. */
	readonly options: Readonly<Record<string, string | number | boolean>>;
	readonly person: Person;
	readonly room: Room;
}

/** A command that a person calls from the platform's menu or writes as a text such as `!task new …`. */
export interface Command<At extends HandlerContext = HandlerContext> extends CommandShape {
	/**
	 * Runs the command with all required options. Resolves with the reply, or with undefined if another post is the
	 * answer. A rejection becomes the answer, or causes a retry if the error is temporary.
	 */
	run(context: At, handled: HandledEvent<"command">): Promise<Reply | undefined>;
	/** Returns up to 25 suggestions for an option with `completes`. A result after 1.5 s is ignored. */
	complete?(context: At, completing: Completing): Promise<readonly Suggestion[]>;
}
