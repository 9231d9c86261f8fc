/**
 * Scenes as data: the actions of people on a chat platform, and the expected posts.
 *
 *     {
 *       name: "a mention is answered below the message",
 *       steps: [
 *         { says: "@Parley say: good morning", as: "m" },     // Mia, in #general
 *         { shows: ["to Mia", "[offline] good morning"] },    // one post of Parley contains both
 *       ],
 *     }
 *
 * Each scene has a new platform and connector, and a gateway with the offline model. The clock advances by a second
 * before each action of a person, for `passes`, and while a claim waits for a timer. A scene fails if it breaks a rule of
 * the platform, notifies a person, or logs an unexpected error.
 *
 * - People (`by`, `to`): Olga is an owner, Alex an approver, Mia (the default) and Max are members, Gus is a guest, and
 *   Sam has no access. `@Parley` and `@Max` in their messages are mentions.
 * - Rooms (`in`): `general` (the default), `random`, `dm` (the person's direct messages with Parley), `thread` (the newest
 *   one), or the name of a thread.
 * - A message (`on`, `to` of `replies`, …) is referenced by its name from `as`, or by words of the newest one.
 * - `look.ts` formats a post: `to Mia` for a reply, its text, `file: NAME`, `[Button]`,
 *   `<Choose one: tea | coffee>`, `thread: NAME`. Only posts of Parley are checked.
 * - Scenes use the terms of Discord. `slack-site.ts` translates them to Slack.
 */
import type { MethodInput, RequestMethod } from "@parley/protocol";
import type { Fault as DiscordFault } from "../../simulators/discord/rest/network.ts";
import type { Fault as SlackFault } from "../../simulators/slack/web-api/network.ts";
import type { File, Site } from "./site.ts";
import type { Town } from "./town.ts";

export type Fault = DiscordFault & Pick<SlackFault, "error">;

export type Name = "Olga" | "Alex" | "Mia" | "Max" | "Gus" | "Sam" | "Robo";

/** Content of a post: words, an expression, or all of several. */
export type Sight = string | RegExp | readonly (string | RegExp)[];

interface Where {
	readonly by?: Name;
	readonly in?: string;
}

interface Seen {
	readonly in?: string;
	/** Viewer. Public posts are visible to all. */
	readonly to?: Name;
}

type Values = Readonly<Record<string, string | number | boolean>>;

export type Doing =
	| (Where & {
			readonly says: string;
			readonly as?: string;
			readonly attaches?: readonly File[];
			/** A message that is forwarded. Discord posts it before the text, as a message of its own. */
			readonly forwards?: string;
	  })
	| (Where & {
			readonly replies: string;
			readonly to: string;
			/** Without notifying the author. */
			readonly quiet?: true;
			readonly as?: string;
	  })
	| (Where & { readonly edits: string; readonly into: string })
	| (Where & { readonly deletes: string })
	| (Where & { readonly reacts: "❌" | "🔁" | "👍" | "👎"; readonly on: string })
	| (Where & { readonly opensThread: string; readonly of: string })
	/**
	 * With `fills`, the form that opens is filled in and sent. With `late`, the button is removed before the press arrives.
	 */
	| (Where & {
			readonly clicks: string;
			readonly on?: string;
			readonly fills?: Values;
			readonly late?: true;
	  })
	| (Where & { readonly chooses: readonly string[]; readonly on?: string })
	| (Where & { readonly commands: string; readonly with?: Values; readonly on?: string })
	/** Labels that the choices contain while the last value is typed. */
	| (Where & { readonly types: string; readonly with: Values; readonly offers: readonly string[] });

export type Operating = {
	readonly [Method in RequestMethod]: {
		readonly operator: Method;
		readonly asks: MethodInput<Method>;
		/** A name in the response whose value is stored as `{1}`. */
		readonly notes?: string;
		/** Final text of the answer. */
		readonly has?: string | RegExp;
	};
}[RequestMethod];

/** Events that affect all people. */
export type Happening<S extends Site = Site> =
	/** Simultaneous actions, before any response. */
	| { readonly together: readonly Doing[] }
	/** Time passes until the room shows such a post. Meanwhile, Parley is typing, except for a moment after a post. */
	| { readonly typesUntil: Sight; readonly in?: string }
	/** Gives a message a name for later steps. */
	| { readonly calls: string; readonly on: string; readonly in?: string }
	/** Writes a file into the working directory of the agent. */
	| { readonly file: string; readonly gets: string }
	| { readonly passes: number }
	/** The connector ends, and another process continues. */
	| { readonly restarts: "connector" | "gateway" | "both" }
	| { readonly stops: "connector" | "gateway" }
	| { readonly starts: "connector" | "gateway" }
	/** The connector's process ends, and the next one finds no database. */
	| { readonly losesDatabase: true }
	/** Fault of the next request to post, to edit or to read posts, or of a request by the platform's name. */
	| { readonly fault: string; readonly is: Fault }
	/** The connection to the platform is cut. */
	| { readonly cuts: "socket" }
	/** An administrator changes Parley's permissions in a channel. */
	| {
			readonly forbids: readonly (
				| "SendMessages"
				| "ViewChannel"
				| "CreatePublicThreads"
				| "ReadMessageHistory"
				| "AttachFiles"
				| "AddReactions"
			)[];
			readonly in?: string;
	  }
	/** Changes the readers of the channel. */
	| { readonly opensTo: Name; readonly in?: string }
	| { readonly archives: string; readonly locked?: true }
	/** A moderator locks a thread, which stays active. */
	| { readonly locks: string }
	/** A moderator opens a thread or channel again. */
	| { readonly reopens: string }
	| { readonly removes: "channel" | "thread"; readonly in: string }
	/** A moderator deletes a post of Parley. */
	| { readonly moderates: string; readonly in?: string }
	/** Request of the operator. `{1}` is the result of the last `notes`. */
	| Operating
	/** An action without a step of its own. */
	| { does(town: Town<S>): void | Promise<void>; readonly what: string };

/** A condition that is true now or after the present work. */
export type Claim =
	/** The channel has such a post. With `times`, exactly that many. */
	| (Seen & { readonly shows: Sight; readonly times?: number })
	/** All posts of the channel, in this order, after all work. */
	| (Seen & { readonly showsOnly: readonly Sight[] })
	/** After all work, no post of the channel has this content. */
	| (Seen & { readonly hides: Sight })
	/** Private response for the person who acted last. */
	| { readonly answered: Sight }
	/** The person who acted last sees this form. */
	| { readonly form: Sight }
	/** The person who acted last got a response without text. */
	| { readonly answeredNothing: true }
	| { readonly typing: boolean; readonly in?: string }
	/** Exactly these people were notified by mentions since the last such claim, in this order. */
	| { readonly notified: readonly Name[] }
	/** Stores the first group of the expression in a post as `{1}`. */
	| (Seen & { readonly notes: RegExp })
	/** Rows of the outbox that wait for the operator or were given up: a part of the reason of each. */
	| { readonly stuck: readonly string[] }
	/** A file of the agent's root with its content, or null if it is missing. */
	| { readonly file: string; readonly has: string | null };

export type Step<S extends Site = Site> = Doing | Happening<S> | Claim;

/** `approveIn`: whether approvals can also be answered in `random`. */
export interface SceneNotices {
	readonly groups: readonly {
		readonly people: readonly Name[];
		readonly by: readonly ("mention" | "channel" | "direct")[];
	}[];
	readonly remindMinutes: number;
	readonly escalateMinutes: number;
	readonly approveIn?: true;
}

export interface Scene<S extends Site = Site> {
	readonly name: string;
	readonly steps: readonly Step<S>[];
	/** The platform of a scene that other platforms do not have. */
	readonly only?: "discord" | "slack";
	/** Channel settings of `general`, or of `settingsOf`. */
	readonly place?: {
		readonly mention?: "always";
		readonly sessions?: "person";
		readonly approvalHours?: number;
		readonly context?: number;
		readonly status?: "reactions";
		readonly busy?: "offer";
		readonly live?: "off" | "text" | "everything";
		readonly answers?: "thread";
	};
	/** `dm`: Mia's direct messages. */
	readonly settingsOf?: "dm";
	/** Role of Robo, a bot. Default: a member. */
	readonly robo?: "approver";
	/** The gateway welcomes channels and people, in all scenes of the file. In Discord, `random` is the channel of notices. */
	readonly welcome?: true;
	/** Notices about approvals in `general`. */
	readonly notices?: SceneNotices;
	/** Whether the operator has turned off approvals by message, in all scenes of the file. */
	readonly typedApprovals?: "off";
	/** Messages of a person within 2 s become one request. */
	readonly joins?: true;
	/** Commands run in a sandbox, which trusted channels and `run:` require. */
	readonly sandbox?: true;
	/** Address of the password pages. */
	readonly publicUrl?: string;
	/** Errors that belong to the scene. */
	readonly errors?: readonly RegExp[];
	/** The reason why the expected behaviour is not implemented yet. */
	readonly todo?: string;
}
