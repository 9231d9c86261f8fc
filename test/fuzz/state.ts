import type { Random } from "../random.ts";
import type { Surroundings } from "./valid-frames.ts";

interface Request {
	readonly method: string;
	readonly params?: object;
	readonly session_id?: string;
}

type Draw = (random: Random, surroundings: Surroundings) => Request;

/**
 * Functions that return random requests. Most requests are sent at the wrong time, for the wrong session, or too
 * often.
 */
const draws: readonly Draw[] = [
	(random, { tokens }) => ({
		method: "prompt_response",
		params: {
			token: random.pick([...tokens, "prompt_unknown"]),
			value: random.pick(["tea", "nothing", 7, [], true]),
		},
	}),
	(random, { tokens }) => ({
		method: "prompt_response",
		params: { token: random.pick([...tokens, "prompt_unknown"]), values: ["nothing", "at all"] },
	}),
	(random) => ({
		method: "prompt_response",
		params: { token: `prompt_${random.below(2 ** 31)}`, cancelled: true },
	}),
	(random) => ({
		method: "open_session",
		params: { session_id: `sess_${random.below(2 ** 31)}`, join: true },
	}),
	(random) => ({
		method: "open_session",
		params: { session_id: random.pick(["sess_", "../x", "SESS_1", "0"]) },
	}),
	(_, { sessions }) => ({
		method: "open_session",
		params: { session_id: sessions[0] ?? "sess_none", after_seq: 1_000_000, join: true },
	}),
	(random) => ({
		method: "open_session",
		params: { root_dir: random.pick(["/", "/nowhere", "\0", "a/../../.."]) },
	}),
	() => ({ method: "open_session", params: { profile: "another" } }),
	(random) => ({ method: "cancel_turn", params: {}, session_id: `sess_${random.below(2 ** 31)}` }),
	(random) => ({ method: "load_messages", params: {}, session_id: `sess_${random.below(2 ** 31)}` }),
	(random) => ({ method: "load_messages", params: { before: random.between(1, 5) } }),
	(random) => ({
		method: "send_message",
		params: { content: "say: x" },
		session_id: `sess_${random.below(2 ** 31)}`,
	}),
	(random) => ({
		method: "send_message",
		params: { content: `say: ${random.below(2)}`, key: `shared-${random.below(3)}` },
		session_id: `sess_${random.below(2 ** 31)}`,
	}),
	(random) => ({ method: "accept_all_tools", session_id: `sess_${random.below(2 ** 31)}` }),
	(_, { sessions }) => ({
		method: "resume",
		params: { sessions: [{ session_id: sessions[0] ?? "sess_none", after_seq: 9e6 }] },
	}),
];

/** Requests that succeed. Some of them start work. */
const welcome: readonly Draw[] = [
	() => ({ method: "send_message", params: { content: "say: hello" } }),
	() => ({ method: "cancel_turn", params: { queued: true } }),
	() => ({ method: "list_sessions", params: { limit: 2 } }),
	(_, { sessions }) => ({
		method: "resume",
		params: { sessions: [{ session_id: sessions[0] ?? "sess_none", after_seq: 0 }] },
	}),
];

/** Returns a random request as JSON. A quarter of the requests have one of two repeated ids. */
export function moveField(random: Random, surroundings: Surroundings): string {
	const isWelcome = surroundings.sessions.length > 0 && random.chance(0.08);
	const request = random.pick(isWelcome ? welcome : draws)(random, surroundings);
	const id = random.chance(0.25) ? `again-${random.below(2)}` : `s-${random.below(2 ** 31)}`;
	return JSON.stringify({ type: "req", id, ...request });
}
