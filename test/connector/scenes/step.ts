/**
 * Scenes as data: the actions of people on a chat platform, and the posts that must follow.
 *
 *     {
 *       name: "a mention is answered below the message",
 *       steps: [
 *         { says: "@Parley say: good morning", as: "m" },     // Mia, in #general
 *         { shows: ["to Mia", "[offline] good morning"] },    // one post of Parley contains both
 *       ],
 *     }
 *
 * Each scene has a new platform and connector. The scenes of a file share a gateway with the offline model. The clock
 * advances by a second before each action of a person, for `passes`, and while an expectation waits for a timer. A scene
 * fails if it breaks a rule of the platform, notifies a person unexpectedly, logs an unexpected error, or posts internal
 * details.
 *
 * - People (`by`, `to`): Olga is an owner, Alex an approver, Mia (the default) and Max are members, Gus is a guest, and
 *   Sam has no access. Robo is a bot. `@Parley` and `@Max` in their messages are mentions.
 * - Rooms (`in`): `general` (the default), `random`, `dm` (the person's direct messages with Parley), `thread` (the newest
 *   one), or the name of a thread.
 * - A message (`on`, `to` of `replies`, …) is identified by its name from `as`, or by words of the newest message that
 *   contains them.
 * - `shown-posts.ts` formats a post: `to Mia` for a reply, its text, `file: NAME`, `[Button]`,
 *   `<Choose one: tea | coffee>`, `thread: NAME`. Only posts of Parley are checked.
 * - Scenes use the terms of Discord. `slack-site.ts` translates them to Slack.
 */
import type { MethodInput, RequestMethod } from "@parley/protocol";
import type { Fault as DiscordFault } from "../../simulators/discord/rest/network.ts";
import type { Fault as SlackFault } from "../../simulators/slack/web-api/network.ts";
import type { PlayedScene } from "./played-scene.ts";
import type { File, Site } from "./site.ts";

export type Fault = DiscordFault & Pick<SlackFault, "error">;

export type Name = "Olga" | "Alex" | "Mia" | "Max" | "Gus" | "Sam" | "Robo";

/** Content of a post: words, a regular expression, or a list of items that must all match. */
export type Sight = string | RegExp | readonly (string | RegExp)[];

interface Where {
	readonly by?: Name;
	readonly in?: string;
}

interface Seen {
	readonly in?: string;
	/** Viewer of the post. Without `to`, only public posts match. */
	readonly to?: Name;
}

type Values = Readonly<Record<string, string | number | boolean>>;

export type Doing =
	| (Where & {
			readonly says: string;
			readonly as?: string;
			readonly attaches?: readonly File[];
			/** Words of a message to forward. Discord posts the forwarded message before the text. */
			readonly forwards?: string;
	  })
	| (Where & {
			readonly replies: string;
			readonly to: string;
			/** Whether the reply suppresses the notification of the author. */
			readonly quiet?: true;
			readonly as?: string;
	  })
	| (Where & { readonly edits: string; readonly into: string })
	| (Where & { readonly deletes: string })
	| (Where & { readonly reacts: "❌" | "🔁" | "👍" | "👎"; readonly on: string })
	| (Where & { readonly opensThread: string; readonly of: string })
	/**
	 * Presses a button. With `fills`, fills in and submits the form that opens. With `late`, the button is removed before
	 * the press arrives.
	 */
	| (Where & {
			readonly clicks: string;
			readonly on?: string;
			readonly fills?: Values;
			readonly late?: true;
	  })
	| (Where & { readonly chooses: readonly string[]; readonly on?: string })
	| (Where & { readonly commands: string; readonly with?: Values; readonly on?: string })
	/** Types a command. The suggestions for its last value must contain the labels in `offers`. */
	| (Where & { readonly types: string; readonly with: Values; readonly offers: readonly string[] });

export type Operating = {
	readonly [Method in RequestMethod]: {
		readonly operator: Method;
		readonly asks: MethodInput<Method>;
		/** Property name in the response. Its value is stored as `{1}`. */
		readonly notes?: string;
		/** Content that the response must contain. The step waits for such a response. */
		readonly has?: string | RegExp;
	};
}[RequestMethod];

/** A step that is neither an action of one user nor an expectation. */
export type Happening<S extends Site = Site> =
	/** Concurrent actions, all before the first response. */
	| { readonly together: readonly Doing[] }
	/**
	 * Advances the clock until the room shows the post. Until then, Parley must show the typing indicator, with a short
	 * gap allowed after each post.
	 */
	| { readonly typesUntil: Sight; readonly in?: string }
	/** Names a message for later steps. */
	| { readonly calls: string; readonly on: string; readonly in?: string }
	/** Writes a file into the working directory of the agent. */
	| { readonly file: string; readonly gets: string }
	| { readonly passes: number }
	/** Stops the connector, the gateway or both, and starts them again with the stored state. */
	| { readonly restarts: "connector" | "gateway" | "both" }
	| { readonly stops: "connector" | "gateway" }
	| { readonly starts: "connector" | "gateway" }
	/** Stops the connector and deletes its database before the next start. */
	| { readonly losesDatabase: true }
	/**
	 * Makes the next request of this kind fail. `fault` is `post`, `edit`, `read`, `read channel`, or the platform's
	 * name of a route or API method.
	 */
	| { readonly fault: string; readonly is: Fault }
	| { readonly cuts: "socket" }
	/** An administrator removes Parley's permissions in a channel. */
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
	| { readonly opensTo: Name; readonly in?: string }
	| { readonly archives: string; readonly locked?: true }
	/** A moderator locks a thread, which stays active. */
	| { readonly locks: string }
	/** A moderator reopens a thread or channel. */
	| { readonly reopens: string }
	| { readonly removes: "channel" | "thread"; readonly in: string }
	| { readonly moderates: string; readonly in?: string }
	/** A request of the operator. `{1}` is the value of the last `notes`. */
	| Operating
	/** An action without its own step type. */
	| { does(played: PlayedScene<S>): void | Promise<void>; readonly what: string };

/** A condition that must become true without further actions. */
export type Expectation =
	/** The channel has a matching post. With `times`, exactly this number of matching posts. */
	| (Seen & { readonly shows: Sight; readonly times?: number })
	/** After all work is complete, the channel has exactly these posts, in this order. */
	| (Seen & { readonly showsOnly: readonly Sight[] })
	/** After all work is complete, no post of the channel has this content. */
	| (Seen & { readonly hides: Sight })
	| { readonly answered: Sight }
	/** The form that the last press or command has opened. */
	| { readonly form: Sight }
	/** The last press or command was acknowledged without a response for the user. */
	| { readonly answeredNothing: true }
	| { readonly typing: boolean; readonly in?: string }
	/** Mentions have notified exactly these users since the last `notified` expectation, in this order. */
	| { readonly notified: readonly Name[] }
	/** Matches a post, and stores the first capture group of the expression as `{1}`. */
	| (Seen & { readonly notes: RegExp })
	/** Outbox rows that wait for the operator or were given up, each identified by a part of its reason. */
	| { readonly stuck: readonly string[] }
	/** Content of a file in the agent's root directory. Null if the file must not exist. */
	| { readonly file: string; readonly has: string | null };

export type Step<S extends Site = Site> = Doing | Happening<S> | Expectation;

/** Notice settings. With `approveIn`, approvals can also be answered in `random`. */
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
	/** The only platform that plays the scene. */
	readonly only?: "discord" | "slack";
	/** Channel settings of `general`, or of the channel in `settingsOf`. */
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
	/** Other channel for the settings in `place`: Mia's direct messages. By default, `general`. */
	readonly settingsOf?: "dm";
	/** Role of Robo, a bot. By default, a member. */
	readonly robo?: "approver";
	/**
	 * The gateway welcomes channels and users, in all scenes of the file. On Discord, `random` is the channel for
	 * notices.
	 */
	readonly welcome?: true;
	/** Settings of the notices about approvals in `general`. */
	readonly notices?: SceneNotices;
	/** The gateway does not accept approvals by message, in all scenes of the file. */
	readonly typedApprovals?: "off";
	/** Messages of a user within 2 s become one request. */
	readonly joins?: true;
	/** Requires the sandbox, for example for trusted channels or `run:`. Without bubblewrap, the scene is skipped. */
	readonly sandbox?: true;
	/** Public address of password pages. */
	readonly publicUrl?: string;
	/** Expected errors in the log. */
	readonly errors?: readonly RegExp[];
	/** Reason why the expected behaviour is not implemented yet. The scene is then not played. */
	readonly todo?: string;
}
