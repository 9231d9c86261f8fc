import { ParleyError } from "@parley/base";
import type { SlackPort } from "../slack-port.ts";

/** Where an operator sees to the app. */
export const appSettings = "https://api.slack.com/apps";

/**
 * The answer of a method; rejects with a `ParleyError` that a person may read where Slack does not give it:
 * `unauthenticated` where it does not know the token.
 */
export async function askSlack(
	port: Pick<SlackPort, "call">,
	method: string,
	args: Readonly<Record<string, unknown>> = {},
): Promise<Readonly<Record<string, unknown>>> {
	const answer = await port.call({ method, args });
	if (answer.type === "ok") return answer.body;
	if (answer.type === "rate-limited") {
		const seconds = Math.ceil(answer.retryAfterMs / 1000);
		throw new ParleyError(`Slack limits ${method}: try again in ${seconds} seconds`, { code: "unavailable" });
	}
	const { error } = answer;
	throw new ParleyError(`Slack answered ${error} to ${method}`, {
		code: tokenFaults.has(error) ? "unauthenticated" : "permission_denied",
	});
}

/** https://docs.slack.dev/reference/methods/auth.test#errors */
const tokenFaults: ReadonlySet<string> = new Set([
	...["not_authed", "invalid_auth", "account_inactive", "token_revoked", "token_expired"],
]);
