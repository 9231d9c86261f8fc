import { type ErrorCode, ParleyError } from "@parley/base";

/** Answers that no later try would change. */
const refusals: Readonly<Record<number, { readonly code: ErrorCode; readonly why: string }>> = {
	401: {
		code: "unauthenticated",
		why: "wants a valid token: `parley token` prints it where the gateway runs",
	},
	403: { code: "permission_denied", why: "refuses this caller" },
	421: {
		code: "failed_precondition",
		why: "does not answer to this host name: use one that it was started with",
	},
};

/** Why the gateway will never accept this client, or undefined where another try may succeed. */
export function refusalOf(status: number | undefined, url: URL): ParleyError | undefined {
	const refusal = status === undefined ? undefined : refusals[status];
	if (!refusal) return undefined;
	return new ParleyError(`the gateway at ${url.href} ${refusal.why} (HTTP ${status})`, {
		code: refusal.code,
	});
}

/** Why no connection came to be, in words for a person. */
export function describeFailure(error: NodeJS.ErrnoException, url: URL): string {
	if (error.code === "ECONNREFUSED") {
		return `no gateway listens at ${url.href}: start one with \`parley start\``;
	}
	return `no gateway can be reached at ${url.href}: ${error.message || error.code}`;
}
