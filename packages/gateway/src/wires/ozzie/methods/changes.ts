import { keyedRequest, type MethodsOf, targetNamed } from "./request.ts";

export const changeMethods: MethodsOf<"file_changes" | "undo_changes"> = {
	async file_changes(connection, request) {
		const sessionId = targetNamed(connection, request);
		const turn = await connection.deps.runtime.operator.changes(request.principal, sessionId);
		if (!turn) return {};
		const { runId, message, files, ranCommands } = turn;
		return {
			turn: {
				run_id: runId,
				message,
				files: files.map(({ path, state, reason, isNew, diff }) => ({
					path,
					state,
					reason,
					created: isNew,
					diff,
				})),
				ran_commands: ranCommands,
			},
		};
	},

	async undo_changes(connection, request) {
		const sessionId = targetNamed(connection, request);
		const { operator } = connection.deps.runtime;
		const { partly } = request.params;
		const { runId } = await operator.undo(keyedRequest(request, sessionId), sessionId, partly ?? false);
		return { status: "sent", run_id: runId };
	},
};
