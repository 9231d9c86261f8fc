import { ParleyError } from "@parley/base";
import type { Keyed } from "./idempotency.ts";
import type { Session } from "./session.ts";

/** What somebody thinks of a reply; of the session's last one where `runId` is absent. */
export interface Feedback {
	readonly runId?: string;
	readonly rating: "good" | "bad";
	readonly comment: string;
}

/** Keeps what the principal thinks of a reply, in place of what it thought before. Returns the run. */
export async function recordFeedback(
	_session: Session,
	_request: Keyed,
	_feedback: Feedback,
): Promise<{ readonly runId: string }> {
	throw new ParleyError("not available", { code: "unimplemented" });
}
