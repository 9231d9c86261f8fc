import { defined, ParleyError } from "@parley/base";
import { mcpErrorTexts } from "../../../texts/wires/mcp.ts";
import { SessionView } from "../../view/session-view.ts";
import { type McpContext, unkeyedRequest } from "./context.ts";

interface SessionChoice {
	readonly session_id?: string | undefined;
	readonly directory?: string | undefined;
	readonly agent?: string | undefined;
}

/**
 * Returns the id of the session that a request names, or creates a session. Does not check the rights on a named
 * session. Rejects with `invalid_argument` for an unusable directory, and for a request that names both a directory
 * and a session.
 */
export async function sessionFor(
	context: McpContext,
	{ session_id, directory, agent }: SessionChoice,
): Promise<{ readonly sessionId: string; readonly isNew: boolean }> {
	if (session_id === undefined) {
		const requested = defined({ profile: agent, rootDir: directory });
		const { id } = await SessionView.create(
			context.runtime,
			unkeyedRequest(context, "open_session"),
			requested,
		).catch(directoryError);
		return { sessionId: id, isNew: true };
	}
	if (directory === undefined) return { sessionId: session_id, isNew: false };
	const message = mcpErrorTexts.directoryOfNewSession;
	throw new ParleyError(message, { code: "invalid_argument" });
}

/** Throws the error again. The new text names the parameter `directory`, as this wire does, instead of `root_dir`. */
function directoryError(reason: unknown): never {
	const { message, code } = ParleyError.from(reason);
	throw new ParleyError(message.replace(/^root_dir: /, "directory: "), { code, cause: reason });
}

/** Deletes the new session of a failed request, unless another client has open work in it. Never rejects. */
export async function removeEmpty(context: McpContext, sessionId: string): Promise<void> {
	await context.runtime
		.remove(unkeyedRequest(context, "delete_session"), sessionId, false)
		.catch((error: unknown) => {
			context.log.warn("an empty session could not be deleted", { sessionId, error });
		});
}
