import { defined } from "@parley/base";
import type { Client, MethodResult, OpenPromptPayload } from "@parley/protocol";
import type { Io } from "../command-line/io.ts";
import { errorFormat } from "../command-line/output.ts";
import { UsageError } from "../command-line/usage.ts";
import { visibleLine } from "../text/visible.ts";
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
	/** For people. */
	readonly rows: readonly string[];
	/** Result of the gateway, with the question; absent if the person gave no answer. */
	readonly result?: MethodResult<"prompt_response"> & { readonly session_id: string; readonly token: string };
}

/** Answers an open question with the flags, or with the input of the person at the terminal. */
export async function answerQuestion(
	client: Client,
	id: string,
	flags: AnswerFlags,
	io: Io,
): Promise<Answered> {
	if (flags.reason !== undefined && !flags.deny) throw new UsageError("--reason requires --deny");
	if (flags.deny && flags.value !== undefined) throw new UsageError("use either --deny or --value");
	const question = await findQuestion(client, id);
	const given = givenBy(flags, question) ?? (await typed(question, io));
	if (given === "interrupted") return { exitCode: 130, rows: ["The question is still open."] };
	if (given === undefined) return { exitCode: 1, rows: ["The question is still open."] };
	const { token, session_id } = question;
	const sent = await client.request("prompt_response", { token, ...given.response });
	return { exitCode: 0, rows: [`answered: ${given.shown}`], result: { ...sent, session_id, token } };
}

/** Returns the question with the details of its tool call. */
async function findQuestion(client: Client, id: string): Promise<OpenPromptPayload> {
	const { prompts } = await client.request("list_prompts", { limit: 1000 });
	const [meant, ...others] = prompts.filter(({ token }) => token === id || shortCode(token) === id);
	if (others.length > 0) {
		const tokens = [meant, ...others].map((one) => one?.token).join(", ");
		throw new UsageError(`several questions end with ${visibleLine(id)}: ${tokens}`);
	}
	const { prompts: whole } = meant
		? await client.request("list_prompts", { token: meant.token })
		: { prompts: [] };
	const [question] = whole;
	if (question) return question;
	throw new UsageError(`no open question has the id ${visibleLine(id)}; \`parley answer\` lists the ids`);
}

function givenBy({ value, deny, reason }: AnswerFlags, question: OpenPromptPayload): GivenAnswer | undefined {
	if (deny) return { response: { ...decline, ...defined({ reason }) }, shown: "no" };
	if (value === undefined) return undefined;
	if (question.type === "password") {
		throw new UsageError(
			"--value is not allowed for a password, because other users can read command lines; type it at a terminal",
		);
	}
	const reading = readAnswer(question, value);
	if (reading.kind === "again") throw new UsageError(`--value ${visibleLine(value)}: ${reading.hint}`);
	if (question.always_ask && approves(reading) && value.trim() !== "yes") {
		throw new UsageError("this call always requires approval: use the complete word, --value yes");
	}
	return reading;
}

function approves({ response }: GivenAnswer): boolean {
	return response.cancelled !== true;
}

async function typed(question: OpenPromptPayload, io: Io): Promise<GivenAnswer | "interrupted" | undefined> {
	if (!io.stdin.isTTY || !io.stderr.isTTY) {
		io.stderr.write(`${questionRows(question, errorFormat(io)).join("\n")}\n`);
		const way = question.type === "password" ? "" : "; use --value or --deny";
		throw new UsageError(`cannot ask without a terminal${way}`);
	}
	const ended = new AbortController();
	const asking = { io, signal: ended.signal, onInterrupt: () => ended.abort() };
	const given = await askPerson(question, asking);
	if (!given) return "interrupted";
	if (!question.always_ask || !approves(given)) return given;
	const sure = await askPerson(confirmation(question), asking);
	if (!sure) return "interrupted";
	return sure.response.text === "yes" ? given : undefined;
}

/** Second question about a call that always requires approval, so that a key pressed by mistake approves nothing. */
function confirmation(question: OpenPromptPayload): OpenPromptPayload {
	const label =
		"This call always requires approval. Type yes to approve it, or anything else to leave it open.";
	return { ...question, type: "text", label, options: [], placeholder: "", validation: "", required: false };
}
