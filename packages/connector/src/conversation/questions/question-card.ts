import { defined, definedItems } from "@parley/base";
import type { Scene } from "../vocabulary/reducer.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import { Cut } from "./cut.ts";
import { fitCard } from "./fit-card.ts";
import { bullets, inlineCode, plain } from "./markdown.ts";
import type { Outcome } from "./outcome.ts";
import {
	cardOf,
	codeOf,
	type OpenQuestion,
	platformOf,
	type QuestionName,
	reminderCardOf,
	titleOf,
} from "./question.ts";
import { questionControls } from "./question-controls.ts";
import { callFacts, canReply, openFacts } from "./question-facts.ts";

/** The card of an open question. */
export function openCard(question: OpenQuestion, scene: Scene): ShowOperation {
	const foot = footOf(question, scene);
	const { text, cut } = fitCard(scene.platform, foot, (cutting) => [
		heading(question),
		...callFacts(question, cutting),
		...openFacts(question, scene, cutting),
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

/** Footer with the expiry of a question and the other channels in which it can be answered. */
export function footOf(question: OpenQuestion, { platform: { moment } }: Scene): string {
	const { expiresAt, alsoIn } = question;
	const waits =
		expiresAt === undefined
			? "Waits for an answer."
			: `Waits until ${moment(expiresAt, "exact")} (${moment(expiresAt, "relative")}); after that it counts as no answer.`;
	return alsoIn === undefined ? waits : `${waits} ${elsewhere(question, alsoIn)}`;
}

/** The card of an answered or closed question. */
export function closedCard(question: OpenQuestion, outcome: Outcome, scene: Scene): ShowOperation {
	const write = (cut: Cut): string[] => {
		const lines = [heading(question), ...callFacts(question, cut)];
		const paragraphs = [...lines, outcome.words, ...outcome.details(cut)];
		return cut.happened ? [...paragraphs, "Not all of it fits here."] : paragraphs;
	};
	const { text } = fitCard(scene.platform, "", write);
	const plain = `${heading(question)}\n\n${outcome.words}`;
	return { ...cardTarget(question, scene, question.task), text, plain, controls: [] };
}

/** A reminder as a new post. A reply to it answers the question. `calls`: lines of all its calls, if there are several. */
export function reminder(question: OpenQuestion, scene: Scene, calls: readonly string[] = []): ShowOperation {
	const { token, label, reminders, expiresAt } = question;
	const marker = `Reminder ${reminders} for ${codeOf(token)}`;
	const until = expiresAt === undefined ? "" : `, until ${scene.platform.moment(expiresAt, "relative")}`;
	const waits =
		calls.length > 1 ? `${calls.length} calls still wait for answers` : "this still waits for an answer";
	const { text } = fitCard(scene.platform, "", (cut) => [
		`**${marker}**: ${waits}${until}.`,
		calls.length > 0
			? bullets(calls)
			: plain(cut.words({ ...label, text: label.text.slice(0, longestReminder) })),
	]);
	const place = cardTarget(question, scene, question.task);
	return { ...place, card: reminderCardOf(token, reminders), marker, text };
}

const longestReminder = 300;

function plainFacts({ label }: OpenQuestion): string {
	return plain(new Cut(longestReminder).words(label));
}

/** Instructions without buttons, for a card that the platform refused. */
function howToAnswerPlain(question: OpenQuestion, scene: Scene): string {
	const { call, kind, token } = question;
	const operator = `The operator can answer with ${inlineCode(`parley answer ${codeOf(token)}`)}.`;
	const isApproval = kind === "approval" || kind === "grant";
	const replies = isApproval ? "**approve** or **deny**" : "your answer";
	const mayReply = call?.risk !== "critical" && kind !== "password" && canReply(question, scene);
	const { thread } = scene;
	const command = scene.platform.command("approvals", thread === undefined ? {} : { thread });
	return definedItems([
		"The full card was refused here.",
		mayReply ? `Reply to this post with ${replies}.` : undefined,
		kind === "approval" ? `An approver can use ${inlineCode(command)}.` : undefined,
		operator,
	]).join(" ");
}

/** Channels of other platforms have no name here. */
function elsewhere({ call }: OpenQuestion, rooms: readonly string[]): string {
	const platforms = [...new Set(rooms.map(platformOf))].join(" and ");
	const room = rooms.length === 1 ? "a room" : "rooms";
	// A platform cannot approve a call that always requires approval.
	const may = call?.risk === "critical" ? "deny" : "answer";
	return `Approvers in ${room} of ${platforms} may ${may} it, too, where that still holds: with the command approvals there.`;
}

/** Name of the question and its request. */
export function heading({ call, task, again, ...question }: OpenQuestion): string {
	const asks = task === undefined ? "the agent" : "the task";
	const what: Readonly<Record<OpenQuestion["kind"], string>> = {
		approval: `${asks} wants to use ${inlineCode(call?.tool ?? "")}`,
		grant: "somebody wants this channel to be trusted",
		text: `${asks} asks`,
		select: `${asks} asks`,
		multi: `${asks} asks`,
		password: `${asks} asks for something secret`,
	};
	return `**${titleOf(question)}** · ${what[question.kind]}${again ? " · **asked again**" : ""}`;
}

/** Card, lane and thread of a question. */
export function cardTarget(
	question: QuestionName,
	{ threads }: Scene,
	task: string | undefined,
): Omit<ShowOperation, "text"> {
	return {
		type: "show",
		lane: "approval",
		card: cardOf(question.token),
		marker: titleOf(question),
		...defined({ task, thread: task !== undefined && threads !== false ? `task:${task}` : undefined }),
	};
}
