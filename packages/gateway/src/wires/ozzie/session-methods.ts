import type { Explanation } from "@parley/core";
import { encodeExplanation } from "./explain-codec.ts";
import { keyed, type MethodsOf, targetNamed } from "./request-target.ts";

type SessionMethod = "rename_session" | "delete_session" | "feedback" | "explain";

/** What people do with conversations as a whole, and say about their replies. */
export const sessionMethods: MethodsOf<SessionMethod> = {
	async rename_session(connection, request) {
		const { title } = request.params;
		const sessionId = targetNamed(connection, request);
		const { runtime } = connection.deps;
		return { title: await runtime.rename(keyed(connection, request, sessionId), sessionId, title) };
	},

	async delete_session(connection, request) {
		const sessionId = targetNamed(connection, request);
		const force = request.params.force === true;
		await connection.deps.runtime.remove(keyed(connection, request, sessionId), sessionId, force);
		return { status: "deleted" };
	},

	async feedback(connection, request) {
		const { rating, comment = "", run_id } = request.params;
		const sessionId = targetNamed(connection, request);
		const { runId } = await connection.deps.runtime.feedback(
			keyed(connection, request, sessionId),
			sessionId,
			{ rating, comment, ...(run_id !== undefined && { runId: run_id }) },
		);
		return { status: "recorded", run_id: runId };
	},

	async explain(connection, request) {
		const { runtime } = connection.deps;
		const sessionId = targetNamed(connection, request);
		const explained: Explanation = await runtime.explain(request.principal, sessionId, request.params.run_id);
		return encodeExplanation(explained);
	},
};
