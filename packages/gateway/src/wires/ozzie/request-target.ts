import { ParleyError } from "@parley/base";
import { type Keyed, type Principal, placeKey } from "@parley/core";
import type { MethodName, MethodResult } from "@parley/protocol";
import type { SessionView } from "../view/session-view.ts";
import type { Connection } from "./connection.ts";
import type { Request } from "./request.ts";

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

/**
 * The request for the runtime: the same key with the same method and parameters, for the same session where it means
 * one, is the same request. Which session that is need not be written in it.
 */
export function keyed(_connection: Connection, request: Asked, sessionId?: string): Keyed {
	const { key, ...params } = { key: undefined, ...request.params };
	const { principal } = request;
	const { person } = principal;
	const meant = {
		...params,
		...(sessionId !== undefined && { session: sessionId }),
		// The key of one person is no other's, nor is it that of another channel.
		...(person && { person: person.id, place: placeKey(person.place) }),
	};
	return { principal, key, method: request.method, params: meant };
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
