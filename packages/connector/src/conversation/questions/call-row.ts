import { columnsOf } from "../../text/columns.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";
import { oneLine, plainLine, visibleWords } from "../vocabulary/plain.ts";
import { lineOfColumns } from "../vocabulary/plain-columns.ts";
import { inlineCode } from "./markdown.ts";
import type { OpenQuestion, StoredText } from "./question.ts";
import type { CardRow } from "./reply-cards.ts";
import {
	cardColumns,
	isShownByArguments,
	separator,
	warningSign,
	whatOfStored,
	withoutNames,
} from "./short-card.ts";

/** Maximum length of a tool's name in a row or a notice, in UTF-16 code units. */
export const maxTool = 24;
/** Minimum columns for the text of a call in a row. */
const minText = 12;
/** Maximum width of the warnings in columns, if they share a line with the call. */
const maxWarnings = 32;

/** The lines of a waiting call on a card. */
export interface CallRow {
	readonly lines: readonly string[];
	/** Whether a part of the call is missing. */
	readonly cut: boolean;
}

interface Piece {
	readonly text: string;
	readonly columns: number;
}

/**
 * Draws a waiting call of a card with several calls, in at most `maximum` lines. If the complete call does not fit,
 * the row omits the effect, and shortens or omits the text and the warnings.
 */
export function callRow(row: CardRow, question: OpenQuestion, maximum: number): CallRow {
	const head = headOf(row, question);
	const what = subjectPart(question);
	const warnings = warningsOf(question);
	const effect = effectOf(question);
	const pieces = [...head, ...what.pieces, ...warnings.pieces, ...effect.pieces];
	const isComplete = what.complete && effect.complete && warnings.complete && isNamed(question);
	if (isComplete && widthOf(pieces) <= cardColumns) return { lines: [joined(pieces)], cut: false };
	const first = [...head, ...what.pieces];
	const rest = [...warnings.pieces, ...effect.pieces];
	const firstFits = widthOf(first) <= cardColumns;
	if (isComplete && firstFits && widthOf(rest) <= (maximum - 1) * cardColumns)
		return { lines: [joined(first), joined(rest)], cut: false };
	return { lines: cutRow(question, { head, maximum }), cut: true };
}

/**
 * Draws the lines of a call if the complete call does not fit. Warnings have priority over the text of the call.
 */
function cutRow(
	question: OpenQuestion,
	{ head, maximum }: { readonly head: readonly Piece[]; readonly maximum: number },
): string[] {
	const text = warningText(question);
	const left = cardColumns - widthOf(head) - minText - 2 * separator.length;
	const width = maximum > 1 ? cardColumns : Math.min(maxWarnings, left);
	const warned = text === "" || width < minText ? [] : [warning(text, width)];
	const first = maximum > 1 ? head : [...head, ...warned];
	const room = cardColumns - widthOf(first) - separator.length;
	const shown = room < minText ? [] : [cutText(textOf(question), room)];
	const lines = [joined([...first, ...shown])];
	return maximum > 1 && warned.length > 0 ? [...lines, joined(warned)] : lines;
}

function headOf({ number }: CardRow, { call, again, voters = [] }: OpenQuestion): Piece[] {
	const { card: texts } = approvalTexts;
	const tool = (call?.tool ?? "").slice(0, maxTool);
	const pieces: Piece[] = [
		{ text: `**${number}.** ${inlineCode(tool)}`, columns: columnsOf(`${number}. ${tool}`) },
	];
	// The row of a critical call shows the operator's command, so it has no space for the hint about a repeated
	// request.
	if (again && call?.risk !== "critical") pieces.push(marked(texts.repeated));
	// A critical call needs only the operator's approval, so the row shows no count.
	if (call?.approvals !== undefined && call.risk !== "critical")
		pieces.push(marked(texts.counted({ given: voters.length, needed: call.approvals })));
	if (call?.risk === "high" || call?.risk === "low")
		pieces.push(marked(texts.riskOfRow({ risk: call.risk })));
	if (call?.risk === "critical") pieces.push(marked(texts.waitingCritical));
	return pieces;
}

/** Returns the label of the call, or an empty part if the arguments show the label. */
function subjectPart({ call, label }: OpenQuestion): Part {
	if (call && isShownByArguments(call)) return { pieces: [], complete: true };
	const { text, complete } = whatOfStored(label);
	return { pieces: [piece(text)], complete };
}

interface Part {
	readonly pieces: readonly Piece[];
	/** Whether the pieces show the complete text. */
	readonly complete: boolean;
}

function storedWarnings({ call }: OpenQuestion): readonly StoredText[] {
	return call?.warnings ?? call?.notes ?? [];
}

function warningText(question: OpenQuestion): string {
	return storedWarnings(question)
		.map(({ text }) => oneLine(text, Number.POSITIVE_INFINITY))
		.join(separator);
}

function warningsOf(question: OpenQuestion): Part {
	const all = storedWarnings(question);
	if (all.length === 0) return { pieces: [], complete: true };
	return {
		pieces: [warning(warningText(question), Number.POSITIVE_INFINITY)],
		complete: all.every(({ text: stored, length }) => stored.length === length),
	};
}

function warning(text: string, maximum: number): Piece {
	const { text: shown, columns } = cutText(text, maximum - warningSign.length);
	return { text: `${warningSign}${shown}`, columns: columns + warningSign.length };
}

function isNamed({ call }: OpenQuestion): boolean {
	return (call?.tool ?? "").length <= maxTool;
}

function effectOf({ call }: OpenQuestion): Part {
	if (!call) return { pieces: [], complete: true };
	const stored = call.preview.length > 0 ? withoutNames(call.preview) : call.arguments;
	if (stored.length === 0) return { pieces: [], complete: true };
	const lines = stored.text.replace(/\n$/u, "").split("\n").map(visibleWords);
	return {
		pieces: [
			{
				text: lines.map((line) => inlineCode(line === "" ? " " : line)).join(" "),
				columns: columnsOf(lines.join("   ")),
			},
		],
		// A code span trims spaces at its ends and does not show tabs.
		complete: stored.text.length === stored.length && lines.every(isShownAsCode),
	};
}

function isShownAsCode(line: string): boolean {
	return line !== "" && !/^\s|\s$|\t|\s{2}|`/u.test(line);
}

function textOf({ call, label }: OpenQuestion): string {
	const isByArguments = call !== undefined && isShownByArguments(call);
	return isByArguments ? call.arguments.text : whatOfStored(label).text;
}

function cutText(text: string, columns: number): Piece {
	const shown = lineOfColumns(text, columns);
	return { text: plainLine(shown, Number.POSITIVE_INFINITY), columns: columnsOf(shown) };
}

function piece(text: string): Piece {
	const shown = oneLine(text, Number.POSITIVE_INFINITY);
	return { text: plainLine(shown, Number.POSITIVE_INFINITY), columns: columnsOf(shown) };
}

/** Returns a piece with a text that Parley wrote. The width of the piece excludes the Markdown marks. */
function marked(text: string): Piece {
	return { text, columns: columnsOf(text.replaceAll(/\*\*|`/gu, "")) };
}

function joined(pieces: readonly Piece[]): string {
	return pieces.map(({ text }) => text).join(separator);
}

function widthOf(pieces: readonly Piece[]): number {
	const separators = Math.max(0, pieces.length - 1) * separator.length;
	return pieces.reduce((sum, { columns }) => sum + columns, separators);
}

/** Returns numbers as ranges, for example `1–3, 5`. */
function rangesOf(numbers: readonly number[]): string {
	const ranges: [first: number, last: number][] = [];
	for (const number of numbers.toSorted((one, other) => one - other)) {
		const range = ranges.at(-1);
		if (range && range[1] === number - 1) range[1] = number;
		else ranges.push([number, number]);
	}
	return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(", ");
}

export function callsOf(numbers: readonly number[]): string {
	return questionTexts.outcomes.ofCalls({ count: numbers.length, numbers: rangesOf(numbers) });
}
