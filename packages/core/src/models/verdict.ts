import { ParleyError, parseJson } from "@parley/base";
import * as z from "zod";
import { verdictInstructions } from "../instructions/auxiliary-prompts.ts";
import type { Message } from "../vocabulary/message.ts";
import { verdictTexts } from "./texts.ts";

/** A model's verdict on the result of a step. */
export interface Verdict {
	readonly passed: boolean;
	/** Reason that the model wrote. If no reply contained a valid verdict, the fault in the second reply. */
	readonly reason: string;
}

const maxReason = 2_000;

const schema = z.object({ passed: z.boolean(), reason: z.string() });

/** The result of a step to judge, with its task and criteria. */
export interface VerdictInput {
	readonly criteria: readonly string[];
	readonly task: string;
	readonly result: string;
}

interface JudgeRequest {
	readonly system: string;
	readonly messages: readonly Message[];
}

/**
 * Requests a verdict with `ask`, which returns the text of one reply. If the first reply contains no valid verdict,
 * asks once more. If the second reply contains no valid verdict either, returns a negative verdict with the reason.
 */
export async function judge(
	input: VerdictInput,
	ask: (request: JudgeRequest) => Promise<string>,
): Promise<Verdict> {
	const messages: Message[] = [messageOf("user", JSON.stringify(input))];
	const first = await ask({ system: verdictInstructions, messages });
	try {
		return readVerdict(first);
	} catch (reason) {
		const fault = ParleyError.from(reason).message;
		const correction = verdictTexts.invalid(fault);
		messages.push(messageOf("assistant", first), messageOf("user", correction));
	}
	const second = await ask({ system: verdictInstructions, messages });
	try {
		return readVerdict(second);
	} catch (reason) {
		return { passed: false, reason: verdictTexts.none(ParleyError.from(reason).message) };
	}
}

/**
 * Returns the verdict in the text, for example from a code block. Throws `invalid_argument` if the text contains no
 * valid verdict.
 */
function readVerdict(text: string): Verdict {
	const [from, to] = [text.indexOf("{"), text.lastIndexOf("}")];
	if (from < 0 || to < from) throw invalid(verdictTexts.noJson);
	const parsed = schema.safeParse(parseJson(text.slice(from, to + 1)));
	if (!parsed.success) throw invalid(verdictTexts.fields);
	const { passed, reason } = parsed.data;
	return { passed, reason: reason.trim().slice(0, maxReason) };
}

function messageOf(role: "user" | "assistant", text: string): Message {
	return { role, content: [{ type: "text", text }] };
}

function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
