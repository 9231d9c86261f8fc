import type { EventPayloads } from "@parley/protocol";
import type { CardState } from "../../platform/posting.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";
import { actingPerson, plainLine } from "../vocabulary/plain.ts";
import { plainColumns } from "../vocabulary/plain-columns.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import { stopperName } from "../vocabulary/stopper.ts";
import { approverName } from "./approver-name.ts";
import { argumentsText } from "./arguments-text.ts";
import { type Cut, storeText } from "./cut.ts";
import { fenced, quoted } from "./markdown.ts";
import { type OpenQuestion, platformOf, type QuestionForm } from "./question.ts";

export interface QuestionOutcome {
	/** One line of Markdown: the result, the approvers or the respondent, if any, and the time. */
	readonly words: string;
	/** Like `words`, but without the time. */
	readonly decision: string;
	/** The reason for a denial, or the changed arguments of an approval, in plain text. */
	readonly detail?: OutcomeDetail | undefined;
	/** Returns paragraphs with the text of the answer, the reason for a denial, or the changed arguments. */
	readonly details: (cut: Cut) => readonly string[];
	/** State of the card after the answer. */
	readonly state: CardState;
	/** Principal of the answer; absent if the question was closed without an answer. */
	readonly by?: string;
}

export interface OutcomeDetail {
	readonly type: "reason" | "arguments";
	readonly text: string;
}

const longestName = 100;
const { outcomes } = questionTexts;

type Response = EventPayloads["prompt.response"];

export function answeredOutcome(
	question: QuestionForm,
	response: Response,
	at: number,
	platform: Scene["platform"],
): QuestionOutcome {
	const { by, by_name: name, voters = [] } = response;
	// Only a respondent from another guild or team has a name in the event. This name is shown without an id.
	const author =
		name === undefined ? actingPerson(by, platform) : `${plainLine(name, longestName)} (${platformOf(by)})`;
	const decision = outcomes.by({
		answer: answerWords(question, response, platform),
		person: outcomes.people([
			...voters.map((voter) => approverName(voter, question.names, platform)),
			author,
		]),
	});
	return {
		words: outcomes.at({ decision, at: platform.moment(at) }),
		decision,
		detail: plainDetail(question, response),
		details: (cut) => answerDetails(question, response, cut),
		state: answeredState(question, response),
		by,
	};
}

function answerWords(
	{ kind, editedBy, names }: QuestionForm,
	response: Response,
	platform: Scene["platform"],
): string {
	const { value, cancelled, arguments: changed, remembered } = response;
	const isYesNo = kind === "approval" || kind === "grant";
	if (!isYesNo) return cancelled ? outcomes.skipped : outcomes.answered;
	const texts = approvalTexts.outcomes;
	if (cancelled || value === false) return texts.denied;
	if (remembered) return texts.approvedSession;
	const approved = kind === "grant" ? texts.approved : texts.approvedOnce;
	if (changed === undefined) return approved;
	// `editedBy` is set only for a call that needs several approvals. For other calls, the approver changed the
	// arguments.
	const editor = editedBy === undefined ? undefined : approverName(editedBy, names, platform);
	return `${approved}${texts.withChanges({ editor })}`;
}

function answeredState({ kind }: QuestionForm, { value, cancelled }: Response): CardState {
	const isYesNo = kind === "approval" || kind === "grant";
	if (isYesNo) return cancelled || value === false ? "failed" : "done";
	return cancelled ? "closed" : "done";
}

function plainDetail({ kind, call }: QuestionForm, response: Response): OutcomeDetail | undefined {
	const { arguments: changed, reason = "" } = response;
	if (reason.trim() !== "") return { type: "reason", text: reason.trim() };
	if (kind !== "approval" || response.cancelled) return undefined;
	if (changed === undefined || changed === null) return undefined;
	const { text } = argumentsText(changed, { isLabelRedundant: call?.told ?? false });
	return { type: "arguments", text };
}

/** Returns the reason in quotation marks, or the arguments after their heading, in plain text. */
export function detailLine({ type, text }: OutcomeDetail): string {
	return type === "reason" ? `“${text}”` : `${approvalTexts.outcomes.changedArguments} ${text}`;
}

function answerDetails({ kind, options, call }: QuestionForm, response: Response, cut: Cut): string[] {
	const { value, cancelled, arguments: changed, reason = "" } = response;
	if (kind === "password") return cancelled ? [] : [outcomes.secret];
	if (reason.trim() !== "") return [quoted(cut.words(storeFull(reason.trim())))];
	if (kind === "grant" || cancelled) return [];
	if (kind === "approval") {
		if (changed === undefined || changed === null) return [];
		const approved = fenced(
			cut.code(storeFull(argumentsText(changed, { isLabelRedundant: call?.told ?? false }).text)),
		);
		return [approvalTexts.outcomes.changedArguments, approved];
	}
	const values: readonly unknown[] = Array.isArray(value) ? value : [value ?? ""];
	const labels = values.map((one) => options.find((option) => option.value === one)?.label ?? String(one));
	const labelText = labels.join(", ");
	return labelText === "" ? [outcomes.empty] : [quoted(cut.words(storeFull(labelText)))];
}

export function unansweredOutcome(
	{ kind }: OpenQuestion,
	{ reason, by }: { readonly reason: string; readonly by?: string },
	at: number,
	scene: Scene,
): QuestionOutcome {
	const { results, reasons } = outcomes;
	const stopped = by === undefined ? undefined : outcomes.stoppedBy({ person: stopperName(by, scene) });
	const decision = outcomes.unanswered({
		result: results[kind === "approval" || kind === "grant" ? kind : "other"],
		reason: stopped ?? reasons.get(reason) ?? plainColumns(reason, longestReason),
	});
	return {
		words: outcomes.at({ decision, at: scene.platform.moment(at) }),
		decision,
		details: () => [],
		state: "closed",
	};
}

/** Maximum width of the gateway's reason on a card, in columns. */
const longestReason = 100;

function storeFull(text: string): ReturnType<typeof storeText> {
	return storeText(text, text.length);
}
