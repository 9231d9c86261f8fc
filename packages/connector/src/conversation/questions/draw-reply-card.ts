import { defined, definedItems } from "@parley/base";
import type { ControlKind } from "../../controls/control-kind.ts";
import type { CardState, Control } from "../../platform/posting.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";
import { plain as plainLine } from "../vocabulary/plain.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import { Cut } from "./cut.ts";
import { fitLongest, fitsPost } from "./fit-card.ts";
import { bullets, inlineCode, plain } from "./markdown.ts";
import { codeOf, type OpenQuestion, titleOf } from "./question.ts";
import { cardTarget, footOf } from "./question-card.ts";
import { allFact, callFacts, canReply } from "./question-facts.ts";
import { type CardRow, type ReplyCard, writeDisplayed } from "./reply-cards.ts";

const maxNotes = 8;
const maxTool = 64;
const maxLabel = 120;

/** A row with its question, which is absent if the call no longer waits. */
interface Entry {
	readonly row: CardRow;
	readonly question: OpenQuestion | undefined;
}

type WaitingEntry = Entry & { readonly question: OpenQuestion };

interface Drawn {
	readonly text: string;
	/** Tokens of waiting calls with a cut text. */
	readonly cut: ReadonlySet<string>;
	/** The same, plus calls with long arguments that only the preview shows. */
	readonly shortened: ReadonlySet<string>;
}

/** Post for several calls of one reply: one row per call, buttons for each call, and buttons for all of them. */
export function drawReplyCard(card: ReplyCard, open: readonly OpenQuestion[], scene: Scene): ShowOperation {
	const entries = entriesOf(card, open);
	const waiting = waitingOf(entries);
	const foot = footOfAll(waiting, scene);
	const drawn =
		fitLongest(scene.platform, foot ?? "", (most) => draw(card, entries, most)) ?? drawShort(card, entries);
	const refused = [titleLine(card), refusedFacts(waiting, scene)].filter((part) => part !== "");
	return {
		...cardTarget({ kind: "approval", token: card.rows[0].token }, scene, card.task),
		state: stateOf(entries, waiting),
		text: drawn.text,
		plain: refused.join("\n\n"),
		...defined({ foot }),
		controls: controlsOf(card, waiting, { scene, drawn }),
	};
}

/** After the last decision: that of its calls, if one was denied or if all were approved. */
function stateOf(entries: readonly Entry[], waiting: readonly WaitingEntry[]): CardState {
	if (waiting.length > 0) return "waiting";
	const states = entries.map(({ row }) => row.ended?.state ?? "closed");
	if (states.includes("failed")) return "failed";
	return states.every((state) => state === "done") ? "done" : "closed";
}

/** Whether one post shows the card without cuts. Further calls are shown on further cards. */
export function fitsUncut(card: ReplyCard, open: readonly OpenQuestion[], scene: Scene): boolean {
	const entries = entriesOf(card, open);
	const { text, cut } = draw(card, entries, Number.POSITIVE_INFINITY);
	const foot = footOfAll(waitingOf(entries), scene) ?? "";
	return cut.size === 0 && fitsPost(scene.platform, `${text}\n\n${foot}`);
}

function entriesOf({ rows }: ReplyCard, open: readonly OpenQuestion[]): readonly Entry[] {
	return rows.flatMap((row): Entry[] => {
		const question = row.ended ? undefined : open.find(({ token }) => token === row.token);
		// The oldest questions are forgotten if very many are open.
		return row.ended || question ? [{ row, question }] : [];
	});
}

function waitingOf(entries: readonly Entry[]): readonly WaitingEntry[] {
	return entries.filter((entry): entry is WaitingEntry => entry.question !== undefined);
}

/** A call as one line of plain text. */
export function callLine({ row: { ended }, question }: Entry): string {
	const { call, label } = question ?? {};
	const tool = ended?.tool ?? call?.tool ?? "";
	const shownLabel = ended?.label ?? label?.text ?? "";
	const what = /^Allow (?<what>.*)\?$/su.exec(shownLabel)?.groups?.["what"] ?? shownLabel;
	return `${inlineCode(tool.slice(0, maxTool))} · ${plainLine(what, maxLabel)}`;
}

function titleLine({ rows, task }: ReplyCard): string {
	const { agent, task: ofTask } = questionTexts.askers;
	const calls = approvalTexts.card.calls({
		count: rows.length,
		asker: task === undefined ? agent : ofTask,
	});
	return `**${titleOf({ kind: "approval", token: rows[0].token })}** · ${calls}`;
}

function draw(card: ReplyCard, entries: readonly Entry[], most: number): Drawn {
	const cut = new Set<string>();
	const shortened = new Set<string>();
	const paragraphs = entries.flatMap((entry) => {
		const { row, question } = entry;
		if (!question) return endedFacts(entry, most);
		const cutting = new Cut(most);
		const facts = waitingFacts(row, question, cutting);
		if (cutting.happened) cut.add(row.token);
		if (cutting.happened || question.call?.brief) shortened.add(row.token);
		return facts;
	});
	const text = [titleLine(card), ...paragraphs, ...allFact(shortened.size > 0)].join("\n\n");
	return { text, cut, shortened };
}

/** Short form for calls whose details do not fit. */
function drawShort(card: ReplyCard, entries: readonly Entry[]): Drawn {
	const lines = entries.map((entry) =>
		entry.question ? waitingLine(entry.row, entry.question) : `**${entry.row.number}.** ${callLine(entry)}`,
	);
	const cut = new Set(waitingOf(entries).map(({ row }) => row.token));
	const text = [titleLine(card), ...lines, ...allFact(cut.size > 0)].join("\n\n");
	return { text, cut, shortened: cut };
}

function waitingFacts(row: CardRow, question: OpenQuestion, cut: Cut): string[] {
	const { notes = [] } = question.call ?? {};
	const listed = cut.list(notes, maxNotes).map((note) => plain(cut.words(note)));
	return definedItems([
		waitingLine(row, question),
		...callFacts(question, cut),
		listed.length === 0 ? undefined : bullets(listed),
	]);
}

function waitingLine({ number }: CardRow, { token, call, again, voters = [] }: OpenQuestion): string {
	const isCritical = call?.risk === "critical";
	const { card: texts } = approvalTexts;
	const needed = call?.approvals;
	const facts = definedItems([
		`**${number}.** ${inlineCode((call?.tool ?? "").slice(0, maxTool))}`,
		again ? texts.repeated : undefined,
		needed === undefined ? undefined : texts.votes({ given: voters.length, needed, people: [] }),
		isCritical
			? texts.waitingCritical({ command: answerCommand(token) })
			: texts.waiting({ risk: call?.risk ?? "normal", code: inlineCode(codeOf(token)) }),
	]);
	return facts.join(" · ");
}

/** Omits the texts of answers first if the card is too long. */
function endedFacts(entry: Entry, most: number): string[] {
	const { number, ended } = entry.row;
	const outcome = ended?.outcome ?? "";
	const [words = ""] = outcome.split("\n\n");
	return [`**${number}.** ${callLine(entry)}`, Number.isFinite(most) ? words : outcome];
}

/** Footer of the call that expires first. */
function footOfAll(waiting: readonly WaitingEntry[], scene: Scene): string | undefined {
	const ordered = waiting.toSorted(
		(one, other) => (one.question.expiresAt ?? Infinity) - (other.question.expiresAt ?? Infinity),
	);
	const alsoIn = waiting.find(({ question }) => question.alsoIn !== undefined)?.question;
	const [first] = ordered;
	if (!first) return undefined;
	const { call, alsoIn: rooms } = alsoIn ?? {};
	return footOf({ ...first.question, ...defined({ call, alsoIn: rooms }) }, scene);
}

interface Buttons {
	readonly scene: Scene;
	readonly drawn: Drawn;
}

function controlsOf(
	card: ReplyCard,
	waiting: readonly WaitingEntry[],
	{ scene, drawn }: Buttons,
): Control[][] {
	const { controls, session, platform } = scene;
	const { buttons: labels } = approvalTexts;
	const button = (kind: ControlKind, subject: string, label: string): Control => ({
		type: "button",
		id: controls.write({ kind, session, subject }),
		style: styleOf(kind),
		label: label.slice(0, platform.limits.buttonLabel),
	});
	const rows = waiting.map(({ row: { token, number }, question: { call } }) =>
		definedItems([
			call?.risk === "critical" ? undefined : button("approve", token, labels.approveOne({ number })),
			call?.risk !== "critical" && call?.allowSession
				? button("approve-session", token, labels.approveOneSession({ number }))
				: undefined,
			button("deny", token, labels.denyOne({ number })),
			drawn.shortened.has(token) ? button("whole", token, labels.showOne({ number })) : undefined,
			call?.risk !== "critical" && call?.editable
				? button("edit", token, labels.editOne({ number }))
				: undefined,
		]),
	);
	if (waiting.length < 2) return rows;
	const tokens = waiting.map(({ row }) => row.token);
	// Only completely visible calls can be approved together.
	const whole = waiting.filter(({ row }) => !drawn.cut.has(row.token));
	const isApprovable = whole.some(({ question }) => question.call?.risk !== "critical");
	const approvable = writeDisplayed(card, new Set(whole.map(({ row }) => row.token)));
	const forAll = definedItems([
		isApprovable ? button("approve-all", approvable, labels.approveAll) : undefined,
		button("deny-all", writeDisplayed(card, new Set(tokens)), labels.denyAll),
	]);
	return [...rows, forAll];
}

function styleOf(kind: ControlKind): "success" | "danger" | "secondary" {
	if (kind === "approve" || kind === "approve-all") return "success";
	return kind === "deny" || kind === "deny-all" ? "danger" : "secondary";
}

/** Instructions without buttons, for a card that the platform refused. */
function refusedFacts(waiting: readonly WaitingEntry[], scene: Scene): string {
	const [first] = waiting;
	if (!first) return "";
	const { number } = first.row;
	const { thread } = scene;
	const command = scene.platform.command("approvals", thread === undefined ? {} : { thread });
	const mayReply = canReply(first.question, scene);
	const calls = waiting.map(
		(entry) => `${entry.row.number}: ${callLine(entry)} · ${answerCommand(entry.question.token)}`,
	);
	const { plain: texts } = approvalTexts;
	return [
		definedItems([
			texts.refused,
			mayReply ? texts.replyNumbered({ number }) : undefined,
			texts.approverOfCalls({ command: inlineCode(command) }),
		]).join(" "),
		bullets(calls),
	].join("\n\n");
}

function answerCommand(token: string): string {
	return inlineCode(`parley answer ${codeOf(token)}`);
}
