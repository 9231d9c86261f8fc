import { defined } from "@parley/base";
import type { CardState } from "../../platform/posting.ts";
import type { OpenQuestion } from "./question.ts";

export interface CardRow {
	readonly token: string;
	readonly call: string;
	/** Number of the call on the cards of its reply, from 1. It never changes. */
	readonly number: number;
	/** Position among the approvals that were raised together, from 1. */
	readonly place: number;
	/** Number of changes of the call; absent if it never changed. */
	readonly changes?: number;
	/** Result of the call. Absent while the call is waiting. */
	readonly ended?: EndedRow;
}

/** Text of a row after the call was answered or closed. */
export interface EndedRow {
	readonly tool: string;
	/** Label of the call, in plain text. */
	readonly label: string;
	/** Result of the call, in Markdown. */
	readonly outcome: string;
	/** State of the card after the result. Absent if an earlier version of Parley stored the row. */
	readonly state?: CardState;
	/**
	 * First line of `outcome` without its time, and the time in milliseconds since the epoch. Absent if an earlier
	 * version of Parley stored the row.
	 */
	readonly decision?: string;
	readonly at?: number;
	/** The reason for a denial or the changed arguments, in plain text. */
	readonly detail?: string;
}

/** Calls of one reply in one post, in the order of their questions. Rows are added only at the end. */
export interface ReplyCard {
	/** `context.reply.id` of the approvals on the card. */
	readonly reply: string;
	readonly rows: readonly [CardRow, ...CardRow[]];
	readonly task?: string;
}

/** Maximum number of cards in a conversation's state. The maximum number of open questions is the same. */
const maxCards = 200;
/** Maximum number of stored cards without a waiting call. Late presses of their buttons need the cards. */
const maxEnded = 8;

/** An approval with the id of its reply. */
export interface ReplyQuestion extends OpenQuestion {
	readonly reply: NonNullable<OpenQuestion["reply"]>;
	readonly call: NonNullable<OpenQuestion["call"]>;
}

/** Whether a question is an approval that can share a card with other approvals of its reply. */
export function isOfReply(question: OpenQuestion): question is ReplyQuestion {
	return question.reply !== undefined && question.call !== undefined;
}

/**
 * Adds a call to the newest card of its reply. Starts a new card if the reply has no card, or if `fits` refuses the
 * longer card. Also starts a new card if no call of the newest card waits, because an edit of an old post notifies
 * no person.
 */
export function addToCard(
	cards: readonly ReplyCard[],
	{ token, call, reply, task }: ReplyQuestion,
	fits: (card: ReplyCard) => boolean,
): readonly ReplyCard[] {
	const last = cards.findLast((card) => card.reply === reply.id);
	const row: CardRow = {
		token,
		call: call.id ?? token,
		place: reply.place,
		number: (last?.rows.at(-1)?.number ?? 0) + 1,
	};
	const grown: ReplyCard | undefined = last && { ...last, rows: [...last.rows, row] };
	if (last && grown && isWaiting(last) && fits(grown)) {
		return cards.map((card) => (card === last ? grown : card));
	}
	const card: ReplyCard = { reply: reply.id, rows: [row], ...defined({ task }) };
	return bounded([...cards, card]);
}

/** Whether a card of the reply already has a row with the id of this call. */
export function isRepeated(cards: readonly ReplyCard[], { call, reply }: ReplyQuestion): boolean {
	return cards.some((card) => card.reply === reply.id && card.rows.some((row) => row.call === call.id));
}

/** Returns the cards that show the newest `count` calls of a reply. */
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

export function endRow(cards: readonly ReplyCard[], token: string, ended: EndedRow): readonly ReplyCard[] {
	const changed = cards.map((card) => {
		if (!card.rows.some((row) => row.token === token)) return card;
		const [first, ...others] = card.rows;
		const end = (row: CardRow): CardRow => (row.token === token ? { ...row, ended } : row);
		return { ...card, rows: [end(first), ...others.map(end)] as const };
	});
	return bounded(changed, findReplyCard(changed, token));
}

export function changeRow(cards: readonly ReplyCard[], token: string): readonly ReplyCard[] {
	const change = (row: CardRow): CardRow =>
		row.token === token ? { ...row, changes: (row.changes ?? 0) + 1 } : row;
	return cards.map((card) => {
		const [first, ...others] = card.rows;
		return { ...card, rows: [change(first), ...others.map(change)] as const };
	});
}

export function findReplyCard(cards: readonly ReplyCard[], token: string): ReplyCard | undefined {
	return cards.find(({ rows }) => rows.some((row) => row.token === token));
}

/**
 * Returns the waiting calls among the calls that were raised together with the call `token`, including this call.
 */
export function raisedWith({ rows }: ReplyCard, token: string): readonly CardRow[] {
	const at = rows.findIndex((row) => row.token === token);
	const first = rows.findLastIndex(({ place }, index) => index <= at && (place === 1 || index === 0));
	const next = rows.findIndex(({ place }, index) => index > first && place === 1);
	return rows.slice(first, next < 0 ? undefined : next).filter(({ ended }) => !ended);
}

/**
 * Returns the subject of a button for several calls of a card: the first token of the card, then two hexadecimal
 * numbers. In the first number, a bit is set for each call that the button answers. Calls that are added to the
 * card after the button have no bit. The second number is how often the answered calls have changed so far.
 */
export function writeDisplayed({ rows }: ReplyCard, tokens: ReadonlySet<string>): string {
	const bits = rows.map(({ token }, index) => (tokens.has(token) ? 2 ** index : 0));
	const shown = rows.filter(({ token }) => tokens.has(token));
	const numbers = [bits.reduce((sum, bit) => sum + bit, 0), changesOf(shown)];
	return [rows[0].token, ...numbers.map((number) => number.toString(16))].join(".");
}

/** The calls that a button answers, and the other calls on the same card. */
export interface Displayed {
	readonly displayed: readonly CardRow[];
	readonly others: readonly CardRow[];
	/** Whether one of the displayed calls has changed since the button was shown. */
	readonly changed: boolean;
}

/**
 * Reads a subject that `writeDisplayed` returned. A subject from an earlier version of Parley has no number of
 * changes, so 0 is used. Returns undefined for an unknown card.
 */
export function readDisplayed(cards: readonly ReplyCard[], subject: string): Displayed | undefined {
	const [token = "", bits = "", changes = "0"] = subject.split(".");
	const card = cards.find(({ rows: [first] }) => first.token === token);
	if (!card) return undefined;
	const number = Number.parseInt(bits, 16);
	const { displayed = [], others = [] } = Object.groupBy(card.rows, (row) =>
		Math.floor(number / 2 ** card.rows.indexOf(row)) % 2 === 1 ? "displayed" : "others",
	);
	return { displayed, others, changed: changesOf(displayed) !== Number.parseInt(changes, 16) };
}

function changesOf(rows: readonly CardRow[]): number {
	return rows.reduce((sum, { changes = 0 }) => sum + changes, 0);
}

function isWaiting({ rows }: ReplyCard): boolean {
	return rows.some(({ ended }) => !ended);
}

/** Returns the time of the last answer on a card, or 0 if no time is known. */
function lastEnd({ rows }: ReplyCard): number {
	return Math.max(...rows.map(({ ended }) => ended?.at ?? 0));
}

/**
 * Limits the number of stored cards. Cards without a waiting call are dropped first, in the order of their last
 * answers. `current`, the card of the current answer, is dropped last among them, because its post must still be
 * edited. If too many cards have a waiting call, the oldest cards are dropped.
 */
function bounded(cards: readonly ReplyCard[], current?: ReplyCard): readonly ReplyCard[] {
	const rank = (card: ReplyCard): number => (card === current ? Number.MAX_VALUE : lastEnd(card));
	const ended = cards.filter((card) => !isWaiting(card)).toSorted((one, other) => rank(one) - rank(other));
	const waiting = cards.length - ended.length;
	const remaining = Math.max(Math.min(maxEnded, maxCards - waiting), current && !isWaiting(current) ? 1 : 0);
	const dropped = new Set(ended.slice(0, Math.max(0, ended.length - remaining)));
	return cards.filter((card) => !dropped.has(card)).slice(-maxCards);
}
