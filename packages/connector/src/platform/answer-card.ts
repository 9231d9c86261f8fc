/**
 * Parts of an answer that are shown while the run works. `off`: none. `text`: the text. `tools`: also one line for each
 * tool call. `everything`: also the subject of each call.
 */
export type LiveLevel = "off" | "text" | "tools" | "everything";

/** Default level of channels. */
export const usualLevel: LiveLevel = "tools";

const prefix = "answer:";

/** Card id of a run's answer. The post grows while the run works. A longer answer has further posts. */
export function answerCard(run: string): string {
	return `${prefix}${run}`;
}

/** Id of the card for a post of an answer. `index` is the index of the post, from 0. */
export function postOfAnswer(card: string, index: number): string {
	return index === 0 ? card : `${card}/${index + 1}`;
}

/** Whether a card is a post of an answer. Such posts have transient edits, see `Outbox.draft`. */
export function isAnswerCard(card: string): boolean {
	return card.startsWith(prefix);
}

/** Card ids of the first `count` posts of an answer. `card` is the first id. */
export function postsOfAnswer(card: string, count: number): readonly string[] {
	return Array.from({ length: count }, (_, index) => postOfAnswer(card, index));
}

/** Subject of a control for the post with this card: `RUN[~QUESTIONS][/POST]`. */
export function subjectOfPost(card: string): string {
	return card.slice(prefix.length);
}

/** Returns the run of a subject by `subjectOfPost`. */
export function runOfSubject(subject: string): string {
	return subject.split(/[~/]/u)[0] ?? subject;
}
