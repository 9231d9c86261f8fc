import type { Person, Room } from "../platform/inbound-event.ts";
import type { HandledEvent, HandlerContext, Reply } from "../rooms/handler-context.ts";

/** Something to choose from. `label` is what people read. */
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
	/** Whether `complete` of the command knows what may follow what is typed. */
	readonly completes?: true;
	/** The least and the most: of a number its value, of a text its characters. */
	readonly min?: number;
	readonly max?: number;
}

/** What a platform is told of a command, to show it and to check what people write. */
export interface CommandShape {
	/** One word or two: `ask`, `task new`. */
	readonly name: string;
	/** Another word for it in texts. */
	readonly also?: string;
	readonly description: string;
	/** The required ones first. */
	readonly options: readonly CommandOption[];
	/** Shown at first only to those who manage the platform's server; the gateway decides anyway. */
	readonly least?: "manage";
}

/** What somebody is typing. */
export interface Completing {
	readonly option: string;
	readonly typed: string;
	/** The other options as far as they are filled in. */
	readonly options: Readonly<Record<string, string | number | boolean>>;
	readonly person: Person;
	readonly room: Room;
}

/** A command, however it comes: from the platform's menu or as a text such as `!task new …`. */
export interface Command<At extends HandlerContext = HandlerContext> extends CommandShape {
	/** Rejects with the gateway's refusal, which is then answered in words. Required options are there. */
	run(context: At, handled: HandledEvent<"command">): Promise<Reply>;
	/** Up to 25, quickly; only for options that say `completes`. */
	complete?(context: At, asked: Completing): Promise<readonly Suggestion[]>;
}
