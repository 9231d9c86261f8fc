import type { Accepted, SessionFilter } from "@parley/core";
import type { MethodName, MethodParams, MethodResult } from "@parley/protocol";
import { SessionView } from "../view/session-view.ts";
import { auditMethods } from "./audit-methods.ts";
import { encodeAgents, encodeModel } from "./catalogue-codec.ts";
import { encodeFailure, encodeSession } from "./codec.ts";
import type { Connection } from "./connection.ts";
import { grantMethods } from "./grant-methods.ts";
import { targetOrNew } from "./implicit-session.ts";
import { loadMessages } from "./message-page.ts";
import { authorizeMethod } from "./method-actions.ts";
import { peopleMethods } from "./people-methods.ts";
import { placeMethods } from "./place-methods.ts";
import { policyMethods } from "./policy-methods.ts";
import { promptMethods } from "./prompt-methods.ts";
import { type Asked, keyed, type MethodsOf, type RequestOf, targetOpen } from "./request-target.ts";
import { sessionMethods } from "./session-methods.ts";
import { taskMethods } from "./task-methods.ts";
import { tokenMethods } from "./token-methods.ts";
import { decodeBudgetChange, decodeUsageFilter, encodeUsageReport } from "./usage-codec.ts";

/** What each method does. One that is missing here does not compile. */
const handlers: MethodsOf<MethodName> = {
	async open_session(connection, request) {
		const { params, principal } = request;
		const { runtime } = connection.deps;
		const replace = params.join !== true;
		if (params.session_id) {
			// To come back takes no person; one who opens needs the right to, and observers only read.
			if (principal.person) await runtime.check(principal, params.session_id, "session.open");
			const { lastSeq } = await connection.join(params.session_id, params.after_seq, replace);
			return { session_id: params.session_id, status: "resumed", last_seq: lastSeq };
		}
		return open(connection, request, { replace, afterSeq: params.after_seq });
	},

	async send_message(connection, request) {
		const { content, attachments, correlation_id } = request.params;
		const view = await targetOrNew(connection, request);
		const accepted = await view.send(keyed(connection, request, view.id), {
			content,
			...(attachments && { attachments }),
			...(correlation_id !== undefined && { correlation: correlation_id }),
		});
		return { status: "sent", ...encodeAccepted(accepted) };
	},

	async steer(connection, request) {
		const { content } = request.params;
		const { id: sessionId } = targetOpen(connection, request);
		const { runtime } = connection.deps;
		const steered = await runtime.steer(keyed(connection, request, sessionId), sessionId, { content });
		return { status: steered.status, ...encodeAccepted(steered) };
	},

	async retry(connection, request) {
		const { id: sessionId } = targetOpen(connection, request);
		const { runtime } = connection.deps;
		return {
			status: "sent",
			...encodeAccepted(await runtime.retry(keyed(connection, request, sessionId), sessionId)),
		};
	},

	async set_model(connection, request) {
		const view = targetOpen(connection, request);
		return { model: await view.setModel(keyed(connection, request, view.id), request.params.model) };
	},

	async accept_all_tools(connection, request) {
		const view = await targetOrNew(connection, request);
		await view.acceptAll(keyed(connection, request, view.id));
		return { status: "accepted" };
	},

	async cancel_turn(connection, request) {
		const { queued = false, run_id: runId } = request.params;
		const view = targetOpen(connection, request);
		return view.cancel(keyed(connection, request, view.id), { queued, runId });
	},

	async list_sessions({ deps }, { params, principal }) {
		const sessions = await deps.runtime.list(principal, decodeFilter(params));
		return { sessions: sessions.map(encodeSession) };
	},

	load_messages: loadMessages,

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

	async usage(connection, request) {
		const { params, sessionId, principal } = request;
		const { runtime } = connection.deps;
		const addressed = sessionId === undefined ? undefined : connection.target(request)?.id;
		const filter = decodeUsageFilter(params, params.session_id ?? addressed);
		return encodeUsageReport(await runtime.usage(principal, filter), filter.by);
	},

	async set_budget(connection, request) {
		const { params } = request;
		const meant = params.scope === "session" ? () => targetOpen(connection, request).id : () => undefined;
		const sessionId = params.session_id ?? meant();
		const change = decodeBudgetChange(params, sessionId);
		await connection.deps.runtime.setBudget(keyed(connection, request, sessionId), change);
		return { status: "set" };
	},

	async list_agents({ deps }, { principal }) {
		return encodeAgents(await deps.runtime.agents(principal));
	},

	async list_models({ deps }, { principal }) {
		const { runtime, anyModel } = deps;
		const models = runtime.models(principal).map(encodeModel);
		return { default: runtime.model, ...(anyModel && { any_model: true }), models };
	},

	...promptMethods,
	...sessionMethods,
	...taskMethods,
	...tokenMethods,
	...peopleMethods,
	...placeMethods,
	...policyMethods,
	...grantMethods,
	...auditMethods,
};

/** Does what the request asks and returns the payload of its response; throws what its failure tells. */
export async function answerRequest(connection: Connection, request: Asked): Promise<unknown> {
	authorizeMethod(request.principal, request.method);
	// True because the handler was looked up by the request's own method.
	const handler = handlers[request.method] as (connection: Connection, request: Asked) => Promise<unknown>;
	return handler(connection, request);
}

async function open(
	connection: Connection,
	request: RequestOf<"open_session">,
	{ replace, afterSeq }: { readonly replace: boolean; readonly afterSeq: number | undefined },
): Promise<MethodResult<"open_session">> {
	const { root_dir, title, external_key, profile } = request.params;
	const { id, status } = await SessionView.create(connection.deps.runtime, keyed(connection, request), {
		...(root_dir !== undefined && { rootDir: root_dir }),
		...(title !== undefined && { title }),
		...(external_key !== undefined && { externalKey: external_key }),
		...(profile && { profile }),
	});
	// `session.created` follows the response, so the first event of a new session is still to come.
	const from = status === "created" ? 0 : afterSeq;
	const { lastSeq } = await connection.join(id, from, replace);
	return { session_id: id, status, last_seq: status === "created" ? 0 : lastSeq };
}

function decodeFilter({ limit, query }: MethodParams<"list_sessions">): SessionFilter {
	return query === undefined || query === "" ? { limit } : { limit, query };
}

function encodeAccepted({ runId, queuedPosition }: Accepted): { run_id: string; queued_position?: number } {
	return { run_id: runId, ...(queuedPosition > 0 && { queued_position: queuedPosition }) };
}
