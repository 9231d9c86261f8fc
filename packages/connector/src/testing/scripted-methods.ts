import { defined, ParleyError } from "@parley/base";
import type { EventPayloads, MethodInput, MethodName, MethodResult, OnBehalf } from "@parley/protocol";
import type { ScriptedSession } from "./scripted-session.ts";

export type Role = "stranger" | "guest" | "member" | "approver" | "owner";

export interface GatewayState {
	readonly sessions: readonly ScriptedSession[];
	readonly facts: ReadonlyMap<string, NonNullable<MethodResult<"whoami">["place"]>>;
	roleOf(person: string): Role;
	create(params: {
		readonly external_key?: string | null | undefined;
		readonly title?: string | null | undefined;
		readonly place?: OnBehalf["place"];
	}): { readonly session: ScriptedSession };
}

/** Origin of a request: its gateway, person, channel and session. */
export interface ScriptedCall {
	readonly gateway: GatewayState;
	readonly actor: NonNullable<OnBehalf["actor"]> | undefined;
	readonly place: NonNullable<OnBehalf["place"]> | undefined;
	readonly session: ScriptedSession | undefined;
}

type Method<Name extends MethodName> = (
	params: MethodInput<Name>,
	call: ScriptedCall,
) => MethodResult<Name> | Promise<MethodResult<Name>>;

/** Methods of the scripted gateway. A test may replace methods or add others. */
export type ScriptedMethods = { [Name in MethodName]?: Method<Name> };

const nothingUsed = {
	tokens_input: 0,
	tokens_output: 0,
	tokens_cache_read: 0,
	tokens_cache_write: 0,
	cost_usd: 0,
};

const usual = { ts: "2026-01-01T00:00:00Z", model: "scripted", usage: nothingUsed };

export function usualMethods(): ScriptedMethods {
	return { ...talking, ...looking };
}

const talking: ScriptedMethods = {
	send_message({ content, correlation_id }, call) {
		const session = targetOf(call);
		if (session.runs.length > 32) throw new ParleyError("session busy", { code: "resource_exhausted" });
		const author = { id: personOf(call), name: call.actor?.name ?? "" };
		const { run, position } = session.say(content, { author, correlation: correlation_id ?? undefined });
		return {
			status: "sent",
			run_id: run,
			...defined({ queued_position: position > 0 ? position : undefined }),
		};
	},
	cancel_turn({ run_id }, call) {
		const ended = targetOf(call).end({ content: "", error: "cancelled" }, run_id ?? undefined);
		return { status: ended ? "cancelled" : "idle" };
	},
	join_turn({ run_id }, call) {
		const session = targetOf(call);
		const queued = session.runs.find(({ id }) => id === run_id);
		if (queued !== undefined && queued.author?.id !== personOf(call)) {
			throw new ParleyError("only the author of a queued message can add it to the active run", {
				code: "permission_denied",
			});
		}
		const joined = session.join(run_id);
		return { status: joined === undefined ? "begun" : "joined", run_id: joined ?? run_id };
	},
	retry(_params, call) {
		const session = targetOf(call);
		const last = session.frames.findLast(({ event }) => event === "user.message")?.payload;
		const { content = "", run_id = "" } = Object(last);
		// As on the real gateway, a queued or active message cannot be retried.
		if (session.runs.some(({ id }) => id === run_id)) {
			throw new ParleyError("session busy: a run is at work", { code: "resource_exhausted" });
		}
		const author = { id: personOf(call), name: call.actor?.name ?? "" };
		const { run, position } = session.say(String(content), { author, retryOf: String(run_id) });
		return {
			status: "sent",
			run_id: run,
			...defined({ queued_position: position > 0 ? position : undefined }),
		};
	},
	prompt_response({ token, value, cancelled, reason }, call) {
		const session = call.gateway.sessions.find(({ asking }) => asking.has(token));
		if (!session) throw new ParleyError("prompt not found", { code: "not_found" });
		const by = personOf(call);
		// As on the real gateway, a call waits until the required number of people have approved it.
		const { approvals, needed } = approvalsWith(by, session, token);
		if (!cancelled && approvals < needed) {
			session.record("prompt.vote", { token, by, approvals, needed });
			return { status: "sent" };
		}
		session.asking.delete(token);
		const remembered = value === "session";
		session.record("prompt.response", {
			token,
			value: remembered ? true : (value ?? null),
			cancelled: cancelled ?? false,
			by,
			...defined({
				remembered: remembered ? (true as const) : undefined,
				reason: cancelled && reason ? reason : undefined,
			}),
		});
		return { status: "sent" };
	},
	feedback: ({ run_id }) => ({ status: "recorded", run_id: run_id ?? "" }),
	set_model({ model }, call) {
		targetOf(call).model = model;
		return { model };
	},
	rename_session({ session_id, title }, { gateway }) {
		const session = gateway.sessions.find(({ id }) => id === session_id);
		if (!session) throw unknown(session_id ?? "");
		session.title = title;
		session.record("session.renamed", { title, by: "person" });
		return { title };
	},
	fork_session({ session_id, at, external_key }, { gateway, place }) {
		const from = gateway.sessions.find(({ id }) => id === session_id);
		if (!from) throw unknown(session_id ?? "");
		const title = `${from.title} (fork)`;
		const { session } = gateway.create({ external_key, title, place });
		for (const { event, payload } of from.frames) {
			if (event !== "user.message" && event !== "assistant.message") continue;
			// The cast is safe because each recorded event has the payload of its type.
			const message = payload as EventPayloads["user.message"] & EventPayloads["assistant.message"];
			session.record(event, { ...message, imported: true });
		}
		return { session_id: session.id, title, at: at ?? 1, last_seq: session.frames.length };
	},
	compact_session({ session_id }, { gateway }) {
		const session = gateway.sessions.find(({ id }) => id === session_id);
		if (!session) throw unknown(session_id ?? "");
		const tokens = { tokens_before: 18_200, tokens_after: 2_400 };
		session.record("compaction.ended", { status: "compacted", ...tokens, error: "" });
		return { status: "started" };
	},
	pair: () => ({ status: "requested", code: "ABCD-EFGH", expires_at: "2026-01-01T01:00:00.000Z" }),
};

const looking: ScriptedMethods = {
	whoami(_params, call) {
		const role = call.gateway.roleOf(call.actor?.id ?? "");
		const ofGuest = ["session.open", "session.write"];
		const may = role === "stranger" ? [] : role === "guest" ? ofGuest : [...ofGuest, "session.fork"];
		const { tenant = "", channel = "" } = call.place ?? {};
		const place = call.gateway.facts.get(`${tenant}:${channel}`) ?? {
			mention: "required",
			sessions: "shared",
		};
		return { principal: "connector:chat", kind: "connector", person: personOf(call), role, may, place };
	},
	list_commands: () => ({ commands: [] }),
	list_sessions({ limit }, { gateway, place }) {
		const here = place && `${place.tenant}:${place.channel}`;
		const sessions = gateway.sessions
			.filter((session) => !session.isDeleted && (here === undefined || session.place === here))
			.toSorted((one, other) => other.updatedAt - one.updatedAt)
			.slice(0, limit ?? 50);
		return { sessions: sessions.map(listed) };
	},
	explain({ session_id, run_id }, { gateway }) {
		const session = gateway.sessions.find(({ id }) => id === session_id);
		const index = session?.runs.findIndex(({ id }) => id === run_id) ?? -1;
		const ofRun = session?.frames.filter(({ payload }) => Object(payload).run_id === run_id) ?? [];
		const { content = "" } = Object(ofRun[0]?.payload);
		const end = ofRun.find(({ event }) => event === "assistant.message");
		const { content: answer = "", error = "" } = Object(end?.payload);
		return {
			run_id: run_id ?? "",
			correlation_id: "",
			state: index < 0 ? "ended" : index > 0 ? "queued" : "active",
			heard: { content: String(content), ts: "2026-01-01T00:00:00Z", attachments: [] },
			steered: [],
			profile: "default",
			policy_version: "1",
			accept_all: false,
			taint: [],
			models: [],
			calls: [],
			files: [],
			feedback: [],
			...defined({ said: end ? { content: String(answer), error: String(error), ...usual } : undefined }),
		};
	},
	list_prompts({ session_id, token }, { gateway }) {
		const sessions = gateway.sessions.filter(({ id }) => session_id == null || id === session_id);
		const prompts = sessions.flatMap(openPrompts);
		return { prompts: prompts.filter((prompt) => token == null || prompt.token === token) };
	},
	query_tasks: () => ({ tasks: [] }),
	list_grants: () => ({ grants: [], wishes: [] }),
	usage: () => ({ rows: [], total: { ...nothingUsed, calls: 0 }, budgets: [] }),
	list_models: () => ({
		default: "scripted",
		models: ["scripted", "other"].map((name) => ({
			name,
			provider: "test",
			context_window: 1000,
			max_output: 100,
			reasoning: "none",
			images: false,
		})),
	}),
};

/** Returns the number of approvals of a call with the approval of `by`, and the number that the call requires. */
function approvalsWith(
	by: string,
	{ frames }: ScriptedSession,
	token: string,
): { readonly approvals: number; readonly needed: number } {
	const voters = new Set([by]);
	let needed = 1;
	for (const { event, payload } of frames) {
		// The casts are safe because each recorded event has the payload of its type.
		if (event === "prompt.request") {
			const question = payload as EventPayloads["prompt.request"];
			if (question.token === token) needed = question.context.approvals ?? 1;
		} else if (event === "prompt.vote") {
			const vote = payload as EventPayloads["prompt.vote"];
			if (vote.token === token) voters.add(vote.by);
		}
	}
	return { approvals: voters.size, needed };
}

type Listed = MethodResult<"list_prompts">["prompts"][number];

function openPrompts({ id, title, frames, asking, runs }: ScriptedSession): Listed[] {
	const [run] = runs;
	return frames.flatMap(({ event, payload }): Listed[] => {
		if (event !== "prompt.request") return [];
		// The cast is safe because each recorded event has the payload of its type.
		const question = payload as EventPayloads["prompt.request"];
		if (!asking.has(question.token)) return [];
		const origin = { session_id: id, session_title: title, created_at: "2026-01-01T00:00:00.000Z" };
		const options = [...question.options];
		const { notes, warnings, also_in, notify: _, always_allow: _rule, ...context } = question.context;
		return [
			{
				...question,
				...origin,
				options,
				context: defined({
					...context,
					notes: notes && [...notes],
					warnings: warnings && [...warnings],
					also_in: also_in && [...also_in],
				}),
				...defined({ person: run?.author?.id, name: run?.author?.name }),
				always_ask: question.context.risk === "critical",
			},
		];
	});
}

function listed(session: ScriptedSession): MethodResult<"list_sessions">["sessions"][number] {
	const { id, title, externalKey, model, frames, moments, updatedAt, asking, runs } = session;
	return {
		session_id: id,
		title,
		status: "active",
		root_dir: "",
		last_seq: frames.length,
		created_at: new Date(moments[0] ?? 0).toISOString(),
		updated_at: new Date(updatedAt).toISOString(),
		message_count: frames.filter(({ event }) => event === "user.message").length,
		state: asking.size > 0 ? "waiting" : runs.length > 0 ? "running" : "idle",
		...defined({ external_key: externalKey, model }),
	};
}

/**
 * Returns the session of a request. Throws if the request is not on behalf of a person, or if the session does not
 * exist.
 */
function targetOf({ session, actor }: ScriptedCall): ScriptedSession {
	if (!actor) {
		throw new ParleyError("forbidden: a connector says for whom it acts", { code: "permission_denied" });
	}
	if (session && !session.isDeleted) return session;
	throw unknown(session?.id ?? "");
}

function personOf({ actor, place }: ScriptedCall): string {
	return `chat:${place?.tenant ?? ""}:${actor?.id ?? ""}`;
}

export function unknown(session: string): ParleyError {
	return new ParleyError(`session not found: ${session}`, { code: "not_found" });
}
