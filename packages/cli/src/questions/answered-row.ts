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

/** What became of a question: in the person's own words where the answer from here counted. */
export function answeredRow(
	{ question, given }: OpenQuestion,
	{ value, cancelled }: EventPayloads["prompt.response"],
	{ styles }: Look,
): string {
	const refused = cancelled || value === false;
	const ours = given !== undefined && (given.response.cancelled === true) === refused;
	const answer = ours ? given.said : describeAnswer(question.type, value, refused);
	const mark = refused ? styles.red("✗") : styles.green("✓");
	return `  ${mark} ${visibleLine(answer)}${ours ? "" : styles.dim(" (answered elsewhere)")}`;
}

function describeAnswer(type: PromptRequestPayload["type"], value: unknown, refused: boolean): string {
	if (refused) return type === "confirm" ? "no" : "no answer";
	if (type === "confirm") return "yes";
	if (type === "password") return "(hidden)";
	return (Array.isArray(value) ? value.join(", ") : String(value)) || "nothing";
}
