/**
 * Parts of an answer that are shown while the run is active.
 * - `off`: none.
 * - `text`: the text.
 * - `tools`: also one line for each tool call.
 * - `everything`: also the subject of each call.
 */
export type LiveLevel = "off" | "text" | "tools" | "everything";

/** Default level of channels. */
export const usualLevel: LiveLevel = "tools";

const prefix = "answer:";

/** Returns the card id for the first post of a run's answer. */
export function answerCard(run: string): string {
	return `${prefix}${run}`;
}

/**
 * Returns the card id for a post of an answer. `card` is the id of the first post, and `index` starts at 0.
 */
export function postOfAnswer(card: string, index: number): string {
	return index === 0 ? card : `${card}/${index + 1}`;
}

/** Whether a card is a post of an answer. Such posts can have transient edits: see `Outbox.draft`. */
export function isAnswerCard(card: string): boolean {
	return card.startsWith(prefix);
}

/**
 * Returns the card ids of the first `count` posts of an answer. `card` is the card id of the answer's first post.
 */
export function postsOfAnswer(card: string, count: number): readonly string[] {
	return Array.from({ length: count }, (_, index) => postOfAnswer(card, index));
}

/** Returns the subject of a control for the post with the card id `card`: `RUN[~QUESTIONS][/POST]`. */
export function subjectOfPost(card: string): string {
	return card.slice(prefix.length);
}

/** Returns the run id in a subject that `subjectOfPost` returned. */
export function runOfSubject(subject: string): string {
	return subject.split(/[~/]/u)[0] ?? subject;
}
