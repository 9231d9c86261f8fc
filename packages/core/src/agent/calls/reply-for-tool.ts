import { definedItems, ParleyError } from "@parley/base";
import { toolRequestInstructions } from "../../instructions/auxiliary-prompts.ts";
import type { Message } from "../../vocabulary/message.ts";
import type { PlainReply, PlainRequest } from "../../vocabulary/tool.ts";
import { textOf } from "../../vocabulary/transcript.ts";
import { callForSession } from "../replies/session-call.ts";
import { recordAttempt } from "../replies/stream-reply.ts";
import { refusalOf, type SpendingPorts } from "../run/limits.ts";
import type { Run } from "../run/run.ts";
import { callTexts } from "./texts.ts";

/** Maximum tokens of a reply. A request can only lower this limit. */
const maxReplyTokens = 4_096;

/**
 * Sends a request to the model of a run on behalf of a tool, and adds the cost of this request to the run: see
 * `ToolContext.reply`.
 */
export async function replyForTool(
	run: Run,
	{ from, system, messages, maxTokens }: PlainRequest,
	{ withdrawn, ...spending }: SpendingPorts & { readonly withdrawn: AbortSignal | undefined },
): Promise<PlainReply> {
	const { session, settings, journal, clock } = run;
	const name = run.asking ?? settings.names[0];
	const refused = await refusalOf(run, name, spending);
	if (refused) throw new ParleyError(refused.error, { code: "resource_exhausted" });
	// As in the result of a tool, the model must not receive secrets.
	const redactor = session.redactor.into("tool");
	const request = {
		model: name,
		system: toolRequestInstructions(from, redactor.redact(system)),
		tools: [],
		reasoning: "off" as const,
		sampling: { maxTokens: Math.min(maxTokens, maxReplyTokens) },
		messages: messages.map(
			({ role, text }): Message => ({ role, content: [{ type: "text", text: redactor.redact(text) }] }),
		),
	};
	const signal = AbortSignal.any(definedItems([run.control.signal, withdrawn]));
	const caller = { ...spending, session, journal, clock, signal };
	const attempt = await callForSession(caller, settings.model, request, "tool");
	await run.commit((writing) => recordAttempt(run, attempt, writing, spending));
	const { content, stop, failure, model } = attempt.reply;
	if (failure) throw failure;
	const text = textOf(content);
	if (text === "") throw new ParleyError(callTexts.noReply, { code: "unavailable" });
	return { model: model || name, text, stop: stop ?? "max_tokens" };
}
