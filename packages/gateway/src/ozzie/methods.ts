import { ParleyError } from "@parley/base";
import type { Keyed } from "@parley/core";
import type { MethodName, MethodResult } from "@parley/protocol";
import { encodeFailure, encodeMessage, encodeSession } from "./codec.ts";
import type { Connection } from "./connection.ts";
import type { Request } from "./request.ts";

type RequestOf<Name extends MethodName> = Extract<Request, { method: Name }>;

/** What each method does. One that is missing here does not compile. */
const handlers: {
	readonly [Name in MethodName]: (
		connection: Connection,
		request: RequestOf<Name>,
	) => Promise<MethodResult<Name>>;
} = {
	async open_session(connection, request) {
		const { params } = request;
		const replace = params.join !== true;
		if (params.session_id) {
			const { lastSeq } = await connection.join(params.session_id, params.after_seq, replace);
			return { session_id: params.session_id, status: "resumed", last_seq: lastSeq };
		}
		return open(connection, request, { replace, afterSeq: params.after_seq });
	},

	async send_message(connection, request) {
		const { content } = request.params;
		const sessionId = await targetOrNew(connection, request);
		const accepted = await connection.deps.runtime.send(keyed(connection, request), sessionId, { content });
		const queued = accepted.queuedPosition > 0 ? { queued_position: accepted.queuedPosition } : {};
		return { status: "sent", run_id: accepted.runId, ...queued };
	},

	async prompt_response(connection, request) {
		const { token, value, values, text, cancelled, reason } = request.params;
		await connection.deps.runtime.answer(keyed(connection, request), token, {
			...(value !== undefined && { value }),
			...(values && { values }),
			...(text !== undefined && { text }),
			...(cancelled !== undefined && { cancelled }),
			...(reason !== undefined && { reason }),
		});
		return { status: "sent" };
	},

	async accept_all_tools(connection, request) {
		const sessionId = await targetOrNew(connection, request);
		await connection.deps.runtime.acceptAll(keyed(connection, request), sessionId);
		return { status: "accepted" };
	},

	async cancel_turn(connection, request) {
		const sessionId = targetOpen(connection, request);
		return connection.deps.runtime.cancel(
			keyed(connection, request),
			sessionId,
			request.params.queued === true,
		);
	},

	async list_sessions({ deps }, { params }) {
		const sessions = await deps.runtime.list(deps.principal, params.limit);
		return { sessions: sessions.map(encodeSession) };
	},

	async load_messages(connection, request) {
		const { runtime, principal } = connection.deps;
		const { limit, before } = request.params;
		const page = { limit, ...(before !== undefined && { beforeSeq: before }) };
		const messages = await runtime.messages(principal, targetOpen(connection, request), page);
		return messages.flatMap(encodeMessage);
	},

	async resume(connection, { params }) {
		const sessions: MethodResult<"resume">["sessions"] = [];
		for (const { session_id, after_seq } of params.sessions) {
			try {
				const { lastSeq } = await connection.join(session_id, after_seq, false);
				sessions.push({ session_id, ok: true, status: "resumed", last_seq: lastSeq });
			} catch (reason) {
				const failure = encodeFailure(undefined, reason);
				sessions.push({ session_id, ok: false, ...(!failure.ok && { error: failure.error }) });
			}
		}
		return { sessions };
	},
};

/** Does what the request asks and returns the payload of its response; throws what its failure tells. */
export function answerRequest(connection: Connection, request: Request): Promise<unknown> {
	// True because the handler was looked up by the request's own method.
	const handler = handlers[request.method] as (connection: Connection, request: Request) => Promise<unknown>;
	return handler(connection, request);
}

/** The request for the runtime: the same key with the same method and parameters is the same request. */
function keyed(connection: Connection, request: Request): Keyed {
	const { key, ...params } = { key: undefined, ...request.params };
	const { principal } = connection.deps;
	return {
		principal,
		key,
		method: request.method,
		params: { ...params, session: request.sessionId ?? null },
	};
}

async function open(
	connection: Connection,
	request: RequestOf<"open_session">,
	{ replace, afterSeq }: { readonly replace: boolean; readonly afterSeq: number | undefined },
): Promise<MethodResult<"open_session">> {
	const { root_dir, title, external_key, profile } = request.params;
	if (profile !== undefined && profile !== "default") {
		throw new ParleyError(`profile: there is no agent profile "${profile}"`, { code: "invalid_argument" });
	}
	const { id, status } = await connection.deps.runtime.create(keyed(connection, request), {
		...(root_dir !== undefined && { rootDir: root_dir }),
		...(title !== undefined && { title }),
		...(external_key !== undefined && { externalKey: external_key }),
	});
	// `session.created` follows the response, so the first event of a new session is still to come.
	const from = status === "created" ? 0 : afterSeq;
	const { lastSeq } = await connection.join(id, from, replace);
	return { session_id: id, status, last_seq: status === "created" ? 0 : lastSeq };
}

async function targetOrNew(connection: Connection, request: Request): Promise<string> {
	const target = connection.target(request);
	if (target !== undefined) return target;
	const { principal, runtime } = connection.deps;
	const { id } = await runtime.create({ principal, key: undefined, method: "open_session", params: {} }, {});
	await connection.join(id, 0, true);
	return id;
}

function targetOpen(connection: Connection, request: Request): string {
	const target = connection.target(request);
	if (target !== undefined) return target;
	throw new ParleyError("no session is open", { code: "invalid_argument" });
}
