import type { Lane } from "../../platform/lane.ts";
import type { Control, Posting } from "../../platform/posting.ts";

type Post = Extract<Posting, { type: "post" }>;

/** What a conversation wants to be seen, before it is fitted to the platform. */
export type RenderOperation = ShowOperation | ThreadOperation;

export interface ShowOperation {
	readonly type: "show";
	readonly lane: Lane;
	/**
	 * Its first post is created, later ones edit it. A card is one post: what does not fit is cut, and `whole` says how
	 * the rest is reached.
	 */
	readonly card?: string;
	/** Markdown. */
	readonly text: string;
	/** Markdown that is posted instead if the platform refuses the post for its contents. */
	readonly plain?: string;
	/** A line of its own below the text, in small print where the platform has that: the badge, the cost. */
	readonly foot?: string;
	readonly controls?: readonly (readonly Control[])[];
	/** The task whose order it keeps, instead of the room's. */
	readonly task?: string;
	readonly replyTo?: Post["replyTo"];
	readonly thread?: Post["thread"];
	readonly upload?: Post["upload"];
	readonly marker?: Post["marker"];
	readonly list?: Post["list"];
}

/** A thread of its own for a card. */
export interface ThreadOperation {
	readonly type: "thread";
	readonly lane: Lane;
	readonly card: string;
	readonly name: string;
	readonly task?: string;
}
