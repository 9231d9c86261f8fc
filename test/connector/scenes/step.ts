/**
 * Scenes: what people do on a chat platform and what they then see, as data.
 *
 *     {
 *       name: "a mention is answered below the message",
 *       steps: [
 *         { says: "@Parley say: good morning", as: "m" },     // Mia, in #general
 *         { shows: ["to Mia", "[offline] good morning"] },    // one post of Parley's has both
 *       ],
 *     }
 *
 * Each scene has a platform, a gateway with the offline model and the whole connector of its own. Time stands still but
 * for a second before each thing that a person does, for `passes`, and for what something waits for that somebody looks
 * for. What breaks the platform's rules, calls somebody, or logs an error that the scene does not expect, fails it.
 *
 * - People (`by`, `to`): Olga is an owner, Alex an approver, Mia (unless told) and Max are members, Gus is a guest, and
 *   nobody knows Sam. `@Parley`, `@Max` in what they say calls somebody.
 * - Rooms (`in`): `general` (unless told), `random`, `dm` (the person's own with Parley), `thread` (the newest one), or
 *   the name of a thread.
 * - A message is meant (`on`, `to` of `replies`, …) by what `as` called it, or by words in it: the newest that has them.
 * - A post is as `look.ts` writes it: `to Mia` where it replies, its text, `file: NAME`, `[Button]`,
 *   `<Choose one: tea | coffee>`, `thread: NAME`. Only what Parley wrote is looked at.
 * - Scenes are written as Discord has things. What another platform has instead, its site knows: `slack-site.ts`.
 */
import type { MethodInput, RequestMethod } from "@parley/protocol";
import type { Fault as DiscordFault } from "../../simulators/discord/rest/network.ts";
import type { Fault as SlackFault } from "../../simulators/slack/web-api/network.ts";
import type { File, Site } from "./site.ts";
import type { Town } from "./town.ts";

/** What goes wrong with a request on its way. */
export type Fault = DiscordFault & Pick<SlackFault, "error">;

export type Name = "Olga" | "Alex" | "Mia" | "Max" | "Gus" | "Sam" | "Robo";

/** Something that a post has: words, an expression, or all of several. */
export type Sight = string | RegExp | readonly (string | RegExp)[];

interface Where {
	readonly by?: Name;
	readonly in?: string;
}

interface Seen {
	readonly in?: string;
	/** Who looks; everybody sees what is not private. */
	readonly to?: Name;
}

type Values = Readonly<Record<string, string | number | boolean>>;

/** What a person does. */
export type Doing =
	| (Where & { readonly says: string; readonly as?: string; readonly attaches?: readonly File[] })
	| (Where & {
			readonly replies: string;
			readonly to: string;
			/** Without calling who wrote it. */
			readonly quiet?: true;
			readonly as?: string;
	  })
	| (Where & { readonly edits: string; readonly into: string })
	| (Where & { readonly deletes: string })
	| (Where & { readonly reacts: "❌" | "🔁" | "👍"; readonly on: string })
	| (Where & { readonly opensThread: string; readonly of: string })
	/** With `fills` the form that opens is filled in and sent; `late`, when the button is gone from that message. */
	| (Where & {
			readonly clicks: string;
			readonly on?: string;
			readonly fills?: Values;
			readonly late?: true;
	  })
	| (Where & { readonly chooses: readonly string[]; readonly on?: string })
	| (Where & { readonly commands: string; readonly with?: Values; readonly on?: string })
	/** What is offered while the last of the values is being written; some of the labels. */
	| (Where & { readonly types: string; readonly with: Values; readonly offers: readonly string[] });

export type Operating = {
	readonly [Method in RequestMethod]: {
		readonly operator: Method;
		readonly asks: MethodInput<Method>;
		/** A name in the answer whose value is kept for `{1}`. */
		readonly notes?: string;
		/** What the answer has at last. */
		readonly has?: string | RegExp;
	};
}[RequestMethod];

/** What happens to everybody. */
export type Happening<S extends Site = Site> =
	/** All at once, before anybody has answered. */
	| { readonly together: readonly Doing[] }
	/** A message is called that from now on, whatever becomes of its words. */
	| { readonly calls: string; readonly on: string; readonly in?: string }
	/** A file where the agent works. */
	| { readonly file: string; readonly gets: string }
	| { readonly passes: number }
	/** The connector ends, and another process goes on. */
	| { readonly restarts: "connector" | "gateway" | "both" }
	| { readonly stops: "connector" | "gateway" }
	| { readonly starts: "connector" | "gateway" }
	/** The connector's process ends, and the next one finds no database. */
	| { readonly losesDatabase: true }
	/** Of the next request to post, to edit or to read posts, or of another one by the platform's own name for it. */
	| { readonly fault: string; readonly is: Fault }
	/** The connection to the platform is cut. */
	| { readonly cuts: "socket" }
	/** Somebody who runs the server changes what Parley may do in a room. */
	| {
			readonly forbids: readonly (
				| "SendMessages"
				| "ViewChannel"
				| "CreatePublicThreads"
				| "ReadMessageHistory"
				| "AttachFiles"
			)[];
			readonly in?: string;
	  }
	/** Others than before may read the channel. */
	| { readonly opensTo: Name; readonly in?: string }
	| { readonly archives: string; readonly locked?: true }
	| { readonly removes: "channel" | "thread"; readonly in: string }
	/** A moderator deletes a post of Parley's. */
	| { readonly moderates: string; readonly in?: string }
	/** The operator asks the gateway; `{1}` in it is what the last `notes` found. */
	| Operating
	/** What cannot be said is done. */
	| { does(town: Town<S>): void | Promise<void>; readonly what: string };

/** What must be so, if not at once then as soon as what is at work has come so far. */
export type Claim =
	/** Somewhere in the room stands such a post; with `times` exactly so many. */
	| (Seen & { readonly shows: Sight; readonly times?: number })
	/** These are all posts of the room, in this order, when nothing is at work any more. */
	| (Seen & { readonly showsOnly: readonly Sight[] })
	/** No post of the room has that when nothing is at work any more. */
	| (Seen & { readonly hides: Sight })
	/** Who acted last is told so, in private. */
	| { readonly told: Sight }
	/** Who acted last sees this form. */
	| { readonly form: Sight }
	/** Who acted last was answered, and with nothing to read. */
	| { readonly toldNothing: true }
	| { readonly typing: boolean; readonly in?: string }
	/** Keeps what the first group of the expression finds in a post, for `{1}`. */
	| (Seen & { readonly notes: RegExp })
	/** Rows of the outbox that wait for a person, or were given up: a part of the reason of each. */
	| { readonly stuck: readonly string[] }
	/** A file of the agent's root, and what stands in it; null where it is not there. */
	| { readonly file: string; readonly has: string | null };

export type Step<S extends Site = Site> = Doing | Happening<S> | Claim;

export interface Scene<S extends Site = Site> {
	readonly name: string;
	readonly steps: readonly Step<S>[];
	/** It is about this platform's own ways. */
	readonly only?: "discord" | "slack";
	/** What is special about `general`. */
	readonly place?: {
		readonly mention?: "always";
		readonly sessions?: "person";
		readonly approvalHours?: number;
	};
	/** Commands run in a sandbox: needed by what is trusted, and by `run:`. */
	readonly sandbox?: true;
	/** Where secrets may be entered. */
	readonly publicUrl?: string;
	/** Errors that belong to the scene. */
	readonly errors?: readonly RegExp[];
	/** Why it is not as it should be yet. */
	readonly todo?: string;
}
