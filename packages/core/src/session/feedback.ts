import { ParleyError } from "@parley/base";
import type { Tx } from "../journal/journal.ts";
import { stamp } from "../journal/tables.ts";
import { type Keyed, once } from "./idempotency.ts";
import { readRunEvents } from "./run-events.ts";
import type { Session } from "./session.ts";

/** What somebody thinks of a reply; of the session's last one where `runId` is absent. */
export interface Feedback {
	/** Its id, or what the client named the message (`NewMessage.correlation`). */
	readonly runId?: string;
	readonly rating: "good" | "bad";
	readonly comment: string;
}

/**
 * Keeps what the principal thinks of a reply, in place of what it thought before. Returns the run. Throws `not_found` for
 * a run that is not the session's, and `failed_precondition` where there is no reply to think of.
 */
export async function recordFeedback(
	session: Session,
	request: Keyed,
	{ runId, rating, comment }: Feedback,
): Promise<{ readonly runId: string }> {
	const principal = request.principal.id;
	const outcome = await session.commit((tx) =>
		once(tx, request, session.deps, async () => {
			const run = await findReplied(tx, session.id, runId);
			const opinion = { rating, comment: session.redactor.redact(comment), at: session.deps.clock.now() };
			await tx
				.insertInto("feedback")
				.values({ session_id: session.id, run_id: run, principal, ...opinion, ...stamp })
				.onConflict((conflict) => conflict.columns(["run_id", "principal"]).doUpdateSet(opinion))
				.execute();
			return { runId: run };
		}),
	);
	return outcome.response;
}

/** The run that was meant, whose reply there is; the last one that has ended unless told. */
async function findReplied(tx: Tx, sessionId: string, runId: string | undefined): Promise<string> {
	const runs = tx.selectFrom("runs").select(["id", "state"]).where("session_id", "=", sessionId);
	const wanted =
		runId === undefined
			? runs.where("state", "=", "ended")
			: runs.where(({ eb, or }) => or([eb("id", "=", runId), eb("correlation", "=", runId)]));
	const run = await wanted.orderBy("ordinal", "desc").limit(1).executeTakeFirst();
	if (!run && runId !== undefined) throw new ParleyError(`run not found: ${runId}`, { code: "not_found" });
	if (!run) throw refused("there is no reply in this session yet");
	if (run.state !== "ended") throw refused("the reply is still being made: wait for its end");
	const [end] = await readRunEvents(tx, { sessionId, runId: run.id }, ["assistant.message"]);
	if (!end || end.event.content === "") throw refused("the run has ended without a reply");
	return run.id;
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}
