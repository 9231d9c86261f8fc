import type { OpenQuestion } from "./question.ts";

/** A call on a card. */
export interface CardRow {
	readonly token: string;
	readonly call: string;
	/** Number of the call on the cards of its reply, from 1. It never changes. */
	readonly number: number;
	/** Place among the approvals that were raised together, from 1. */
	readonly place: number;
	/** Whether the call was asked before in this reply. */
	readonly again: boolean;
	/** Absent while the call waits. */
	readonly ended?: EndedRow;
}

/** What a row shows of a call that does not wait any more. */
export interface EndedRow {
	readonly tool: string;
	/** Plain text. */
	readonly label: string;
	/** Markdown. */
	readonly outcome: string;
}

/** The calls of one reply that one post shows, in the order in which they were asked. Rows are added at the end only. */
export interface ReplyCard {
	/** `context.reply.id` of the approvals. */
	readonly reply: string;
	readonly rows: readonly [CardRow, ...CardRow[]];
	readonly task?: string;
}

/** Maximum number of cards in a conversation's state: more questions are never open. */
const maxCards = 200;
/** Cards without a waiting call are kept for presses that arrive late. */
const maxEnded = 8;

/** An approval that says which reply it belongs to. */
export type ReplyQuestion = OpenQuestion & Required<Pick<OpenQuestion, "reply" | "call">>;

/** Whether a question is an approval that can share a card with others of its reply. */
export function isOfReply(question: OpenQuestion): question is ReplyQuestion {
	return question.reply !== undefined && question.call !== undefined;
}

/**
 * Adds a call to the newest card of its reply, or to a new card if that one is full or has no waiting call: an edit of an
 * old post notifies no person. `maxRows` is the number of calls that one card shows.
 */
export function addToCard(
	cards: readonly ReplyCard[],
	{ token, call, reply, task }: ReplyQuestion,
	maxRows: number,
): readonly ReplyCard[] {
	const own = cards.filter((card) => card.reply === reply.id);
	const last = own.at(-1);
	const row: CardRow = {
		...{ token, call: call.id ?? token, place: reply.place },
		number: (last?.rows.at(-1)?.number ?? 0) + 1,
		again: own.some(({ rows }) => rows.some((one) => one.call === call.id)),
	};
	if (last && isWaiting(last) && last.rows.length < maxRows) {
		return cards.map((card) => (card === last ? { ...card, rows: [...card.rows, row] } : card));
	}
	const card: ReplyCard = { reply: reply.id, rows: [row], ...(task !== undefined && { task }) };
	return bounded([...cards, card]);
}

/** The cards that show the newest `count` calls of a reply. */
export function newestCards(
	cards: readonly ReplyCard[],
	{ id, count }: ReplyQuestion["reply"],
): readonly ReplyCard[] {
	const own = cards.filter(({ reply }) => reply === id);
	const newest = new Set(
		own
			.flatMap(({ rows }) => rows)
			.slice(-count)
			.map(({ token }) => token),
	);
	return own.filter(({ rows }) => rows.some(({ token }) => newest.has(token)));
}

/** The same cards with the end of a call. */
export function endRow(cards: readonly ReplyCard[], token: string, ended: EndedRow): readonly ReplyCard[] {
	const changed = cards.map((card) => {
		if (!card.rows.some((row) => row.token === token)) return card;
		const [first, ...others] = card.rows;
		const end = (row: CardRow): CardRow => (row.token === token ? { ...row, ended } : row);
		return { ...card, rows: [end(first), ...others.map(end)] as const };
	});
	return bounded(changed);
}

/** The card that shows a question. */
export function cardWith(cards: readonly ReplyCard[], token: string): ReplyCard | undefined {
	return cards.find(({ rows }) => rows.some((row) => row.token === token));
}

/** The waiting calls that were raised together with one of the card, itself included. */
export function raisedWith({ rows }: ReplyCard, token: string): readonly CardRow[] {
	const at = rows.findIndex((row) => row.token === token);
	const first = rows.findLastIndex(({ place }, index) => index <= at && (place === 1 || index === 0));
	const next = rows.findIndex(({ place }, index) => index > first && place === 1);
	return rows.slice(first, next < 0 ? undefined : next).filter(({ ended }) => !ended);
}

/**
 * What a button for all calls of a card stands for: the card, by its first token, and the calls that wait when the button
 * is shown, as the bits of a hexadecimal number. A call that is added later is not among them.
 */
export function writeDisplayed({ rows: [first, ...others] }: ReplyCard): string {
	const bits = [first, ...others].map(({ ended }, index) => (ended ? 0 : 2 ** index));
	return `${first.token}.${bits.reduce((sum, bit) => sum + bit, 0).toString(16)}`;
}

/** The calls that a button for all calls stands for; undefined if the card is not known any more. */
export function readDisplayed(cards: readonly ReplyCard[], subject: string): readonly CardRow[] | undefined {
	const [token = "", bits = ""] = subject.split(".");
	const card = cards.find(({ rows: [first] }) => first.token === token);
	const displayed = Number.parseInt(bits, 16);
	return card?.rows.filter((_, index) => Math.floor(displayed / 2 ** index) % 2 === 1);
}

function isWaiting({ rows }: ReplyCard): boolean {
	return rows.some(({ ended }) => !ended);
}

function bounded(cards: readonly ReplyCard[]): readonly ReplyCard[] {
	const ended = cards.filter((card) => !isWaiting(card));
	const dropped = new Set(ended.slice(0, -maxEnded));
	return cards.filter((card) => !dropped.has(card)).slice(-maxCards);
}
