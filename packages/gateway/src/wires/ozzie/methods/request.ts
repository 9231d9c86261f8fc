import { defined, ParleyError } from "@parley/base";
import { type Keyed, type Principal, type Prompt, placeKey, type Runtime } from "@parley/core";
import type { MethodName, MethodResult } from "@parley/protocol";
import type { SecretPages } from "../../../secret-page/secret-pages.ts";
import { ozzieErrorTexts } from "../../../texts/wires/ozzie.ts";
import { SessionView } from "../../view/session-view.ts";
import type { FrameShape } from "../envelope.ts";
import type { Request } from "../schema.ts";

export interface MethodDeps {
	readonly runtime: Runtime;
	readonly principal: Principal;
	/** Returns the time in milliseconds since the epoch. */
	now(): number;
	readonly anyModel?: boolean;
	/** Whether the connection is encrypted or local; true by default. */
	readonly confidential?: boolean;
	/** Password pages; undefined if the gateway has no public address. */
	readonly secretPages?: SecretPages | undefined;
}

/** Connection of a request, for its handler. */
export interface HandlerContext {
	readonly deps: MethodDeps;
	readonly envelope: FrameShape;
	/** Session of requests without `session_id`. */
	readonly current: string | undefined;
	/**
	 * Returns the view of the session that a request names, or of the current session. Returns undefined if the request
	 * names no session and no session is current. Throws `not_found` if the named session is not joined.
	 */
	target(request: Request): SessionView | undefined;
	/**
	 * Joins a session. The events of the session begin after the current response. Without `afterSeq`, a session that
	 * is already joined continues at its position. With `replace`, leaves the current session. With `replace`, or
	 * without a current session, the joined session becomes the current session. `lastSeq` is the `seq` of the newest
	 * recorded event. If the session continues, `lastSeq` is the `seq` of the last delivered event.
	 */
	join(sessionId: string, afterSeq: number | undefined, replace: boolean): Promise<JoinedSession>;
	/** Returns the open prompt of a token, if the client shows one prompt at a time and follows the session. */
	openPrompt(token: string): Prompt | undefined;
	/**
	 * Repeats the open prompt of a token with another label, after the current response. Returns false if the prompt is not
	 * open or was already repeated.
	 */
	repeatPrompt(token: string, label: string): boolean;
}

export interface JoinedSession {
	readonly view: SessionView;
	readonly lastSeq: number;
}

/** A request with its principal. The principal of a connector contains the person that the request names, if any. */
export type PrincipalRequest = Request & { readonly principal: Principal };
export type RequestOf<Name extends MethodName> = Extract<PrincipalRequest, { method: Name }>;

export type MethodsOf<Method extends MethodName> = {
	readonly [Name in Method]: (
		connection: HandlerContext,
		request: RequestOf<Name>,
	) => Promise<MethodResult<Name>>;
};

/**
 * Builds a request for the runtime. Two requests are equal if they have the same principal, key, method, parameters,
 * session, person and channel.
 */
export function keyedRequest(request: PrincipalRequest, sessionId?: string): Keyed {
	const { key, ...params } = { key: undefined, ...request.params };
	const { principal, method } = request;
	const { person } = principal;
	const named = defined({ session: sessionId, person: person?.id, place: person && placeKey(person.place) });
	return { principal, key, method, params: { ...params, ...named } };
}

/** Returns the session of a request. Throws `invalid_argument` without a session, and `not_found` as `target` does. */
export function targetOpen(connection: HandlerContext, request: Request): SessionView {
	const target = connection.target(request);
	if (target !== undefined) return target;
	throw new ParleyError(ozzieErrorTexts.noSession, { code: "invalid_argument" });
}

/**
 * Returns the id of the session that the parameters name, even if this session is not joined. If the parameters name
 * none, returns the id of the session that `targetOpen` finds.
 */
export function targetNamed(
	connection: HandlerContext,
	request: Request & { readonly params: { readonly session_id?: string | undefined } },
): string {
	return request.params.session_id ?? targetOpen(connection, request).id;
}

const maxKeyLength = 128;

/** Returns the session of a request, or a new session that becomes the current session of the connection. */
export async function targetOrNew(
	connection: HandlerContext,
	request: RequestOf<"send_message" | "accept_all_tools" | "submit_task">,
): Promise<SessionView> {
	const target = connection.target(request);
	if (target !== undefined) return target;
	const id = await createImplicit(connection, request);
	return (await connection.join(id, 0, true)).view;
}

/**
 * Creates a session for a request that names none, and returns its id. If the request has a key, the same request
 * over another connection gets the same session.
 */
async function createImplicit(connection: HandlerContext, request: PrincipalRequest): Promise<string> {
	const { principal, key, method, params } = keyedRequest(request);
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
		// The error names the client's key instead of the derived key.
		throw new ParleyError(ozzieErrorTexts.keyReused({ key }), { code: error.code, cause: reason });
	}
}

/** Returns a key that is longer than any key of a client, so that it never equals a client's key. */
function implicitKey(key: string): string {
	return `${"the session of ".padEnd(maxKeyLength, ".")}${key}`;
}

type Claim = Parameters<Runtime["trust"]["identify"]>[1];

type OnBehalf = { readonly [Name in keyof Claim]?: Claim[Name] | undefined };

/**
 * Returns the principal of a request. If a connector's request names a person, the principal acts for that person.
 * `method` is for the audit log. Rejects with `invalid_argument` if a connector's request has only one of `actor` and
 * `place`.
 */
export async function actingPrincipal(
	runtime: Runtime,
	principal: Principal,
	{ actor, place }: OnBehalf,
	method: string,
): Promise<Principal> {
	if (principal.kind !== "connector" || (!actor && !place)) return principal;
	if (!actor || !place) {
		const missing = actor ? ozzieErrorTexts.placeField : ozzieErrorTexts.actorField;
		throw new ParleyError(ozzieErrorTexts.missing({ field: missing }), { code: "invalid_argument" });
	}
	return runtime.trust.identify(principal, { actor, place }, method);
}
