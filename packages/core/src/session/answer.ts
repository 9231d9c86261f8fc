import { ParleyError } from "@parley/base";
import type { PromptResponse } from "../prompt-answer.ts";
import type { SecretBox } from "../secrets.ts";
import { type Keyed, once } from "./idempotency.ts";
import { answerPrompt } from "./prompts.ts";
import type { SessionDeps } from "./session.ts";
import type { Sessions } from "./sessions.ts";

/** What an answer is taken with. */
interface AnswerDeps extends SessionDeps {
	readonly sessions: Sessions;
	readonly secrets: SecretBox;
}

/** Answers the question of a token, for who may. Throws `not_found` also where the session is not to be seen. */
export async function answerQuestion(
	deps: AnswerDeps,
	request: Keyed,
	token: string,
	response: PromptResponse,
): Promise<void> {
	const row = await deps.journal.store.read((db) =>
		db.selectFrom("prompts").select("session_id").where("token", "=", token).executeTakeFirst(),
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
	await session.commit((tx, record) =>
		once(tx, request, deps, () =>
			answerPrompt(tx, record, session, { token, response, by, secrets: deps.secrets }),
		),
	);
	await deps.failpoints.reach("answered");
	session.wake(token);
}
