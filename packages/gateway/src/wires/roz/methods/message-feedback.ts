import type { Feedback } from "@parley/core";
import type { MessageFeedback } from "../../../gen/roz/v1/agent.ts";

const ratings: Readonly<Record<string, Feedback["rating"]>> = { up: "good", down: "bad" };

/** The feedback of a frame, for the session of the stream if it names none; undefined for an unknown rating. */
export function feedbackOf(
	{ sessionId, messageId, rating }: MessageFeedback,
	ownSessionId: string,
): { readonly sessionId: string; readonly feedback: Feedback } | undefined {
	const given = Object.hasOwn(ratings, rating) ? ratings[rating] : undefined;
	if (!given) return undefined;
	const feedback = { runId: messageId, rating: given, comment: "" };
	return { sessionId: sessionId === "" ? ownSessionId : sessionId, feedback };
}
