/** Texts of `parley discord posts` and `parley slack posts`. */
export const stuckPostTexts = {
	noPosts: "no held or failed posts",
	columns: ["ID", "STATE", "SINCE", "KIND", "REASON"],
	sentSoon: "the connector sends the post soon",
	discarded: "the post is discarded",
	sentAtStart: "the connector sends the post at its next start",
} as const;
