import type { MethodName } from "@parley/protocol";

export interface Surroundings {
	/** Existing sessions. If the connection has a session, it is the first item. */
	readonly sessions: readonly string[];
	/** Tokens of open and closed prompts. */
	readonly tokens: readonly string[];
}

export interface Frame {
	readonly type: string;
	readonly id: string;
	readonly method: string;
	readonly params?: unknown;
	readonly session_id?: string;
}

type Request = Omit<Frame, "id" | "type" | "method">;

function validRequests({ sessions, tokens }: Surroundings): Readonly<Record<MethodName, readonly Request[]>> {
	const [session = "sess_0000000000000000000000000a"] = sessions;
	const [token = "prompt_0000000000000000000000000a"] = tokens;
	const place = "discord:111:222";
	// The compiler reports methods without an entry.
	return {
		open_session: [
			{ params: { session_id: "", root_dir: "" } },
			{ params: { session_id: session, after_seq: 0, join: true } },
			{ params: { external_key: "room-1", title: "Größe ✓ 日本語" } },
		],
		send_message: [
			{ params: { content: "say: good morning" } },
			{ params: { content: "say: ok", key: "key_1" }, session_id: session },
			{
				params: {
					content: "say: ok",
					context: {
						messages: [
							{
								id: "1",
								relation: "thread",
								author: { id: "42", name: "Ada" },
								ts: "2026-01-31T09:00:00Z",
								text: "hi",
								files: [{ name: "a.txt", bytes: 1 }],
							},
						],
					},
				},
				session_id: session,
			},
		],
		steer: [{ params: { content: "say: steered" }, session_id: session }],
		join_turn: [{ params: { run_id: "run_0000000000000000000000000a" }, session_id: session }],
		retry: [{ params: { key: "key_3" }, session_id: session }],
		set_model: [{ params: { model: "offline" }, session_id: session }],
		prompt_response: [
			{ params: { token, value: "yes", cancelled: false } },
			{ params: { token, values: ["a", "b"] } },
			{ params: { token, cancelled: true, reason: "not now" } },
		],
		run_command: [{ params: { command: "true", key: "key_command" }, session_id: session }],
		file_changes: [{ params: {}, session_id: session }],
		undo_changes: [{ params: { partly: true, key: "key_undo" }, session_id: session }],
		allow_always: [{ params: { token, key: "key_always" }, session_id: session }],
		accept_all_tools: [{ session_id: session }],
		cancel_turn: [
			{ params: { queued: true } },
			{ params: { run_id: "run_0000000000000000000000000a" }, session_id: session },
		],
		list_sessions: [{ params: { limit: 3 } }, {}],
		load_messages: [{ params: { limit: 10, before: 7 }, session_id: session }],
		resume: [{ params: { sessions: [{ session_id: session, after_seq: 1 }] } }],
		usage: [{ params: { since: "2026-01-01", until: "2026-01-31", by: "model" } }],
		set_budget: [{ params: { scope: "session", session_id: session, period: "day", limit_usd: 5 } }],
		list_agents: [{}],
		list_models: [{}],
		store_memory: [{ params: { scope: "user", content: "Ada likes tea", tags: ["tea"] } }],
		query_memories: [{ params: { query: "tea", limit: 3 } }],
		list_memories: [{ params: { scope: "everyone", limit: 3 } }],
		forget_memory: [{ params: { memory_id: "mem_unknown" } }],
		schedule_task: [
			{ params: { prompt: "say: tea", at: "2099-01-01T00:00:00Z", show: "silent" }, session_id: session },
		],
		list_schedules: [{ params: { limit: 3 } }],
		unschedule_task: [{ params: { entry_id: "sched_unknown" } }],
		list_skills: [{ params: { directory: "/nowhere" } }],
		show_skill: [{ params: { name: "deploy" } }],
		trust_skills: [{ params: { directory: "/nowhere", digest: "0".repeat(64) } }],
		untrust_skills: [{ params: { directory: "/nowhere" } }],
		list_prompts: [{}, { params: { session_id: session, token, limit: 3 } }],
		secret_page: [{ params: { token, key: "key_2" } }],
		list_commands: [{ params: { session_id: session } }],
		stop_command: [{ params: { number: 1, key: "key_command" }, session_id: session }],
		fork_session: [
			{ params: { at: 1, key: "key_fork" }, session_id: session },
			{ params: { session_id: session, title: "Beans", external_key: "room" } },
		],
		compact_session: [{ params: { key: "key_compact" }, session_id: session }],
		rename_session: [{ params: { title: "Beans" }, session_id: session }],
		delete_session: [{ params: { session_id: "sess_unknown", force: true } }],
		feedback: [{ params: { session_id: session, rating: "good", comment: "yes" } }],
		list_feedback: [{ params: { rating: "bad", limit: 3 } }],
		explain: [{ params: { session_id: session, run_id: "run_0000000000000000000000000a" } }],
		submit_task: [
			{ params: { title: "t", description: "d" } },
			{ params: { title: "t", description: "d", tools: ["git"], priority: "low" } },
		],
		check_task: [{ params: { task_id: "task_1" } }],
		cancel_task: [{ params: { task_id: "task_1", reason: "no" } }],
		list_tasks: [{}],
		query_tasks: [{ params: { status: ["running", "failed"], limit: 3, before: "task_1" } }],
		reply_task: [{ params: { task_id: "task_1", status: "revise", feedback: "more", token } }],
		retry_task: [{ params: { task_id: "task_1" } }],
		create_token: [{ params: { kind: "observer", name: "reader", sessions: [session], days: 1 } }],
		list_tokens: [{}],
		rotate_token: [{ params: { token_id: "unknown", grace_seconds: 5 } }],
		revoke_token: [{ params: { token_id: "unknown" } }],
		pair: [{ params: { code: "ABCD-EFGH" } }],
		whoami: [
			{},
			{
				params: {
					actor: { id: "42", name: "Ada", roles: ["7"], guest: false },
					place: { tenant: "111", channel: "222", thread: "333", shared: true },
				},
			},
		],
		list_people: [{}],
		invite_person: [{ params: { role: "guest", platform: "discord", tenant: "111" } }],
		approve_person: [{ params: { code: "ABCD-EFGH", role: "member" } }],
		withdraw_pairing: [{ params: { pairing: "pair_unknown" } }],
		report_person: [{ params: { check_id: "check_unknown", present: false, reason: "left" } }],
		set_person_role: [{ params: { person: "discord:111:42", role: "guest" } }],
		remove_person: [{ params: { person: "discord:111:42" } }],
		list_places: [{}],
		set_place: [{ params: { place, profile: { model: "offline" } } }],
		remove_place: [{ params: { place } }],
		test_policy: [{ params: { command: "git status" }, session_id: session }],
		show_policy: [{ params: { session_id: session } }],
		request_grant: [{ params: { channel: place, reason: "release", minutes: 5, max_actions: 2 } }],
		list_grants: [{ params: { ended: true } }],
		revoke_grant: [{ params: { grant_id: "grant_unknown", reason: "over" } }],
		read_audit: [{ params: { principal: "operator", after: 1, limit: 3 } }],
		verify_audit: [{ params: { messages: true } }],
	};
}

/** Returns valid frames of each method, as a base for mutations. */
export function validFrames(surroundings: Surroundings): Frame[] {
	const requests = Object.entries(validRequests(surroundings));
	return requests
		.flatMap(([method, variants]) => variants.map((request) => ({ method, ...request })))
		.map((frame, index) => ({ type: "req", id: `req-${index + 1}`, ...frame }));
}
