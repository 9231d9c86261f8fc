import { ParleyError } from "@parley/base";
import type { Selectable } from "kysely";
import { fromRow } from "../journal/journal.ts";
import type { Tables } from "../journal/tables.ts";
import type { Prompt } from "../prompt.ts";
import { type PromptResponse, readAnswer } from "../prompt-answer.ts";
import { questionId } from "../run/log-event.ts";
import { type Keyed, once } from "./idempotency.ts";
import { answerPrompt } from "./prompts.ts";
import type { Session, SessionDeps } from "./session.ts";
import type { Sessions } from "./sessions.ts";

/** What an answer is taken with. */
interface AnswerDeps extends SessionDeps {
	readonly sessions: Sessions;
}

/** Answers the question of a token, for who may. Throws `not_found` also where the session is not to be seen. */
export async function answerQuestion(
	deps: AnswerDeps,
	request: Keyed,
	token: string,
	response: PromptResponse,
): Promise<void> {
	const row = await deps.journal.store.read((db) =>
		db.selectFrom("prompts").selectAll().where("token", "=", token).executeTakeFirst(),
	);
	const unknown = new ParleyError("prompt not found", { code: "not_found" });
	if (!row) throw unknown;
	const action = response.cancelled === true ? "prompt.deny" : "prompt.answer";
	using lease = await deps.sessions.lease(request.principal, row.session_id, action).catch((reason) => {
		// Who may not see the session learns nothing of it, not even its id.
		throw ParleyError.from(reason).code === "not_found" ? unknown : reason;
	});
	const { session } = lease;
	const by = request.principal.id;
	const binding = await judgeChange(session, row, response);
	await session.commit((tx, record) =>
		once(tx, request, deps, () => answerPrompt(tx, record, session, { token, response, by, binding })),
	);
	const log =
		session.live.get(row.run_id)?.log ?? deps.log.child({ sessionId: session.id, runId: row.run_id });
	const answer = response.cancelled === true ? "cancelled" : "given";
	log.info("question answered", { question: questionId({ session }, token), answer, principal: by });
	await deps.failpoints.reach("answered");
	session.wake(token);
}

/** What an approval with changed arguments is bound to; undefined where it changes none, or comes too late. */
async function judgeChange(
	session: Session,
	row: Selectable<Tables["prompts"]>,
	response: PromptResponse,
): Promise<string | undefined> {
	if (response.arguments === undefined || row.state !== "open") return undefined;
	const answer = readAnswer(fromRow<Prompt>(row.request), row.floor === 1, response);
	if (answer.kind !== "approved") return undefined;
	const changing = session.live.get(row.run_id)?.changing;
	if (changing?.callId !== row.call_id) {
		const message = "session busy: the run that asks is not at work at this moment; answer again soon";
		throw new ParleyError(message, { code: "unavailable" });
	}
	return (await changing.judge(response.arguments)).binding;
}
