import { ParleyError } from "@parley/base";
import { SessionView } from "../view/session-view.ts";
import type { Connection } from "./connection.ts";
import { type Asked, keyed, type RequestOf } from "./request-target.ts";

/** Characters of an idempotency key. */
const maxKeyLength = 128;

/** The session that a request means, or a new one, which is the connection's from then on. */
export async function targetOrNew(
	connection: Connection,
	request: RequestOf<"send_message" | "accept_all_tools" | "submit_task">,
): Promise<SessionView> {
	const target = connection.target(request);
	if (target !== undefined) return target;
	const id = await createImplicit(connection, request);
	return (await connection.join(id, 0, true)).view;
}

/** The session of a first request. Sent again over another connection, the very same request finds it again. */
async function createImplicit(connection: Connection, request: Asked): Promise<string> {
	const { principal, key, method, params } = keyed(connection, request);
	const { runtime } = connection.deps;
	const opening = {
		principal,
		key: key && implicitKey(key),
		method: "open_session",
		params: { method, params },
	};
	try {
		return (await SessionView.create(runtime, opening, {})).id;
	} catch (reason) {
		const error = ParleyError.from(reason);
		if (key === undefined || error.code !== "invalid_argument") throw error;
		// Names the key that the client knows, not the one made of it.
		throw new ParleyError(`key "${key}" was used for another request`, { code: error.code, cause: reason });
	}
}

/** Longer than any key that a client may use, so that it is nobody's own. */
function implicitKey(key: string): string {
	return `${"the session of ".padEnd(maxKeyLength, ".")}${key}`;
}
