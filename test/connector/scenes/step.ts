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

/** Network faults of a request. */
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
	/** Viewer. Public posts are visible to all. */
	readonly to?: Name;
}

type Values = Readonly<Record<string, string | number | boolean>>;

/** Actions of a person. */
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
	/** Some labels of the choices while the last value is typed. */
	| (Where & { readonly types: string; readonly with: Values; readonly offers: readonly string[] });

export type Operating = {
	readonly [Method in RequestMethod]: {
		readonly operator: Method;
		readonly asks: MethodInput<Method>;
		/** A name in the answer whose value is kept for `{1}`. */
		readonly notes?: string;
		/** Final text of the answer. */
		readonly has?: string | RegExp;
	};
}[RequestMethod];

/** Events that affect all people. */
export type Happening<S extends Site = Site> =
	/** Simultaneous actions, before any response. */
	| { readonly together: readonly Doing[] }
	/** A message is called that from now on, whatever becomes of its words. */
	| { readonly calls: string; readonly on: string; readonly in?: string }
	/** A file where the agent works. */
	| { readonly file: string; readonly gets: string }
	| { readonly passes: number }
	/** The connector ends, and another process continues. */
	| { readonly restarts: "connector" | "gateway" | "both" }
	| { readonly stops: "connector" | "gateway" }
	| { readonly starts: "connector" | "gateway" }
	/** The connector's process ends, and the next one finds no database. */
	| { readonly losesDatabase: true }
	/** Fault of the next request to post, to edit or to read posts, or of another one by the platform's own name for it. */
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
			)[];
			readonly in?: string;
	  }
	/** Others than before may read the channel. */
	| { readonly opensTo: Name; readonly in?: string }
	| { readonly archives: string; readonly locked?: true }
	| { readonly removes: "channel" | "thread"; readonly in: string }
	/** A moderator deletes a post of Parley's. */
	| { readonly moderates: string; readonly in?: string }
	/** Request of the operator. `{1}` is the result of the last `notes`. */
	| Operating
	/** Action without words of its own. */
	| { does(town: Town<S>): void | Promise<void>; readonly what: string };

/** Condition that holds now or after the present work. */
export type Claim =
	/** The channel has such a post; with `times`, exactly that many. */
	| (Seen & { readonly shows: Sight; readonly times?: number })
	/** All posts of the channel, in this order, after all work. */
	| (Seen & { readonly showsOnly: readonly Sight[] })
	/** No post of the channel has that after all work. */
	| (Seen & { readonly hides: Sight })
	/** Private response for the person who acted last. */
	| { readonly told: Sight }
	/** The person who acted last sees this form. */
	| { readonly form: Sight }
	/** The person who acted last got a response without text. */
	| { readonly toldNothing: true }
	| { readonly typing: boolean; readonly in?: string }
	/** Keeps what the first group of the expression finds in a post, for `{1}`. */
	| (Seen & { readonly notes: RegExp })
	/** Rows of the outbox that wait for a person, or were given up: a part of the reason of each. */
	| { readonly stuck: readonly string[] }
	/** A file of the agent's root with its content, or null if it is missing. */
	| { readonly file: string; readonly has: string | null };

export type Step<S extends Site = Site> = Doing | Happening<S> | Claim;

export interface Scene<S extends Site = Site> {
	readonly name: string;
	readonly steps: readonly Step<S>[];
	/** It is about this platform's own ways. */
	readonly only?: "discord" | "slack";
	/** Channel settings of `general`. */
	readonly place?: {
		readonly mention?: "always";
		readonly sessions?: "person";
		readonly approvalHours?: number;
	};
	/** Commands run in a sandbox, which trusted channels and `run:` require. */
	readonly sandbox?: true;
	/** Address of the password pages. */
	readonly publicUrl?: string;
	/** Errors that belong to the scene. */
	readonly errors?: readonly RegExp[];
	/** Why it is not as it should be yet. */
	readonly todo?: string;
}
