import type { Explanation } from "@parley/core";
import type { MethodResult } from "@parley/protocol";
import type { Connection } from "./connection.ts";
import { encodeExplanation } from "./explain-codec.ts";
import { keyed, type RequestOf, targetNamed } from "./request-target.ts";

type SessionMethod = "rename_session" | "delete_session" | "feedback" | "explain";

/** What people do with conversations as a whole, and say about their replies. */
export const sessionMethods: {
	readonly [Name in SessionMethod]: (
		connection: Connection,
		request: RequestOf<Name>,
	) => Promise<MethodResult<Name>>;
} = {
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
		const { runtime, principal } = connection.deps;
		const sessionId = targetNamed(connection, request);
		const explained: Explanation = await runtime.explain(principal, sessionId, request.params.run_id);
		return encodeExplanation(explained);
	},
};
