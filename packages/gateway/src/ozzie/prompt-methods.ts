import { ParleyError } from "@parley/base";
import { nameOfToken } from "./hidden-tokens.ts";
import { answerBudget, firstWithin, jsonBytes } from "./newest-within.ts";
import { encodeOpenPrompt } from "./prompt-codec.ts";
import type { MethodsOf } from "./request-target.ts";
import { toTime } from "./time.ts";

/** Questions that wait for people, and where a password can be typed that no chat may carry. */
export const promptMethods: MethodsOf<"list_prompts" | "secret_page"> = {
	async list_prompts(connection, request) {
		const { params, principal } = request;
		const { runtime, envelope } = connection.deps;
		const { token, limit, approvals } = params;
		const addressed = request.sessionId === undefined ? undefined : connection.target(request);
		const sessionId = params.session_id ?? addressed;
		const open = await runtime.prompts.list(principal, { sessionId, token, limit, approvals });
		const prompts = open.map((one) => encodeOpenPrompt(one, token !== undefined));
		// Who may only read gets nothing that a question could be answered with.
		const shown =
			principal.kind === "observer"
				? prompts.map((one) => ({ ...one, token: nameOfToken(one.token) }))
				: prompts;
		return { prompts: firstWithin(shown, jsonBytes, answerBudget(envelope)) };
	},

	async secret_page({ deps }, { principal, params: { token, key } }) {
		const { secretPages } = deps;
		if (!secretPages) {
			const message =
				"not available: this gateway has no publicUrl by which a browser could reach it; the operator answers with parley answer";
			throw new ParleyError(message, { code: "unimplemented" });
		}
		const { url, expiresAt } = await secretPages.issue(principal, { token, key });
		return { url, expires_at: toTime(expiresAt) };
	},
};
