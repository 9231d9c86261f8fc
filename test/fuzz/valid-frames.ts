/** What a frame may name. */
export interface Surroundings {
	/** Sessions that exist; the first is the connection's own, when it has one. */
	readonly sessions: readonly string[];
	/** Tokens of questions that are, or were, open. */
	readonly tokens: readonly string[];
}

export interface Frame {
	readonly type: string;
	readonly id: string;
	readonly method: string;
	readonly params?: unknown;
	readonly session_id?: string;
}

/** One valid frame of each kind that clients send, as recorded from them: what the mutations start from. */
export function validFrames({ sessions, tokens }: Surroundings): Frame[] {
	const [session = "sess_0000000000000000000000000a"] = sessions;
	const [token = "prompt_0000000000000000000000000a"] = tokens;
	const frames: Omit<Frame, "id" | "type">[] = [
		{ method: "open_session", params: { session_id: "", root_dir: "" } },
		{ method: "open_session", params: { session_id: session, after_seq: 0, join: true } },
		{ method: "open_session", params: { external_key: "room-1", title: "Größe ✓ 日本語" } },
		{ method: "send_message", params: { content: "say: good morning" } },
		{ method: "send_message", params: { content: "say: ok", key: "key_1" }, session_id: session },
		{ method: "prompt_response", params: { token, value: "yes", cancelled: false } },
		{ method: "prompt_response", params: { token, values: ["a", "b"] } },
		{ method: "prompt_response", params: { token, cancelled: true, reason: "not now" } },
		{ method: "list_prompts" },
		{ method: "list_prompts", params: { session_id: session, token, limit: 3 } },
		{ method: "secret_page", params: { token, key: "key_2" } },
		{ method: "cancel_turn", params: { queued: true } },
		{ method: "cancel_turn", params: { run_id: "run_0000000000000000000000000a" }, session_id: session },
		{ method: "whoami" },
		{
			method: "whoami",
			params: {
				actor: { id: "42", name: "Ada", roles: ["7"], guest: false },
				place: { tenant: "111", channel: "222", thread: "333", shared: true },
			},
		},
		{ method: "list_sessions", params: { limit: 3 } },
		{ method: "list_sessions" },
		{ method: "load_messages", params: { limit: 10, before: 7 }, session_id: session },
		{ method: "resume", params: { sessions: [{ session_id: session, after_seq: 1 }] } },
		{ method: "submit_task", params: { title: "t", description: "d" } },
		{ method: "submit_task", params: { title: "t", description: "d", tools: ["git"], priority: "low" } },
		{ method: "check_task", params: { task_id: "task_1" } },
		{ method: "cancel_task", params: { task_id: "task_1", reason: "no" } },
		{ method: "list_tasks" },
		{ method: "query_tasks", params: { status: ["running", "failed"], limit: 3, before: "task_1" } },
		{ method: "reply_task", params: { task_id: "task_1", status: "revise", feedback: "more", token } },
		{ method: "retry_task", params: { task_id: "task_1" } },
	];
	return frames.map((frame, index) => ({ type: "req", id: `req-${index + 1}`, ...frame }));
}
