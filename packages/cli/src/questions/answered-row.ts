import type { EventPayloads, PromptRequestPayload } from "@parley/protocol";
import type { Look } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import type { Response } from "./read-answer.ts";

/** What a person answered here, and how that is called. */
export interface GivenAnswer {
	readonly response: Response;
	readonly said: string;
}

/** A question that the gateway has not told the end of. */
export interface OpenQuestion {
	readonly question: PromptRequestPayload;
	/** Absent while nothing was answered here. */
	readonly given?: GivenAnswer;
}

/** The result of a question: in the person's own words if the answer from here counted. */
export function answeredRow(
	open: OpenQuestion,
	response: EventPayloads["prompt.response"],
	look: Look,
): string {
	const { question, given } = open;
	if (given && counts(given, response)) return givenRow(given, look);
	const { styles } = look;
	const refused = isRefusal(response);
	const answer = describeAnswer(question.type, response.value, refused);
	return `  ${markOf(refused, look)} ${visibleLine(answer)}${styles.dim(" (answered elsewhere)")}`;
}

/** The row of an answer that is shown before the gateway has confirmed it, because another question follows at once. */
export function givenRow({ response, said }: GivenAnswer, look: Look): string {
	return `  ${markOf(response.cancelled === true, look)} ${visibleLine(said)}`;
}

/** The row for a result that differs from an answer which was shown already; undefined if it does not differ. */
export function correctedRow(
	open: OpenQuestion,
	response: EventPayloads["prompt.response"],
	look: Look,
): string | undefined {
	if (open.given && counts(open.given, response)) return undefined;
	return `  ${visibleLine(open.question.label)}${answeredRow(open, response, look)}`;
}

/** Whether the result is the answer that was given here, as far as a client can know. */
function counts(
	{ response: { cancelled } }: GivenAnswer,
	response: EventPayloads["prompt.response"],
): boolean {
	return (cancelled === true) === isRefusal(response);
}

function isRefusal({ value, cancelled }: EventPayloads["prompt.response"]): boolean {
	return cancelled || value === false;
}

function markOf(refused: boolean, { styles }: Look): string {
	return refused ? styles.red("✗") : styles.green("✓");
}

function describeAnswer(type: PromptRequestPayload["type"], value: unknown, refused: boolean): string {
	if (refused) return type === "confirm" ? "no" : "no answer";
	if (type === "confirm") return "yes";
	if (type === "password") return "(hidden)";
	return (Array.isArray(value) ? value.join(", ") : String(value)) || "nothing";
}
