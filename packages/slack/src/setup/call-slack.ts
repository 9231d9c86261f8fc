import { ParleyError } from "@parley/base";
import { tokenRefusalText } from "../client/transport/refusals.ts";
import { connectionTexts } from "../texts/connection.ts";
import { doctorTexts } from "../texts/doctor.ts";
import type { SlackAnswer, SlackApi } from "../vocabulary/slack-port.ts";

/** Page with the settings of Slack apps. */
export const appSettings = "https://api.slack.com/apps";

/**
 * Returns the response of a method. Rejects with a `ParleyError` for operators:
 * - `unauthenticated` for an invalid token
 * - `failed_precondition`, with instructions, for other known refusals
 * - `permission_denied` for unknown refusals
 * - `resource_exhausted` for a rate limit
 * - `unavailable` for a missing response
 */
export async function callSlack(
	port: SlackApi,
	method: string,
	args: Readonly<Record<string, unknown>> = {},
): Promise<Readonly<Record<string, unknown>>> {
	const answer = await port.call({ method, args });
	if (answer.type === "ok") return answer.body;
	if (answer.type === "rate-limited") {
		const seconds = Math.ceil(answer.retryAfterMs / 1000);
		throw new ParleyError(doctorTexts.limited({ method, seconds }), { code: "resource_exhausted" });
	}
	throw refused(method, answer);
}

function refused(
	method: string,
	{ error, body }: Extract<SlackAnswer, { readonly type: "refused" }>,
): ParleyError {
	// Only `apps.connections.open` uses the app token.
	const token = method === "apps.connections.open" ? "app" : "bot";
	const { needed } = body;
	const lacks =
		error === "missing_scope" && typeof needed === "string"
			? doctorTexts.lacksScope({
					method,
					token: connectionTexts.tokens[token],
					scope: needed,
					fix: doctorTexts.lacksScopeFixes[token],
				})
			: undefined;
	const known = lacks ?? tokenRefusalText(error, token);
	if (known === undefined) {
		return new ParleyError(connectionTexts.answered({ error, method }), { code: "permission_denied" });
	}
	return new ParleyError(known, {
		code: tokenFaults.has(error) ? "unauthenticated" : "failed_precondition",
	});
}

/** Errors of an invalid token: https://docs.slack.dev/reference/methods/auth.test#errors */
const tokenFaults: ReadonlySet<string> = new Set([
	"not_authed",
	"invalid_auth",
	"account_inactive",
	"token_revoked",
	"token_expired",
]);
