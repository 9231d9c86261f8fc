import { ParleyError } from "@parley/base";
import type { Keyed, Principal } from "@parley/core";
import type { MethodName, MethodResult } from "@parley/protocol";
import { keyedRequest } from "../../shared/acting.ts";
import { SessionView } from "../../view/session-view.ts";
import type { Connection } from "../connection.ts";
import type { Request } from "../schema.ts";

/** A request with its principal: of a connector, with the person that it acts for. */
export type Asked = Request & { readonly principal: Principal };
export type RequestOf<Name extends MethodName> = Extract<Asked, { method: Name }>;

/** The work of some methods. A method without a handler does not compile. */
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

/** The session of a request. Throws `invalid_argument` if no session is open. */
export function targetOpen(connection: Connection, request: Request): SessionView {
	const target = connection.target(request);
	if (target !== undefined) return target;
	throw new ParleyError("no session is open", { code: "invalid_argument" });
}

/** The session that the parameters name, joined or not; else the session of the request. */
export function targetNamed(
	connection: Connection,
	request: Request & { readonly params: { readonly session_id?: string | undefined } },
): string {
	return request.params.session_id ?? targetOpen(connection, request).id;
}

/** Maximum characters of an idempotency key. */
const maxKeyLength = 128;

/** The session of a request, or a new session that becomes the current one of the connection. */
export async function targetOrNew(
	connection: Connection,
	request: RequestOf<"send_message" | "accept_all_tools" | "submit_task">,
): Promise<SessionView> {
	const target = connection.target(request);
	if (target !== undefined) return target;
	const id = await createImplicit(connection, request);
	return (await connection.join(id, 0, true)).view;
}

/** Creates the session of a first request. The same request over another connection finds it again. */
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
		// Names the client's key, not the derived one.
		throw new ParleyError(`key "${key}" was used for another request`, { code: error.code, cause: reason });
	}
}

/** Longer than any key of a client, so that the two never collide. */
function implicitKey(key: string): string {
	return `${"the session of ".padEnd(maxKeyLength, ".")}${key}`;
}
