import { columnsOf } from "../../text/columns.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";
import { oneLine } from "../vocabulary/plain.ts";
import { plainColumns } from "../vocabulary/plain-columns.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import { approverName } from "./approver-name.ts";
import { fenced, inlineCode } from "./markdown.ts";
import { type ApprovalCall, type OpenQuestion, type StoredText, titleOf } from "./question.ts";

/** Width of a card in columns, as a desktop client shows it. */
export const cardColumns = 80;
/** Maximum number of lines of an approval card, including the line with the buttons. */
export const cardLines = 8;

/** Maximum number of lines without the buttons, the footer, and the empty line before a block of code. */
const ownLines = cardLines - 3;
/** Number of lines that are reserved for the effect of a call, if the other lines leave space. */
const minEffect = 2;
const maxTool = 32;
/** Maximum width of warnings after their sign, in columns. */
const warningColumns = cardColumns - 3;
export const separator = " · ";
export const warningSign = "⚠️ ";
const count = new Intl.NumberFormat("en");

export interface ShortCard {
	readonly paragraphs: readonly string[];
	/** Whether the card omits a part of the call or a warning. */
	readonly cut: boolean;
}

/** Draws the card of an open approval: the call, its risk, the approvals so far, its warnings and its effect. */
export function shortApproval(question: OpenQuestion, call: ApprovalCall, scene: Scene): ShortCard {
	const head = headOf(question, call);
	const critical = call.risk === "critical" ? [approvalTexts.card.onlyOperator] : riskLine(call);
	const votes = votesLine(question, call, scene);
	const room = ownLines - minEffect - head.lines.length - critical.length - votes.length;
	const warnings = warningsOf(call, Math.max(room, 1));
	const used = head.lines.length + warnings.lines.length + critical.length + votes.length;
	const effect = used < ownLines ? effectOf(call, ownLines - used) : noEffect;
	return {
		paragraphs: [[...head.lines, ...critical, ...votes, ...warnings.lines].join("\n"), ...effect.paragraphs],
		cut: head.cut || warnings.cut || effect.cut,
	};
}

/**
 * Draws an answered or closed approval. `result` is one line. With `details`, the card omits the effect of the call,
 * because the caller adds the details.
 */
export function shortResult(
	question: OpenQuestion,
	call: ApprovalCall,
	{ result, details }: { readonly result: string; readonly details: boolean },
): readonly string[] {
	const head = headOf(question, call);
	const effect = details ? { paragraphs: [] } : effectOf(call, minEffect);
	return [[...head.lines, result].join("\n"), ...effect.paragraphs];
}

/** Returns the footer with the expiry and a hint about the details. */
export function shortFoot(
	{ expiresAt }: OpenQuestion,
	cut: boolean,
	{ at, platform: { moment } }: Scene,
): string {
	const expires = expiresAt === undefined ? undefined : moment(expiresAt, at);
	return approvalTexts.card.foot({ cut, expires });
}

interface Part {
	readonly lines: readonly string[];
	readonly cut: boolean;
}

function headOf(question: OpenQuestion, call: ApprovalCall): Part {
	const { task, again, label } = question;
	const asker = task === undefined ? questionTexts.askers.agent : questionTexts.askers.task;
	const tool = call.tool.slice(0, maxTool);
	const subject = approvalTexts.card.wants({ asker, tool: inlineCode(tool) });
	const title = `**${titleOf(question.kind)}** · ${subject}${again ? ` · ${approvalTexts.card.repeated}` : ""}`;
	const cut = tool !== call.tool;
	if (isShownByArguments(call)) return { lines: [title], cut };
	const { text, complete } = whatOfStored(label);
	const what = oneLine(text, Number.POSITIVE_INFINITY);
	const used = columnsOf(`${titleOf(question.kind)} · ${approvalTexts.card.wants({ asker, tool })} · `);
	const room = cardColumns - used - (again ? 15 : 0);
	if (columnsOf(what) <= room)
		return { lines: [`${title} · ${plainColumns(what, cardColumns)}`], cut: cut || !complete };
	const isLong = !complete || columnsOf(what) > cardColumns;
	return { lines: [title, plainColumns(what, cardColumns)], cut: cut || isLong };
}

/** Whether the card shows arguments that contain the text of the label. */
export function isShownByArguments({ told, preview, arguments: given }: ApprovalCall): boolean {
	return told && preview.length === 0 && given.length > 0;
}

/** Returns the call in a label: `write a.txt` for `Allow write a.txt?`. */
export function whatOf(label: string): string {
	return /^Allow (?<what>.*)\?$/su.exec(label)?.groups?.["what"] ?? label;
}

/** Returns the call in a stored label, with an ellipsis if the end of the label is not stored. */
export function whatOfStored({ text, length }: StoredText): {
	readonly text: string;
	readonly complete: boolean;
} {
	const complete = text.length === length;
	return { text: complete ? whatOf(text) : `${whatOf(text)}…`, complete };
}

/**
 * Returns the line with the number of approvals and the last three approvers. Returns no line for a call that needs
 * only one approval.
 */
function votesLine(
	{ voters = [], editedBy, names }: OpenQuestion,
	{ approvals }: ApprovalCall,
	scene: Scene,
): string[] {
	if (approvals === undefined) return [];
	const people = voters.slice(-maxVoters).map((voter) => approverName(voter, names, scene.platform));
	const editor = editedBy === undefined ? undefined : approverName(editedBy, names, scene.platform);
	return [approvalTexts.card.votes({ given: voters.length, needed: approvals, people, editor })];
}

const maxVoters = 3;

function riskLine({ risk }: ApprovalCall): string[] {
	return risk === "high" || risk === "low" ? [approvalTexts.card.risk({ risk })] : [];
}

/** Returns the warnings of a call in at most `maximum` lines. Several short warnings share a line. */
function warningsOf({ warnings, notes }: ApprovalCall, maximum: number): Part {
	const all = warnings ?? notes;
	const lines: string[][] = [];
	for (const { text, length } of all) {
		const line = oneLine(text, Number.POSITIVE_INFINITY);
		const joined = [...(lines.at(-1) ?? []), line].join(separator);
		if (length === text.length && lines.length > 0 && columnsOf(joined) <= warningColumns) {
			lines.at(-1)?.push(line);
		} else lines.push([line]);
	}
	const shown = lines.length > maximum ? lines.slice(0, maximum - 1) : lines;
	const isLong = shown.some((line) => columnsOf(line.join(separator)) > warningColumns);
	const isStoredCompletely = all.every(({ text, length }) => length === text.length);
	const left = all.length - shown.flat().length;
	const more = left > 0 ? [approvalTexts.card.moreWarnings({ count: left })] : [];
	return {
		lines: [...shown.map((line) => plainColumns(line.join(separator), warningColumns)), ...more].map(
			(line) => `${warningSign}${line}`,
		),
		cut: isLong || left > 0 || !isStoredCompletely,
	};
}

interface Effect {
	readonly paragraphs: readonly string[];
	readonly cut: boolean;
}

const noEffect: Effect = { paragraphs: [], cut: true };

/** Returns the change as a diff, or the arguments, in a block of at most `maximum` lines. */
function effectOf({ preview, arguments: given }: ApprovalCall, maximum: number): Effect {
	if (preview.length > 0) {
		const { text, cut } = cutLines(withoutNames(preview), maximum);
		return { paragraphs: [fenced(text, "diff")], cut };
	}
	if (given.length === 0) return { paragraphs: [], cut: false };
	const { text, cut } = cutLines(given, maximum);
	return { paragraphs: [fenced(text)], cut };
}

/**
 * Removes the file names from a diff, because the label names the file. Also removes notes about a missing newline.
 * If the diff is complete and has only one change, the line with the position of the change is removed, too.
 */
export function withoutNames({ text, length }: StoredText): StoredText {
	const names = /^--- .*\n\+\+\+ .*\n/u.exec(text)?.[0] ?? "";
	const rest = text.slice(names.length);
	const isOnly = names !== "" && rest.split("\n").filter((line) => line.startsWith("@@ ")).length === 1;
	const place = (isOnly && length === text.length && /^@@ .*\n/u.exec(rest)?.[0]) || "";
	const start = names.length + place.length;
	const shown =
		names === "" ? text : text.slice(start).replace(/\n\\ No newline at end of file(?=\n|$)/gu, "");
	return { text: shown, length: length - (text.length - shown.length) };
}

/** Returns the first lines of a text, in at most `maximum` lines of the card. If a part is missing, the last line is a note. */
export function cutLines({ text, length }: StoredText, maximum: number): { text: string; cut: boolean } {
	const lines = text.replace(/\n$/u, "").split("\n");
	const rows = lines.map((line) => Math.max(1, Math.ceil(columnsOf(line) / cardColumns)));
	const all = rows.reduce((sum, row) => sum + row, 0);
	if (text.length === length && all <= maximum) return { text: lines.join("\n"), cut: false };
	const shownLines: string[] = [];
	let left = maximum - 1;
	for (const [index, line] of lines.entries()) {
		const needed = rows[index] ?? 1;
		if (needed > left) {
			if (left > 0) shownLines.push(beginningOf(line, left * cardColumns));
			break;
		}
		shownLines.push(line);
		left -= needed;
	}
	const shown = shownLines.join("\n");
	const omitted = questionTexts.omittedCharacters({ count: count.format(length - shown.length) });
	return { text: shown === "" ? omitted : `${shown}\n${omitted}`, cut: true };
}

/** Returns the start of a line in at most `columns` columns, without splitting a surrogate pair. */
function beginningOf(line: string, columns: number): string {
	let beginning = line.slice(0, columns);
	while (columnsOf(beginning) > columns) beginning = beginning.slice(0, -1);
	return beginning.replace(/[\ud800-\udbff]$/u, "");
}
