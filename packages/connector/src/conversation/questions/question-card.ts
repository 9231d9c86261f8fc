import { defined, definedItems } from "@parley/base";
import { columnsOf } from "../../text/columns.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";
import { earlierReminder, earlierTitle } from "../vocabulary/earlier-marker.ts";
import { oneLine } from "../vocabulary/plain.ts";
import { plainColumns } from "../vocabulary/plain-columns.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import { elsewhere } from "./complete-question.ts";
import { Cut } from "./cut.ts";
import { type FittedCard, fitCard } from "./fit-card.ts";
import { bullets, fenced, inlineCode, plainMarkdown } from "./markdown.ts";
import type { OutcomeDetail, QuestionOutcome } from "./outcome.ts";
import {
	type ApprovalCall,
	cardOf,
	type OpenQuestion,
	type QuestionName,
	reminderCardOf,
	titleOf,
} from "./question.ts";
import { questionControls } from "./question-controls.ts";
import { callFacts, canReply, openFacts } from "./question-facts.ts";
import { cardColumns, cutLines, shortApproval, shortFoot, shortResult } from "./short-card.ts";

export function openCard(question: OpenQuestion, scene: Scene): ShowOperation {
	if (question.call) return approvalCard(question, question.call, scene);
	const foot = footOf(question, scene);
	const { text, cut } =
		question.kind === "password" || question.kind === "grant"
			? shortQuestion(question)
			: fitCard(scene.platform, foot, (cutting) => [
					heading(question),
					...callFacts(question, cutting),
					...openFacts(question, scene, { cut: cutting }),
				]);
	const plain = [heading(question), plainFacts(question), howToAnswerPlain(question, scene)].join("\n\n");
	return {
		...cardTarget(question, scene, question.task),
		text,
		plain,
		foot,
		controls: questionControls(question, scene, cut),
	};
}

/** Returns the card of an approval, in at most 8 lines. */
function approvalCard(question: OpenQuestion, call: ApprovalCall, scene: Scene): ShowOperation {
	const { paragraphs, cut } = shortApproval(question, call, scene);
	const plain = [heading(question), plainFacts(question), howToAnswerPlain(question, scene)].join("\n\n");
	return {
		...cardTarget(question, scene, question.task),
		text: paragraphs.join("\n\n"),
		plain,
		foot: shortFoot(question, cut, scene),
		controls: questionControls(question, scene, cut),
	};
}

function footOf(question: OpenQuestion, { at, platform: { moment } }: Scene): string {
	const { expiresAt, alsoIn, call } = question;
	const waits =
		expiresAt === undefined ? questionTexts.waiting : questionTexts.expires({ at: moment(expiresAt, at) });
	return alsoIn === undefined
		? waits
		: `${waits} ${elsewhere(alsoIn, { onlyDeny: call?.risk === "critical" })}`;
}

export function closedCard(question: OpenQuestion, outcome: QuestionOutcome, scene: Scene): ShowOperation {
	const { text } = fitCard(scene.platform, "", (cut) => closedFacts(question, outcome, cut));
	const plain = `${heading(question)}\n\n${outcome.words}`;
	return {
		...cardTarget(question, scene, question.task),
		state: outcome.state,
		text,
		plain,
		controls: [],
	};
}

function closedFacts(question: OpenQuestion, outcome: QuestionOutcome, cut: Cut): readonly string[] {
	const details = outcome.detail ? [shortDetail(outcome.detail)] : [];
	if (question.call) {
		const result = { result: outcome.words, details: details.length > 0 };
		return [...shortResult(question, question.call, result), ...details];
	}
	if (question.kind === "password" || question.kind === "grant") {
		const label = plainColumns(question.label.text, labelLines * cardColumns);
		const more = outcome.detail ? details : outcome.details(cut);
		return [[heading(question), label, outcome.words].join("\n"), ...more];
	}
	const lines = [heading(question), ...callFacts(question, cut)];
	const paragraphs = [...lines, outcome.words, ...outcome.details(cut)];
	return cut.happened ? [...paragraphs, questionTexts.cut] : paragraphs;
}

/** Maximum number of lines in the label of a password question or of a trust request. */
const labelLines = 3;

/** Draws a trust request or a password question in at most five lines. */
function shortQuestion(question: OpenQuestion): FittedCard {
	const { label, kind } = question;
	const shown = plainColumns(label.text, labelLines * cardColumns);
	const how = kind === "grant" ? questionTexts.trustMeaning : questionTexts.how.secret;
	const cut =
		label.length > label.text.length ||
		columnsOf(oneLine(label.text, Number.POSITIVE_INFINITY)) > labelLines * cardColumns;
	return { text: [heading(question), shown, how].join("\n"), cut };
}

/** Returns the reason for a denial or the changed arguments, in at most two lines. */
function shortDetail({ type, text }: OutcomeDetail): string {
	// The mark of a quote needs two columns of each line.
	if (type === "reason") return `> ${plainColumns(text, 2 * cardColumns - 4)}`;
	return fenced(cutLines({ text, length: text.length }, 2).text);
}

/** Draws a reminder as a new post. */
export function reminder(
	question: OpenQuestion,
	scene: Scene,
	{ card, calls = [] }: Reminding,
): ShowOperation {
	const { token, label, reminders, expiresAt } = question;
	const { reminder: texts } = questionTexts;
	const expires = expiresAt === undefined ? undefined : scene.platform.moment(expiresAt, scene.at);
	const more = calls.length > maxReminded ? [texts.more({ count: calls.length - maxReminded })] : [];
	const text = [
		texts.text({ number: reminders, calls: calls.length, expires }),
		calls.length > 0
			? bullets([...calls.slice(0, maxReminded), ...more])
			: plainColumns(label.text, 2 * cardColumns),
	].join("\n\n");
	const place = cardTarget(question, scene, question.task);
	return {
		...place,
		card: reminderCardOf(token, reminders),
		marker: earlierReminder(token, reminders),
		text,
		...defined({ opens: linkOf(card, question, scene) }),
	};
}

interface Reminding {
	/** Card of the question. Several questions can share a card. */
	readonly card: string;
	/** One line for each waiting call of a shared card. Default: none. */
	readonly calls?: readonly string[];
}

/** Returns a link to a card, or undefined if the card is not in the room of the conversation. */
function linkOf(card: string, { task }: OpenQuestion, { room, threads }: Scene): ShowOperation["opens"] {
	if (room === undefined || (task !== undefined && threads !== false)) return undefined;
	const { tenant, channel, thread } = room;
	return { card, label: questionTexts.reminder.open, room: { tenant, channel, ...defined({ thread }) } };
}

const longestReminder = 300;
const maxReminded = 4;

function plainFacts({ label }: OpenQuestion): string {
	return plainMarkdown(new Cut(longestReminder).words(label));
}

/**
 * Returns instructions for answering without buttons. They are for the post that replaces a card if the platform
 * refuses the card.
 */
function howToAnswerPlain(question: OpenQuestion, scene: Scene): string {
	const { call, kind } = question;
	const { plain: texts } = approvalTexts;
	const isTyped = call?.risk !== "critical" && kind !== "password" && kind !== "grant";
	const mayReply = isTyped && canReply(question, scene);
	const { thread } = scene;
	const command = scene.platform.command("approvals", thread === undefined ? {} : { thread });
	return definedItems([
		texts.refused,
		mayReply ? (kind === "approval" ? texts.reply : texts.replyAnswer) : undefined,
		kind === "approval" ? texts.approver({ command: inlineCode(command) }) : undefined,
		texts.operator,
	]).join(" ");
}

/**
 * Returns the Markdown heading of a question: the title and the request. `number` is the question's place in a list
 * of several questions.
 */
export function heading({ call, task, again, ...question }: OpenQuestion, number?: number): string {
	const asker = task === undefined ? questionTexts.askers.agent : questionTexts.askers.task;
	const asks = questionTexts.asks({ asker });
	const what: Readonly<Record<OpenQuestion["kind"], string>> = {
		approval: approvalTexts.card.wants({ asker, tool: inlineCode(call?.tool ?? "") }),
		grant: questionTexts.asksForTrust,
		text: asks,
		select: asks,
		multi: asks,
		password: questionTexts.asksForSecret({ asker }),
	};
	const title = number === undefined ? titleOf(question.kind) : `${titleOf(question.kind)} ${number}`;
	return `**${title}** · ${what[question.kind]}${again ? ` · ${approvalTexts.card.repeated}` : ""}`;
}

/** Returns the card, lane and thread of a question, with the state of an open question. */
export function cardTarget(
	question: QuestionName,
	{ threads }: Scene,
	task: string | undefined,
): Omit<ShowOperation, "text"> {
	return {
		type: "show",
		lane: "approval",
		state: "waiting",
		card: cardOf(question.token),
		marker: earlierTitle(question.kind, question.token),
		...defined({ task, thread: task !== undefined && threads !== false ? `task:${task}` : undefined }),
	};
}
