import { ParleyError } from "@parley/base";
import type { Keyed, Principal } from "@parley/core";
import type { MethodName, MethodResult } from "@parley/protocol";
import { keyedRequest } from "../../shared/acting.ts";
import { SessionView } from "../../view/session-view.ts";
import type { Connection } from "../connection.ts";
import type { Request } from "../schema.ts";

/** A request, and who makes it: of a connector, together with the person that it acts for. */
export type Asked = Request & { readonly principal: Principal };
export type RequestOf<Name extends MethodName> = Extract<Asked, { method: Name }>;

/** What methods do. One that is missing does not compile. */
export type MethodsOf<Method extends MethodName> = {
	readonly [Name in Method]: (
		connection: Connection,
		request: RequestOf<Name>,
	) => Promise<MethodResult<Name>>;
};

/** The request for the runtime, with the session that it means. */
export function keyed(request: Asked, sessionId?: string): Keyed {
	const { key, ...params } = { key: undefined, ...request.params };
	const { principal, method } = request;
	return keyedRequest({ principal, key, method }, params, sessionId);
}

/** The session that a request means; throws `invalid_argument` where it means none. */
export function targetOpen(connection: Connection, request: Request): SessionView {
	const target = connection.target(request);
	if (target !== undefined) return target;
	throw new ParleyError("no session is open", { code: "invalid_argument" });
}

/** The session that its parameters name, joined or not; else the one that a request means anyway. */
export function targetNamed(
	connection: Connection,
	request: Request & { readonly params: { readonly session_id?: string | undefined } },
): string {
	return request.params.session_id ?? targetOpen(connection, request).id;
}

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
	const { principal, key, method, params } = keyed(request);
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
