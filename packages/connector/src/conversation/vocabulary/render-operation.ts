import type { Lane } from "../../platform/lane.ts";
import type { Control, Posting, StatusEmoji } from "../../platform/posting.ts";

type Post = Extract<Posting, { type: "post" }>;

/** Output of a reducer, before it is fitted to the platform. */
export type RenderOperation =
	| ShowOperation
	| ThreadOperation
	| DeleteOperation
	| ReactOperation
	| TitleOperation;

export interface ShowOperation {
	readonly type: "show";
	readonly lane: Lane;
	/**
	 * Id of the card. The first operation with this id creates the post, and later operations edit the post.
	 * Without `flows`, the content is cut to one post, with a note at the end.
	 */
	readonly card?: string;
	/** Whether the card may have several posts. Its content is then not cut. */
	readonly flows?: true;
	/** Content of the post, in Markdown. */
	readonly text: string;
	/** Markdown that is posted if the platform refuses the content of the post. */
	readonly plain?: string;
	/** Footer in small print, for example for costs. */
	readonly foot?: string;
	readonly controls?: readonly (readonly Control[])[];
	/** Id of the task, if the post is ordered among the posts of the task instead of the posts of the room. */
	readonly task?: string;
	readonly replyTo?: Post["replyTo"];
	readonly thread?: Post["thread"];
	readonly upload?: Post["upload"];
	readonly marker?: Post["marker"];
	/** Returns the button ids of the post with the index `index`, for `Posting.buttons`. */
	readonly buttons?: (index: number) => readonly string[];
	readonly since?: Post["since"];
	readonly list?: Post["list"];
	readonly notifies?: Post["notifies"];
	readonly elsewhere?: Post["elsewhere"];
	/** Platform ids of people whom the first post notifies. */
	readonly mentions?: readonly string[];
	/** Link to a card, below the last post. */
	readonly opens?: Post["opens"];
	/** State of a card or notice. Absent for the agent's text. */
	readonly state?: Post["state"];
}

export interface ThreadOperation {
	readonly type: "thread";
	readonly lane: Lane;
	readonly card: string;
	readonly name: string;
	readonly task?: string;
}

/** Replacement of the connector's reaction to a message. Without an emoji, the reaction is removed. */
export interface ReactOperation {
	readonly type: "react";
	readonly lane: Lane;
	/** Card of the reaction, or of the notice that replaces the reaction. */
	readonly card: string;
	readonly message: string;
	readonly emoji?: StatusEmoji;
	/** Post for a room in which the connector may not react. Without `notice`, an earlier notice is deleted. */
	readonly notice?: ShowOperation;
	readonly task?: never;
}

export interface DeleteOperation {
	readonly type: "delete";
	readonly lane: Lane;
	readonly card: string;
	readonly task?: string;
}

export interface TitleOperation {
	readonly type: "title";
	readonly lane: Lane;
	readonly card: string;
	readonly title: string;
	readonly task?: never;
}
