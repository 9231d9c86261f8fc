import type {
	CreateMessageRequestParams,
	CreateMessageResult,
	SamplingMessage,
} from "@modelcontextprotocol/client";
import { ParleyError } from "@parley/base";
import { visibleLines } from "../../text/visible.ts";
import type { StopReason } from "../../vocabulary/model.ts";
import type { PlainReply, PlainRequest } from "../../vocabulary/tool.ts";
import { choiceOf, type PersonQuestions } from "./answer-form.ts";
import { samplingTexts } from "./texts.ts";

export type AskModel = (request: PlainRequest) => Promise<PlainReply>;

/** Stop reasons of the protocol. The protocol has no name for a refusal, but allows other strings. */
const stopReasons: Readonly<Record<StopReason, string>> = {
	end_turn: "endTurn",
	tool_use: "toolUse",
	max_tokens: "maxTokens",
	refusal: "refusal",
};
/** Maximum characters of a request in the displayed question. */
const shownText = 1_500;
/** Maximum characters of a request. */
const maxText = 200_000;

/**
 * Answers a server's request for a model reply (sampling) after a person has allowed the request. The model gets only
 * the texts of the request. Throws if the request is invalid, too long or not only text. Also throws if the person does
 * not allow the request, or if the model does not reply.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
 */
export async function answerSampling(
	params: CreateMessageRequestParams,
	server: string,
	{ ask, redact, reply }: PersonQuestions & { readonly reply: AskModel },
): Promise<CreateMessageResult> {
	const request = requestOf(params, server);
	const text = [request.system, ...request.messages.map((message) => message.text)].join("\n").trim();
	if (text.length > maxText) throw refused(samplingTexts.tooLong(maxText));
	const clean = redact(text);
	const shown = visibleLines(clean.slice(0, shownText));
	const answer = await ask(
		choiceOf(samplingTexts.question({ server, text: shown, hidden: clean.length - shownText }), [
			{ value: "yes", label: samplingTexts.allow },
			{ value: "no", label: samplingTexts.refuse },
		]),
	);
	if (answer.outcome === "expired") throw refused(samplingTexts.unanswered);
	if (answer.outcome !== "answered" || answer.value !== "yes") throw refused(samplingTexts.denied);
	const { model, text: replied, stop } = await reply(request);
	return {
		role: "assistant",
		model,
		content: { type: "text", text: replied },
		stopReason: stopReasons[stop],
	};
}

function requestOf(params: CreateMessageRequestParams, server: string): PlainRequest {
	const { messages, systemPrompt = "", maxTokens } = params;
	if (maxTokens < 1) throw refused(samplingTexts.maxTokens(maxTokens));
	if (messages.at(-1)?.role !== "user") throw refused(samplingTexts.lastMessage);
	return {
		from: server,
		system: systemPrompt,
		messages: messages.map((message) => ({ role: message.role, text: textOf(message) })),
		maxTokens,
	};
}

function textOf({ content }: SamplingMessage): string {
	const blocks = Array.isArray(content) ? content : [content];
	return blocks
		.map((block) => {
			if (block.type === "text") return block.text;
			throw refused(samplingTexts.onlyText(block.type));
		})
		.join("\n");
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}
