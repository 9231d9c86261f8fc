import { ParleyError } from "@parley/base";
import type { Keyed } from "@parley/core";
import type { MethodName } from "@parley/protocol";
import type { Connection } from "./connection.ts";
import type { Request } from "./request.ts";

export type RequestOf<Name extends MethodName> = Extract<Request, { method: Name }>;

/**
 * The request for the runtime: the same key with the same method and parameters, for the same session where it means
 * one, is the same request. Which session that is need not be written in it.
 */
export function keyed(connection: Connection, request: Request, sessionId?: string): Keyed {
	const { key, ...params } = { key: undefined, ...request.params };
	const { principal } = connection.deps;
	const meant = sessionId === undefined ? params : { ...params, session: sessionId };
	return { principal, key, method: request.method, params: meant };
}

/** The session that a request means; throws `invalid_argument` where it means none. */
export function targetOpen(connection: Connection, request: Request): string {
	const target = connection.target(request);
	if (target !== undefined) return target;
	throw new ParleyError("no session is open", { code: "invalid_argument" });
}

/** The session that its parameters name, joined or not; else the one that a request means anyway. */
export function targetNamed(
	connection: Connection,
	request: Request & { readonly params: { readonly session_id?: string | undefined } },
): string {
	return request.params.session_id ?? targetOpen(connection, request);
}
