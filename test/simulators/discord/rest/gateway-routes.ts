import type { State } from "../platform/state.ts";
import { ok, type Route } from "./route.ts";

const day = 24 * 3_600_000;

/**
 * Returns the limit of session starts, and how many remain:
 * https://discord.com/developers/docs/events/gateway#session-start-limit-object
 */
export function sessionStarts(state: State) {
	const now = state.now();
	const recent = state.identifies.filter((at) => now - at < day);
	const total = state.settings.identifiesPerDay;
	const [first = now] = recent;
	const reset_after = recent.length > 0 ? first + day - now : 0;
	return { total, remaining: Math.max(0, total - recent.length), reset_after, max_concurrency: 1 };
}

export const gatewayRoutes: readonly Route[] = [
	{
		...{ method: "GET", path: "/gateway" },
		handle: ({ state }) => ok({ url: state.gatewayUrl }),
	},
	{
		...{ method: "GET", path: "/gateway/bot" },
		handle: ({ state }) =>
			ok({ url: state.gatewayUrl, shards: 1, session_start_limit: sessionStarts(state) }),
	},
];
