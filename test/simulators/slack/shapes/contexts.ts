import type { UserRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";

/**
 * Returns the context with the channel that a user views while the app is open. Empty without such a channel:
 * https://docs.slack.dev/reference/events/app_context_changed
 */
export function contextOf(state: State, user: UserRecord): object {
	const seen = state.contexts.get(user.id);
	if (!seen) return {};
	return { entities: [{ type: "slack#/types/channel_id", value: seen.id, team_id: state.team.id }] };
}
