import { ParleyError } from "@parley/base";
import type { SlackApi, SlackCall } from "../vocabulary/slack-port.ts";

/** Temporary errors. A later request may succeed. */
const passing: ReadonlySet<string> = new Set([
	"internal_error",
	"fatal_error",
	"service_unavailable",
	"request_timeout",
	"ratelimited",
	"team_added_to_org",
	"invalid_auth",
	"not_authed",
	"account_inactive",
	"token_revoked",
	"token_expired",
	"org_login_required",
	"accesslimited",
	"team_access_not_granted",
]);

/**
 * Returns the response of a reading method, or Slack's permanent refusal. Rejects with `unavailable` for a temporary
 * refusal or a rate limit.
 */
export async function readSlack(
	port: SlackApi,
	call: SlackCall,
): Promise<{ readonly body: Readonly<Record<string, unknown>> } | { readonly refused: string }> {
	const answer = await port.call(call);
	if (answer.type === "ok") return { body: answer.body };
	if (answer.type === "refused" && !passing.has(answer.error)) return { refused: answer.error };
	const why = answer.type === "refused" ? answer.error : "rate limited";
	throw new ParleyError(`reading from Slack with ${call.method} failed: ${why}`, {
		code: "unavailable",
	});
}
