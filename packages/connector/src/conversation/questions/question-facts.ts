import { definedItems } from "@parley/base";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import { type Cut, storeText } from "./cut.ts";
import { bullets, fenced, inlineCode, plainMarkdown, quoted } from "./markdown.ts";
import type { ApprovalCall, OpenQuestion } from "./question.ts";
import { hasShortened, offeredOptions } from "./question-controls.ts";

const maxNotes = 8;

/** Returns paragraphs about the request, for all states of a card. */
export function callFacts({ call, label }: OpenQuestion, cut: Cut): string[] {
	if (!call) return [quoted(cut.words(label))];
	const { told: labelIsRedundant, preview, arguments: given } = call;
	return definedItems([
		labelIsRedundant ? undefined : plainMarkdown(cut.words(label)),
		given.length === 0 ? undefined : fenced(cut.code(given)),
		preview.length === 0 ? undefined : fenced(cut.code(preview), "diff"),
	]);
}

interface OpenFactsOptions {
	readonly cut: Cut;
	/** Label of the button that shows all details; "Show all" by default. */
	readonly showAll?: string;
}

/** Returns paragraphs that help with the decision, and the ways to answer an open question. */
export function openFacts(
	question: OpenQuestion,
	scene: Scene,
	{ cut, showAll = approvalTexts.buttons.showAll }: OpenFactsOptions,
): string[] {
	const { call, kind } = question;
	if (call) return approvalFacts(call, { cut, showAll });
	if (kind === "grant") {
		return [questionTexts.trustMeaning];
	}
	return elicitationFacts(question, scene, { cut, showAll });
}

function approvalFacts(
	{ notes, risk, brief }: ApprovalCall,
	{ cut, showAll }: Required<OpenFactsOptions>,
): string[] {
	const listed = cut.list(notes, maxNotes).map((note) => plainMarkdown(cut.words(note)));
	if (brief) cut.happened = true;
	return definedItems([
		listed.length === 0 ? undefined : bullets(listed),
		risk === "critical" ? approvalTexts.card.critical : approvalTexts.card.risk({ risk }),
		...allFact(cut.happened, showAll),
	]);
}

function elicitationFacts(
	question: OpenQuestion,
	scene: Scene,
	{ cut, showAll }: Required<OpenFactsOptions>,
): string[] {
	const { platform } = scene;
	const { hints, options, unlisted } = question;
	const { further } = offeredOptions(question, platform.limits);
	const closed = options.filter(({ disabled }) => disabled);
	const { options: texts } = questionTexts;
	const others = unlisted > 0 ? [texts.more({ count: unlisted })] : [];
	const lists: (readonly [string, readonly string[]])[] = [
		[texts.further, [...further.map(({ label }) => label), ...others]],
		[texts.unavailable, closed.map(({ label }) => label)],
	];
	const lines = [
		...hints.map(([name, text]) => `${name}: ${inlineCode(cut.words(text))}`),
		...lists.flatMap(([name, labels]) => {
			const labelText = labels.join(", ");
			return labelText === ""
				? []
				: [`${name}: ${plainMarkdown(cut.words(storeText(labelText, labelText.length)))}`];
		}),
	];
	if (hasShortened(question, platform)) cut.happened = true;
	const help = howToAnswer(question, {
		more: further.length + unlisted > 0,
		canReply: canReply(question, scene),
	});
	return definedItems([
		lines.length === 0 ? undefined : bullets(lines),
		help,
		...allFact(cut.happened, showAll),
	]);
}

/**
 * Whether a reply to a card can answer the question on the card. On a platform without replies inside threads, a
 * text below the card goes to the agent.
 */
export function canReply({ task }: OpenQuestion, { platform, thread, threads }: Scene): boolean {
	const isInThread = thread !== undefined || (task !== undefined && threads !== false);
	return !isInThread || (platform.repliesInThreads ?? true);
}

function howToAnswer(
	{ kind }: OpenQuestion,
	{ more, canReply }: { readonly more: boolean; readonly canReply: boolean },
): string {
	const { how } = questionTexts;
	if (kind === "password") return how.secret;
	if (kind === "text") return canReply ? how.textOrReply : how.text;
	return how.choose({ several: kind !== "select", more });
}

function allFact(isCut: boolean, button: string): string[] {
	return isCut ? [questionTexts.showAll({ button })] : [];
}
