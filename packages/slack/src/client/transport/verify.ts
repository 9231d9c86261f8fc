import { verifySlackRequest } from "@slack/bolt";

/** https://docs.slack.dev/authentication/verifying-requests-from-slack: five minutes, in both directions. */
const windowMs = 5 * 60_000;

export interface SignedRequest {
	readonly signingSecret: string;
	/** As it came. */
	readonly body: string;
	readonly timestamp: string | undefined;
	readonly signature: string | undefined;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

/** Why a request is not Slack's, or not of this moment, as far as that shows before its body is there. */
export function forgeryInHead({
	timestamp,
	signature,
	now,
}: Omit<SignedRequest, "body" | "signingSecret">): string | undefined {
	if (timestamp === undefined || signature === undefined) return "it is not signed";
	if (!/^\d{1,12}$/.test(timestamp)) return "its timestamp is no time";
	const isOld = Math.abs(now - Number(timestamp) * 1000) > windowMs;
	return isOld ? "its time is more than five minutes off this machine's" : undefined;
}

/** Why a request is not Slack's, or not of this moment; undefined where it is. Bolt's own check lets in what comes from the future. */
export function forgery(request: SignedRequest): string | undefined {
	const inHead = forgeryInHead(request);
	if (inHead !== undefined) return inHead;
	const { signingSecret, body, now, timestamp, signature } = request;
	try {
		verifySlackRequest({
			signingSecret,
			body,
			nowMilliseconds: now,
			headers: { "x-slack-signature": signature ?? "", "x-slack-request-timestamp": Number(timestamp) },
		});
		return undefined;
	} catch {
		return "its signature is not that of the signing secret";
	}
}
