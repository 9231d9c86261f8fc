import { defined, ParleyError } from "@parley/base";
import type { Keyed, OpenPrompt, Principal, Prompt, PromptResponse } from "@parley/core";
import type { MethodResult } from "@parley/protocol";
import { ozzieErrorTexts } from "../../../texts/wires/ozzie.ts";
import { firstWithin, jsonBytes } from "../../shared/paging.ts";
import { encodePrompt } from "../../shared/prompt-json.ts";
import { toTime } from "../../shared/time.ts";
import { answerBudget } from "../codec.ts";
import { nameOfToken } from "../hidden-tokens.ts";
import { type HandlerContext, keyedRequest, type MethodsOf } from "./request.ts";

export const promptMethods: MethodsOf<"prompt_response" | "allow_always" | "list_prompts" | "secret_page"> = {
	async prompt_response(connection, request) {
		const { token, value, values, text, cancelled, reason, typed, key } = request.params;
		const { arguments: changed, changes } = request.params;
		const response: PromptResponse = defined({
			value,
			values,
			text,
			cancelled,
			reason,
			arguments: changed,
			changes,
			typed,
			choice: connection.envelope === "both",
			confidential: connection.deps.confidential ?? true,
		});
		try {
			return await answer(connection, keyedRequest(request), token, response);
		} catch (error) {
			// A client that sends a key or changed arguments also reads error responses, so the prompt is not repeated.
			if (key !== undefined || changed) throw error;
			return settleUnread(connection, request.principal, token, ParleyError.from(error));
		}
	},

	async allow_always({ deps }, request) {
		const { counts, rule, source } = await deps.runtime.operator.allowAlways(
			keyedRequest(request),
			request.params.token,
		);
		return { status: "sent", ...defined({ late: counts ? undefined : (true as const) }), rule, source };
	},

	async list_prompts(connection, request) {
		const { params, principal } = request;
		const { runtime } = connection.deps;
		const { token, limit, approvals } = params;
		const addressed = request.sessionId === undefined ? undefined : connection.target(request)?.id;
		const sessionId = params.session_id ?? addressed;
		const open = await runtime.prompts.list(principal, { sessionId, token, limit, approvals });
		const prompts = open.map((one) => encodeOpenPrompt(one, token !== undefined));
		const shown =
			principal.kind === "observer"
				? prompts.map((one) => ({ ...one, token: nameOfToken(one.token) }))
				: prompts;
		return { prompts: firstWithin(shown, jsonBytes, answerBudget(connection.envelope)) };
	},

	async secret_page({ deps }, { principal, params: { token, key } }) {
		const { secretPages } = deps;
		if (!secretPages) {
			const message = ozzieErrorTexts.noPublicUrl;
			throw new ParleyError(message, { code: "unimplemented" });
		}
		const { url, expiresAt } = await secretPages.issue(principal, { token, key });
		return { url, expires_at: toTime(expiresAt) };
	},
};

async function answer(
	{ deps }: HandlerContext,
	request: Keyed,
	token: string,
	response: PromptResponse,
): Promise<MethodResult<"prompt_response">> {
	const counts = await deps.runtime.answer(request, token, response);
	return { status: "sent", ...defined({ late: counts ? undefined : (true as const) }) };
}

/**
 * Handles an invalid answer or a refused password. A client that reads no errors would otherwise wait forever. At the
 * first such answer, repeats the prompt with the error in its label, and rejects. At the second such answer, denies
 * the prompt. For other clients and errors, always rejects.
 */
export async function settleUnread(
	connection: HandlerContext,
	principal: Principal,
	token: string,
	error: ParleyError,
): Promise<MethodResult<"prompt_response">> {
	const prompt = connection.openPrompt(token);
	if (!prompt || !isUnread(error, prompt)) throw error;
	if (
		connection.repeatPrompt(
			token,
			ozzieErrorTexts.answerAgain({ reason: error.message, question: prompt.label }),
		)
	)
		throw error;
	const request = { principal, key: undefined, method: "prompt_response", params: { token } };
	const reason = ozzieErrorTexts.twoInvalidAnswers({ reason: error.message });
	return answer(connection, request, token, { cancelled: true, unanswered: true, reason });
}

function isUnread({ code }: ParleyError, { type }: Prompt): boolean {
	return code === "invalid_argument" || (code === "permission_denied" && type === "password");
}

/** Encodes an open prompt. `withDetails` adds the arguments and the preview of the call. Both may be long. */
function encodeOpenPrompt(
	open: OpenPrompt,
	withDetails: boolean,
): MethodResult<"list_prompts">["prompts"][number] {
	const { prompt, sessionId, sessionTitle, place, createdAt, requester, alwaysAsk } = open;
	const shown = encodePrompt(prompt);
	const {
		arguments: given,
		preview,
		notes,
		warnings,
		also_in,
		notify: _,
		always_allow: _rule,
		...short
	} = shown.context;
	const isLong = withDetails && prompt.approval !== undefined;
	return {
		...shown,
		options: [...shown.options],
		context: defined({
			...short,
			notes: notes && [...notes],
			warnings: warnings && [...warnings],
			also_in: also_in && [...also_in],
			arguments: isLong ? given : undefined,
			preview: isLong ? preview : undefined,
		}),
		session_id: sessionId,
		session_title: sessionTitle,
		created_at: toTime(createdAt),
		...defined({ person: requester?.id, name: requester?.name, place }),
		always_ask: alwaysAsk,
	};
}
