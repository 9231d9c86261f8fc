import { ParleyError, type Store } from "@parley/base";
import { readRunEvents } from "../../conversation/run-events.ts";
import type { Session } from "../../conversation/session.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import { type Keyed, type KeyServices, once } from "../../store/idempotency.ts";
import type { Journal, Tx } from "../../store/journal.ts";
import { stamp, type Tables } from "../../store/tables.ts";
import { authorize } from "../../vocabulary/authorize.ts";
import { actingId, type Principal } from "../../vocabulary/principal.ts";
import { feedbackTexts } from "./texts.ts";

/** Feedback about a reply. If `runId` is absent, the feedback is about the reply of the last ended run. */
export interface Feedback {
	/** Id of the run, or the client's id of the message (`NewMessage.correlation`). */
	readonly runId?: string;
	readonly rating: "good" | "bad";
	readonly comment: string;
}

interface FeedbackPorts extends KeyServices {
	readonly journal: Journal;
}

export class SessionFeedback {
	readonly #services: FeedbackPorts;
	readonly #store: Store<Tables>;
	readonly #sessions: Sessions;

	constructor(services: FeedbackPorts, sessions: Sessions) {
		this.#services = services;
		this.#store = services.journal.store;
		this.#sessions = sessions;
	}

	/**
	 * Records feedback and replaces the principal's earlier feedback about the reply. Resolves with the id of the run.
	 * Throws `not_found` if the run is unknown, and `failed_precondition` if there is no complete reply.
	 */
	async record(request: Keyed, sessionId: string, feedback: Feedback): Promise<{ readonly runId: string }> {
		using lease = await this.#sessions.lease(request.principal, sessionId, "session.write");
		return await recordFeedback(this.#services, lease.session, request, feedback);
	}

	/**
	 * Returns the newest feedback of all sessions, or of one session. Throws `permission_denied` unless the principal is
	 * the operator.
	 */
	async list(principal: Principal, filter: FeedbackFilter): Promise<FeedbackEntry[]> {
		authorize(principal, "feedback.read");
		return await this.#store.read((db) => listFeedback(db, filter));
	}
}

async function recordFeedback(
	services: FeedbackPorts,
	session: Session,
	request: Keyed,
	{ runId, rating, comment }: Feedback,
): Promise<{ readonly runId: string }> {
	const principal = actingId(request.principal);
	const outcome = await session.commit((tx) =>
		once(tx, request, services, async () => {
			const run = await findReplied(tx, session.id, runId);
			const feedback = { rating, comment: session.redactor.redact(comment), at: services.clock.now() };
			await tx
				.insertInto("feedback")
				.values({ session_id: session.id, run_id: run, principal, ...feedback, ...stamp })
				.onConflict((conflict) => conflict.columns(["run_id", "principal"]).doUpdateSet(feedback))
				.execute();
			return { runId: run };
		}),
	);
	return outcome.response;
}

/** Stored feedback about a reply, with the beginning of the reply. */
export interface FeedbackEntry {
	readonly sessionId: string;
	/** Title of the session, or "" if the session has no title. */
	readonly title: string;
	readonly runId: string;
	readonly by: string;
	readonly rating: "good" | "bad";
	readonly comment: string;
	/** Milliseconds since the epoch. */
	readonly at: number;
	/** Beginning of the reply, or "" if the run has no reply. */
	readonly reply: string;
}

export interface FeedbackFilter {
	readonly limit: number;
	readonly rating?: "good" | "bad" | undefined;
	readonly sessionId?: string | undefined;
}

/** Maximum length of a reply in a list of feedback, in UTF-16 code units. */
const replyCharacters = 500;

async function listFeedback(db: Tx, { limit, rating, sessionId }: FeedbackFilter): Promise<FeedbackEntry[]> {
	let selected = db.selectFrom("feedback").innerJoin("sessions", "sessions.id", "feedback.session_id");
	if (rating !== undefined) selected = selected.where("rating", "=", rating);
	if (sessionId !== undefined) selected = selected.where("feedback.session_id", "=", sessionId);
	const rows = await selected
		.select(["feedback.session_id", "title", "run_id", "principal", "rating", "comment", "at"])
		.orderBy("at", "desc")
		.orderBy("run_id", "desc")
		.limit(limit)
		.execute();
	const entries: FeedbackEntry[] = [];
	for (const { session_id, run_id: runId, principal: by, at, ...facts } of rows) {
		const [end] = await readRunEvents(db, { sessionId: session_id, runId }, ["assistant.message"]);
		const reply = end?.event.content.slice(0, replyCharacters).toWellFormed() ?? "";
		entries.push({ ...facts, sessionId: session_id, runId, by, at: Number(at), reply });
	}
	return entries;
}

/**
 * Returns the id of the run that `runId` names, by run id or correlation id. Default: the last ended run, without runs
 * that joined another run. Throws if no such run exists, or if the run has not ended with a reply.
 */
async function findReplied(tx: Tx, sessionId: string, runId: string | undefined): Promise<string> {
	const runs = tx.selectFrom("runs").select(["id", "state"]).where("session_id", "=", sessionId);
	const selected =
		runId === undefined
			? runs.where("state", "=", "ended").where("joined", "is", null)
			: runs.where(({ eb, or }) => or([eb("id", "=", runId), eb("correlation", "=", runId)]));
	const run = await selected.orderBy("ordinal", "desc").limit(1).executeTakeFirst();
	if (!run && runId !== undefined)
		throw new ParleyError(feedbackTexts.runNotFound(runId), { code: "not_found" });
	if (!run) throw refused(feedbackTexts.noReply);
	if (run.state !== "ended") throw refused(feedbackTexts.incomplete);
	const [end] = await readRunEvents(tx, { sessionId, runId: run.id }, ["assistant.message"]);
	if (!end || end.event.content === "") throw refused(feedbackTexts.endedWithoutReply);
	return run.id;
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}
