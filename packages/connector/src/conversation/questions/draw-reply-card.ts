import { defined, definedItems } from "@parley/base";
import type { ControlKind } from "../../controls/control-kind.ts";
import type { CardState, Control } from "../../platform/posting.ts";
import { columnsOf } from "../../text/columns.ts";
import { seenColumns } from "../../text/seen-columns.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";
import { oneLine } from "../vocabulary/plain.ts";
import { plainColumns } from "../vocabulary/plain-columns.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import { callRow, callsOf, maxTool } from "./call-row.ts";
import { bullets, inlineCode } from "./markdown.ts";
import { boundSubject, type OpenQuestion, titleOf } from "./question.ts";
import { cardTarget } from "./question-card.ts";
import { type CardRow, type EndedRow, type ReplyCard, writeDisplayed } from "./reply-cards.ts";
import { cardColumns, cardLines, shortFoot, whatOf } from "./short-card.ts";

const maxLabel = 120;
/** Maximum width of a call's text after its decision and in a reminder, in columns. */
export const maxEndedLabel = 45;
/** Maximum width in columns of the reason or the changed arguments below a decision. */
const maxDetail = 76;
/** Maximum number of lines between the title and the footer of a card with waiting calls. */
const waitingLines = cardLines - 3;
/** Maximum number of lines between the title and the buttons of a card without waiting calls. */
const endedLines = cardLines - 2;
/** Maximum width of a call's name in the line of a decision, in columns. */
const maxName = 34;
/**
 * Equal decisions of one person share a line if the difference of their times in milliseconds is below this value.
 */
const togetherMs = 60_000;

/** A row of a card. `question` is undefined if the call no longer waits. */
interface Entry {
	readonly row: CardRow;
	readonly question: OpenQuestion | undefined;
}

type WaitingEntry = Entry & { readonly question: OpenQuestion };

type EndedEntry = Entry & { readonly row: CardRow & { readonly ended: EndedRow } };

interface Drawn {
	readonly lines: readonly string[];
	/** Tokens of the waiting calls that are shown completely on the card. */
	readonly shownTokens: ReadonlySet<string>;
	/** Whether Details shows more about a decided call than the card does. */
	readonly cut: boolean;
}

/** Draws the post for several calls of one reply, in at most 8 lines including the buttons. */
export function drawReplyCard(card: ReplyCard, open: readonly OpenQuestion[], scene: Scene): ShowOperation {
	const entries = entriesOf(card, open);
	const waiting = waitingOf(entries);
	const drawn = waiting.length > 0 ? drawWaiting(entries, waiting, scene) : drawEnded(entries, scene);
	const [first] = waiting.toSorted(
		(one, other) => (one.question.expiresAt ?? Infinity) - (other.question.expiresAt ?? Infinity),
	);
	const isCut = waiting.some(({ row }) => !drawn.shownTokens.has(row.token));
	const refused = [titleLine(card), refusedFacts(waiting, scene)].filter((part) => part !== "");
	return {
		...cardTarget({ kind: "approval", token: card.rows[0].token }, scene, card.task),
		state: stateOf(entries, waiting),
		text: [titleLine(card), ...drawn.lines].join("\n"),
		plain: refused.join("\n\n"),
		...defined({ foot: first && shortFoot(first.question, isCut, scene) }),
		controls: controlsOf(card, waiting, { scene, drawn }),
	};
}

function stateOf(entries: readonly Entry[], waiting: readonly WaitingEntry[]): CardState {
	if (waiting.length > 0) return "waiting";
	const states = entries.map(({ row }) => row.ended?.state ?? "closed");
	if (states.includes("failed")) return "failed";
	return states.every((state) => state === "done") ? "done" : "closed";
}

function entriesOf({ rows }: ReplyCard, open: readonly OpenQuestion[]): readonly Entry[] {
	return rows.flatMap((row): Entry[] => {
		const question = row.ended ? undefined : open.find(({ token }) => token === row.token);
		// If there are too many open questions, the state drops the oldest ones.
		return row.ended || question ? [{ row, question }] : [];
	});
}

function waitingOf(entries: readonly Entry[]): readonly WaitingEntry[] {
	return entries.filter((entry): entry is WaitingEntry => entry.question !== undefined);
}

function endedOf(entries: readonly Entry[]): readonly EndedEntry[] {
	return entries.filter((entry): entry is EndedEntry => entry.row.ended !== undefined);
}

/** Returns a call as one line of Markdown: its tool and its label. */
export function callLine({ row: { ended }, question }: Entry, maximum = maxLabel): string {
	const { call, label } = question ?? {};
	const tool = ended?.tool ?? call?.tool ?? "";
	const shownLabel = ended?.label ?? label?.text ?? "";
	return `${inlineCode(tool.slice(0, maxTool))} · ${plainColumns(whatOf(shownLabel), maximum)}`;
}

function titleLine({ rows, task }: ReplyCard): string {
	const { agent, task: ofTask } = questionTexts.askers;
	const calls = approvalTexts.card.calls({
		count: rows.length,
		asker: task === undefined ? agent : ofTask,
	});
	return `**${titleOf("approval")}** · ${calls}`;
}

/**
 * Draws the waiting calls and the decisions of a card. If space is short, decided calls may have only their number.
 */
function drawWaiting(entries: readonly Entry[], waiting: readonly WaitingEntry[], scene: Scene): Drawn {
	const decisions = decisionsOf(endedOf(entries), scene);
	const forDecisions = Math.min(rowsOf(decisions), Math.max(1, waitingLines - waiting.length));
	const room = waitingLines - forDecisions;
	const isAll = waiting.length <= room;
	const shown = isAll ? waiting : waiting.slice(0, room - 1);
	const [only, ...others] = waiting;
	// The only waiting call may use all lines if people can approve it here. In other cases, the names of decided calls
	// are more important.
	const isLast = others.length === 0 && only?.question.call?.risk !== "critical";
	const each = isAll && (decisions.length === 0 || isLast) ? Math.floor(room / waiting.length) : 1;
	const rows = shown.map(({ row, question }) => ({ row, ...callRow(row, question, each) }));
	const more = isAll ? [] : [approvalTexts.card.moreCalls({ count: waiting.length - shown.length })];
	const lines = [...rows.flatMap((row) => row.lines), ...more];
	const shownTokens = new Set(rows.flatMap(({ row, cut }) => (cut ? [] : [row.token])));
	// A long line wraps into several rows.
	const used = lines.reduce((sum, line) => sum + Math.ceil(seenColumns(line) / cardColumns), 0);
	return {
		lines: [...lines, ...firstOf(decisions, waitingLines - used, endedOf(entries))],
		shownTokens,
		cut: false,
	};
}

function drawEnded(entries: readonly Entry[], scene: Scene): Drawn {
	const decisions = decisionsOf(endedOf(entries), scene);
	const lines = firstOf(decisions, endedLines, endedOf(entries));
	const unnamed = decisions.flatMap((decision) => decision.unnamed);
	const details = decisions.filter(({ detail }) => detail !== undefined);
	const needed = rowsOf(decisions) + details.length + unnamed.length;
	const isShort = needed <= endedLines && details.every(({ cut }) => !cut);
	return { lines, shownTokens: new Set(), cut: !isShort };
}

/** Decision about one or more calls, for example several calls that one person approved together. */
interface Decision {
	/** The result with its person and time, and the names or the numbers of the calls. */
	readonly line: string;
	/** Number of lines that the decision needs on the card. */
	readonly rows: number;
	/** The reason for a denial or the changed arguments. */
	readonly detail: string | undefined;
	readonly cut: boolean;
	/** Numbers of the decision's calls without a name in the line, because space is short. */
	readonly unnamed: readonly number[];
}

/** Returns lines that fit into `room` rows. The decisions have priority, then their details, then their calls. */
function firstOf(decisions: readonly Decision[], room: number, ended: readonly EndedEntry[]): string[] {
	const needed = rowsOf(decisions);
	if (needed > room) return firstDecisions(decisions, room);
	const details = decisions.filter(({ detail }) => detail !== undefined).length;
	const withDetails = needed + details <= room;
	const lines = decisions.flatMap(({ line, detail }) =>
		withDetails && detail !== undefined ? [line, detail] : [line],
	);
	const left = room - needed - (withDetails ? details : 0);
	const unnamed = decisions.flatMap((decision) => decision.unnamed);
	const calls = ended
		.filter(({ row }) => unnamed.includes(row.number))
		.map((entry) => `**${entry.row.number}.** ${callLine(entry, maxEndedLabel)}`);
	if (left < 1 || calls.length === 0) return lines;
	const isAll = calls.length <= left;
	const shown = isAll ? calls : calls.slice(0, left - 1);
	const more = isAll ? [] : [approvalTexts.card.moreCalls({ count: calls.length - shown.length })];
	return [...shown, ...more, ...lines];
}

/**
 * Returns the first decisions that fit into `room` rows. The last line has the number of decisions that are not
 * shown.
 */
function firstDecisions(decisions: readonly Decision[], room: number): string[] {
	const shown: Decision[] = [];
	for (const decision of decisions) {
		if (rowsOf([...shown, decision]) >= room) break;
		shown.push(decision);
	}
	if (room < 1) return [];
	const count = decisions.length - shown.length;
	return [...shown.map(({ line }) => line), approvalTexts.card.moreDecisions({ count })];
}

function rowsOf(decisions: readonly Decision[]): number {
	return decisions.reduce((sum, { rows }) => sum + rows, 0);
}

function decisionsOf(ended: readonly EndedEntry[], { platform: { moment } }: Scene): readonly Decision[] {
	const groups: { outcome: EndedRow; detail: string; rows: CardRow[] }[] = [];
	for (const { row } of ended) {
		const { detail = "" } = row.ended;
		const group = groups.find(
			(one) =>
				one.outcome.decision !== undefined &&
				one.outcome.decision === row.ended.decision &&
				one.detail === detail &&
				Math.abs((one.outcome.at ?? 0) - (row.ended.at ?? 0)) < togetherMs,
		);
		if (group) group.rows.push(row);
		else groups.push({ outcome: row.ended, detail, rows: [row] });
	}
	return groups.map(({ outcome, detail, rows }) => {
		const names = rows.map(nameOf);
		const numbers = rows.map(({ number }) => number);
		const { decision, at } = outcome;
		const [words = ""] = outcome.outcome.split("\n\n");
		const result =
			decision === undefined || at === undefined
				? words
				: questionTexts.outcomes.at({ decision, at: moment(at) });
		const withNames = `${result}: ${names.join(", ")}`;
		const isNamed = seenColumns(withNames) <= cardColumns;
		const line = isNamed ? withNames : `${result}: ${callsOf(numbers)}`;
		return {
			line,
			rows: Math.ceil(seenColumns(line) / cardColumns),
			unnamed: isNamed ? [] : numbers,
			detail: detail === "" ? undefined : plainColumns(detail, maxDetail),
			cut: columnsOf(oneLine(detail, Number.POSITIVE_INFINITY)) > maxDetail,
		};
	});
}

function nameOf({ number, ended }: CardRow): string {
	return `**${number}.** ${plainColumns(whatOf(ended?.label ?? ""), maxName)}`;
}

interface Buttons {
	readonly scene: Scene;
	readonly drawn: Drawn;
}

/**
 * Returns the buttons of a card. If one call is waiting, the approve button requires that the card shows the
 * complete call. If several calls are waiting, the button for all calls opens the details first, unless the card
 * shows all approvable calls completely.
 */
function controlsOf(
	card: ReplyCard,
	waiting: readonly WaitingEntry[],
	{ scene, drawn }: Buttons,
): Control[][] {
	const { buttons: labels } = approvalTexts;
	const [only, ...others] = waiting;
	const subject = writeDisplayed(card, new Set(waiting.map(({ row }) => row.token)));
	const details = buttonOf("review", { subject, label: labels.details }, scene);
	if (!only) return drawn.cut ? [[details]] : [];
	if (others.length === 0) {
		const approves = drawn.shownTokens.has(only.row.token);
		return [[...callButtons(only, scene, { approves }), details]];
	}
	const approvable = waiting.filter(({ question }) => question.call?.risk !== "critical");
	const isComplete = approvable.every(({ row }) => drawn.shownTokens.has(row.token));
	const approved = writeDisplayed(card, new Set(approvable.map(({ row }) => row.token)));
	const approve = isComplete
		? buttonOf("approve-all", { subject: approved, label: labels.approveAll }, scene)
		: buttonOf("review-all", { subject, label: labels.approveAll }, scene);
	return [
		definedItems([
			approvable.length === 0 ? undefined : approve,
			buttonOf("deny-all", { subject, label: labels.denyAll }, scene),
			details,
		]),
	];
}

interface ControlScene {
	readonly controls: Scene["controls"];
	readonly session: string;
	readonly platform: { readonly limits: { readonly buttonLabel: number } };
}

interface CallButtonOptions {
	/** Whether the post shows the complete call, so that a person can approve it there. Default: yes. */
	readonly approves?: boolean;
}

/** Returns the buttons for one waiting call of a card, with its number. */
export function callButtons(
	{
		row: { token, number },
		question,
	}: {
		readonly row: CardRow;
		/** The question as the post shows it. */
		readonly question: OpenQuestion;
	},
	scene: ControlScene,
	{ approves = true }: CallButtonOptions = {},
): Control[] {
	const { buttons: labels } = approvalTexts;
	const { call } = question;
	const isCritical = call?.risk === "critical";
	const button = (kind: ControlKind, label: string, subject = token): Control =>
		buttonOf(kind, { subject, label }, scene);
	const approved = boundSubject(question);
	const mayApprove = approves && !isCritical;
	return definedItems([
		mayApprove ? button("approve", labels.approveOne({ number }), approved) : undefined,
		mayApprove && call?.allowSession
			? button("approve-session", labels.approveOneSession({ number }), approved)
			: undefined,
		button("deny", labels.denyOne({ number })),
		!isCritical && call?.editable ? button("edit", labels.editOne({ number })) : undefined,
	]);
}

export function buttonOf(
	kind: ControlKind,
	{ subject, label }: { readonly subject: string; readonly label: string },
	{ controls, session, platform }: ControlScene,
): Control {
	const id = controls.write({ kind, session, subject });
	return { type: "button", id, style: styleOf(kind), label: label.slice(0, platform.limits.buttonLabel) };
}

function styleOf(kind: ControlKind): "success" | "danger" | "secondary" {
	if (kind === "approve" || kind === "approve-all" || kind === "review-all") return "success";
	return kind === "deny" || kind === "deny-all" ? "danger" : "secondary";
}

/**
 * Returns instructions for answering without buttons. They are for the post that replaces a card if the platform
 * refuses the card.
 */
function refusedFacts(waiting: readonly WaitingEntry[], scene: Scene): string {
	const [first] = waiting;
	if (!first) return "";
	const { thread } = scene;
	const command = scene.platform.command("approvals", thread === undefined ? {} : { thread });
	const calls = waiting.map((entry) => `${entry.row.number}: ${callLine(entry)}`);
	const { plain: texts } = approvalTexts;
	return [
		definedItems([texts.refused, texts.approver({ command: inlineCode(command) }), texts.operator]).join(" "),
		bullets(calls),
	].join("\n\n");
}
