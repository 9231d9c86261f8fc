import { defined } from "@parley/base";
import type { Accepted, Explanation, FeedbackEntry, Recorded, SessionFilter } from "@parley/core";
import type { FeedbackPayload, MethodParams, MethodResult } from "@parley/protocol";
import { beginning } from "../../shared/beginning.ts";
import { encodeFile } from "../../shared/file-json.ts";
import { jsonBytes, newestWithin } from "../../shared/paging.ts";
import { toTime } from "../../shared/time.ts";
import { encodeUsage } from "../../shared/usage-json.ts";
import { SessionView } from "../../view/session-view.ts";
import {
	answerBudget,
	encodeFailure,
	encodeOzzieEvent,
	encodeOzzieMessage,
	encodeOzzieSession,
} from "../codec.ts";
import { capToFit, markOf } from "../envelope-frames.ts";
import { decodeContext, encodeRead } from "../message-context.ts";
import {
	type HandlerContext,
	keyedRequest,
	type MethodsOf,
	type RequestOf,
	targetNamed,
	targetOpen,
	targetOrNew,
} from "./request.ts";

type SessionMethod =
	| "open_session"
	| "send_message"
	| "run_command"
	| "steer"
	| "join_turn"
	| "retry"
	| "set_model"
	| "accept_all_tools"
	| "cancel_turn"
	| "list_sessions"
	| "load_messages"
	| "resume"
	| "rename_session"
	| "fork_session"
	| "compact_session"
	| "delete_session"
	| "feedback"
	| "list_feedback"
	| "explain";

export const sessionMethods: MethodsOf<SessionMethod> = {
	async open_session(connection, request) {
		const { params, principal } = request;
		const { runtime } = connection.deps;
		const replace = params.join !== true;
		if (params.session_id) {
			// Connections without a person, such as observers, may resume any session that they can read. A person needs the right
			// to open sessions.
			if (principal.person) await runtime.check(principal, params.session_id, "session.open");
			const { lastSeq } = await connection.join(params.session_id, params.after_seq, replace);
			return { session_id: params.session_id, status: "resumed", last_seq: lastSeq };
		}
		return open(connection, request, { replace, afterSeq: params.after_seq });
	},

	async send_message(connection, request) {
		const { content, attachments, context, correlation_id } = request.params;
		const view = await targetOrNew(connection, request);
		const params = { ...request.params, context: undefined };
		const accepted = await view.send(
			keyedRequest({ ...request, params }, view.id),
			defined({
				content,
				attachments,
				context: context && decodeContext(context),
				correlation: correlation_id,
			}),
		);
		return { status: "sent", ...encodeAccepted(accepted) };
	},

	async run_command(connection, request) {
		const { id: sessionId } = targetOpen(connection, request);
		const { runtime } = connection.deps;
		const { command } = request.params;
		const accepted = await runtime.operator.runCommand(keyedRequest(request, sessionId), sessionId, command);
		return { status: "sent", ...encodeAccepted(accepted) };
	},

	async steer(connection, request) {
		const { content } = request.params;
		const { id: sessionId } = targetOpen(connection, request);
		const { runtime } = connection.deps;
		const steered = await runtime.steer(keyedRequest(request, sessionId), sessionId, { content });
		return { status: steered.status, ...encodeAccepted(steered) };
	},

	async join_turn(connection, request) {
		const { id: sessionId } = targetOpen(connection, request);
		const { runtime } = connection.deps;
		const { status, runId } = await runtime.join(
			keyedRequest(request, sessionId),
			sessionId,
			request.params.run_id,
		);
		return { status, run_id: runId };
	},

	async retry(connection, request) {
		const { id: sessionId } = targetOpen(connection, request);
		const { runtime } = connection.deps;
		return {
			status: "sent",
			...encodeAccepted(await runtime.retry(keyedRequest(request, sessionId), sessionId)),
		};
	},

	async set_model(connection, request) {
		const view = targetOpen(connection, request);
		return { model: await view.setModel(keyedRequest(request, view.id), request.params.model) };
	},

	async accept_all_tools(connection, request) {
		const view = await targetOrNew(connection, request);
		await view.acceptAll(keyedRequest(request, view.id));
		return { status: "accepted" };
	},

	async cancel_turn(connection, request) {
		const { queued = false, run_id: runId } = request.params;
		const view = targetOpen(connection, request);
		return view.cancel(keyedRequest(request, view.id), { queued, runId });
	},

	async list_sessions({ deps }, { params, principal }) {
		const sessions = await deps.runtime.list(principal, decodeFilter(params));
		return { sessions: sessions.map(encodeOzzieSession) };
	},

	async resume(connection, { params }) {
		const sessions: MethodResult<"resume">["sessions"] = [];
		for (const { session_id, after_seq } of params.sessions) {
			try {
				const { lastSeq } = await connection.join(session_id, after_seq, false);
				sessions.push({ session_id, ok: true, status: "resumed", last_seq: lastSeq });
			} catch (reason) {
				const failure = encodeFailure(undefined, reason);
				sessions.push({
					session_id,
					ok: false,
					...defined({ error: failure.ok ? undefined : failure.error }),
				});
			}
		}
		return { sessions };
	},

	load_messages: loadMessages,

	async rename_session(connection, request) {
		const { title } = request.params;
		const sessionId = targetNamed(connection, request);
		const { runtime } = connection.deps;
		return { title: await runtime.rename(keyedRequest(request, sessionId), sessionId, title) };
	},

	async fork_session(connection, request) {
		const { at, title, external_key } = request.params;
		const sessionId = targetNamed(connection, request);
		const options = defined({ at, title, externalKey: external_key });
		const fork = await connection.deps.runtime.fork(keyedRequest(request, sessionId), sessionId, options);
		return { session_id: fork.id, title: fork.title, at: fork.turns, last_seq: fork.lastSeq };
	},

	async compact_session(connection, request) {
		const sessionId = targetNamed(connection, request);
		await connection.deps.runtime.startCompaction(keyedRequest(request, sessionId), sessionId);
		return { status: "started" };
	},

	async delete_session(connection, request) {
		const sessionId = targetNamed(connection, request);
		const force = request.params.force === true;
		await connection.deps.runtime.remove(keyedRequest(request, sessionId), sessionId, force);
		return { status: "deleted" };
	},

	async feedback(connection, request) {
		const { rating, comment = "", run_id } = request.params;
		const sessionId = targetNamed(connection, request);
		const { runId } = await connection.deps.runtime.feedback.record(
			keyedRequest(request, sessionId),
			sessionId,
			defined({
				rating,
				comment,
				runId: run_id,
			}),
		);
		return { status: "recorded", run_id: runId };
	},

	async list_feedback({ deps }, { principal, params }) {
		const { session_id: sessionId, rating, limit } = params;
		const entries = await deps.runtime.feedback.list(principal, { sessionId, rating, limit });
		return { feedback: entries.map(encodeFeedback) };
	},

	async explain(connection, request) {
		const { runtime } = connection.deps;
		const sessionId = targetNamed(connection, request);
		const explained: Explanation = await runtime.explain(request.principal, sessionId, request.params.run_id);
		return encodeExplanation(explained);
	},
};

async function open(
	connection: HandlerContext,
	request: RequestOf<"open_session">,
	{ replace, afterSeq }: { readonly replace: boolean; readonly afterSeq: number | undefined },
): Promise<MethodResult<"open_session">> {
	const { root_dir, title, external_key, profile } = request.params;
	const { id, status } = await SessionView.create(
		connection.deps.runtime,
		keyedRequest(request),
		defined({
			rootDir: root_dir,
			title,
			externalKey: external_key,
			profile: profile || undefined,
		}),
	);
	// The first event of a new session, `session.created`, follows the response.
	const from = status === "created" ? 0 : afterSeq;
	const { lastSeq } = await connection.join(id, from, replace);
	return { session_id: id, status, last_seq: status === "created" ? 0 : lastSeq };
}

function decodeFilter({ limit, query }: MethodParams<"list_sessions">): SessionFilter {
	return query === undefined || query === "" ? { limit } : { limit, query };
}

function encodeAccepted({ runId, queuedPosition }: Accepted): { run_id: string; queued_position?: number } {
	return defined({ run_id: runId, queued_position: queuedPosition > 0 ? queuedPosition : undefined });
}

function encodeExplanation(explained: Explanation): MethodResult<"explain"> {
	const { received, reply } = explained;
	const { at, attachments, ...message } = received;
	return {
		run_id: explained.runId,
		correlation_id: explained.correlation,
		state: explained.state,
		heard: { ...message, ts: toTime(at), attachments: attachments.map(encodeFile) },
		steered: explained.steered.map(({ at: sentAt, ...steer }) => ({ ...steer, ts: toTime(sentAt) })),
		profile: explained.profile,
		policy_version: explained.policyVersion,
		accept_all: explained.acceptAll,
		taint: [...explained.taint],
		models: explained.models.map(({ errors, ...model }) => ({ ...model, errors: [...errors] })),
		calls: explained.calls.map(({ callId, ...call }) => ({ call_id: callId, ...call })),
		...defined({ said: reply && encodeReply(reply), read: explained.read && encodeRead(explained.read) }),
		files: explained.files.map(encodeFile),
		feedback: explained.feedback.map((entry) => ({ ...entry })),
	};
}

function encodeReply(reply: NonNullable<Explanation["reply"]>): MethodResult<"explain">["said"] {
	const { content, error, at, model, usage, cost } = reply;
	return { content, error, ts: toTime(at), model, usage: encodeUsage({ ...usage, cost }) };
}

function encodeFeedback({
	sessionId,
	title,
	runId,
	by,
	rating,
	comment,
	at,
	reply,
}: FeedbackEntry): FeedbackPayload {
	return { session_id: sessionId, title, run_id: runId, by, rating, comment, ts: toTime(at), reply };
}

type Messages = MethodResult<"load_messages">;
type Page = Messages[number];

/** Minimum number of characters that remain of a message when it is cut to the size of a page. */
const shortestMessage = 1_000;

/**
 * Returns the newest messages that fit into one response. With `seq`, returns the text of the event with this `seq`,
 * from `offset`.
 */
async function loadMessages(
	connection: HandlerContext,
	request: RequestOf<"load_messages">,
): Promise<Messages> {
	const { runtime, principal } = connection.deps;
	const { limit, before, seq, offset = 0 } = request.params;
	const sessionId = targetNamed(connection, request);
	const max = answerBudget(connection.envelope);
	if (seq !== undefined) {
		const [event] = await runtime.history.newest(principal, { limit: 1, sessionId, afterSeq: seq - 1 });
		return event ? textOf(event).map((page) => cutPage(page, offset, max)) : [];
	}
	const page = defined({ limit, beforeSeq: before });
	const messages = (await runtime.history.messages(principal, sessionId, page)).flatMap(encodeOzzieMessage);
	return newestWithin(messages, jsonBytes, max).map((message) => shortened(message, max));
}

/** Returns the text of an event as messages, without the token of a prompt. */
function textOf(recorded: Recorded): Page[] {
	const { event, at, seq } = recorded;
	const pageOf = (role: string, content: string): Page[] => [{ role, content, ts: toTime(at), seq }];
	switch (event.type) {
		case "tool.started":
			return pageOf("tool_log", JSON.stringify(event.arguments));
		case "tool.completed":
			return pageOf("tool_log", event.result);
		case "tool.failed":
			return pageOf("tool_log", event.error);
		case "task.created":
			return pageOf("task", event.description);
		case "task.suspended":
			return pageOf("task", event.content);
		case "task.completed":
			return pageOf("task", event.summary);
		case "prompt.requested":
			return pageOf(
				"prompt",
				JSON.stringify({ ...Object(encodeOzzieEvent(recorded).payload), token: undefined }),
			);
		default:
			return encodeOzzieMessage(recorded);
	}
}

function cutPage(page: Page, offset: number, max: number): Page {
	const rest = page.content.slice(offset).toWellFormed();
	let content = beginning(rest, max);
	while (jsonBytes(content) > max) content = beginning(content, content.length >> 1);
	const next = offset + content.length;
	return defined({ ...page, content, next: content.length < rest.length ? next : undefined });
}

function shortened(message: Page, max: number): Page {
	if (jsonBytes(message) <= max) return message;
	const fits = (value: unknown): boolean => jsonBytes(value) <= max;
	const cut = capToFit(message.content, { fits, mark: markOf(message.seq), shortest: shortestMessage });
	return { ...message, content: String(cut) };
}
