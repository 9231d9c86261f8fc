import { defined } from "@parley/base";
import type { Client, MethodResult, OpenPromptPayload } from "@parley/protocol";
import type { Io } from "../command-line/io.ts";
import { errorFormat } from "../command-line/output.ts";
import { UsageError } from "../command-line/usage.ts";
import { visibleLine } from "../text/visible.ts";
import { questionTexts } from "../texts/questions.ts";
import { askPerson } from "./ask-person.ts";
import { type GivenAnswer, questionRows, shortCode } from "./question-rows.ts";
import { decline, readAnswer } from "./read-answer.ts";

export interface AnswerFlags {
	readonly value?: string;
	readonly deny?: boolean;
	readonly reason?: string;
}

export interface Answered {
	readonly exitCode: number;
	/** Rows that report the result to the person. */
	readonly rows: readonly string[];
	/** Result from the gateway, with the session and the token of the question. Absent if the person gave no answer. */
	readonly result?: MethodResult<"prompt_response"> & { readonly session_id: string; readonly token: string };
}

/** Answers an open question with the flags, or with the person's input at the terminal. */
export async function answerQuestion(
	client: Client,
	id: string,
	flags: AnswerFlags,
	io: Io,
): Promise<Answered> {
	if (flags.reason !== undefined && !flags.deny) throw new UsageError(questionTexts.reasonWithoutDeny);
	if (flags.deny && flags.value !== undefined) throw new UsageError(questionTexts.denyAndValue);
	const question = await findQuestion(client, id);
	const given = givenBy(flags, question) ?? (await typed(question, io));
	if (given === "interrupted") return { exitCode: 130, rows: [questionTexts.stillOpen] };
	if (given === undefined) return { exitCode: 1, rows: [questionTexts.stillOpen] };
	const { token, session_id } = question;
	const sent = await client.request("prompt_response", { token, ...given.response });
	return {
		exitCode: 0,
		rows: [questionTexts.answered({ answer: given.shown })],
		result: { ...sent, session_id, token },
	};
}

async function findQuestion(client: Client, id: string): Promise<OpenPromptPayload> {
	const { prompts } = await client.request("list_prompts", { limit: 1000 });
	const [match, ...others] = prompts.filter(({ token }) => token === id || shortCode(token) === id);
	if (others.length > 0) {
		const tokens = [match, ...others].map((one) => one?.token).join(", ");
		throw new UsageError(questionTexts.severalQuestions({ id: visibleLine(id), tokens }));
	}
	// Only this request returns the details of the tool call.
	const { prompts: details } = match
		? await client.request("list_prompts", { token: match.token })
		: { prompts: [] };
	const [question] = details;
	if (question) return question;
	throw new UsageError(questionTexts.noQuestion({ id: visibleLine(id) }));
}

function givenBy({ value, deny, reason }: AnswerFlags, question: OpenPromptPayload): GivenAnswer | undefined {
	if (deny) return { response: { ...decline, ...defined({ reason }) }, shown: questionTexts.no };
	if (value === undefined) return undefined;
	if (question.type === "password") {
		throw new UsageError(questionTexts.passwordAsValue);
	}
	const reading = readAnswer(question, value);
	if (reading.kind === "again")
		throw new UsageError(questionTexts.invalidValue({ value: visibleLine(value), hint: reading.hint }));
	if (question.always_ask && approves(reading) && value.trim() !== "yes") {
		throw new UsageError(questionTexts.completeYes);
	}
	return reading;
}

function approves({ response }: GivenAnswer): boolean {
	return response.cancelled !== true;
}

async function typed(question: OpenPromptPayload, io: Io): Promise<GivenAnswer | "interrupted" | undefined> {
	if (!io.stdin.isTTY || !io.stderr.isTTY) {
		io.stderr.write(`${questionRows(question, errorFormat(io)).join("\n")}\n`);
		throw new UsageError(questionTexts.noTerminal({ isPassword: question.type === "password" }));
	}
	const ended = new AbortController();
	const asking = { io, signal: ended.signal, onInterrupt: () => ended.abort() };
	const given = await askPerson(question, asking);
	if (!given) return "interrupted";
	if (!question.always_ask || !approves(given)) return given;
	const isConfirmed = await askPerson(confirmation(question), asking);
	if (!isConfirmed) return "interrupted";
	return isConfirmed.response.text === "yes" ? given : undefined;
}

/** Replaces an approval by a question for typed text, to prevent an approval by an accidental key press. */
function confirmation(question: OpenPromptPayload): OpenPromptPayload {
	const label = questionTexts.dangerousCall;
	return { ...question, type: "text", label, options: [], placeholder: "", validation: "", required: false };
}
