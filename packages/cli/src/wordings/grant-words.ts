import type { EventPayloads } from "@parley/protocol";
import { localTime } from "../text/local-time.ts";
import { visibleLine } from "../text/visible.ts";

/** That a channel is trusted from now on, in one line. */
export function grantedWords({
	place,
	expires_at,
	granted_by,
	reason,
	max_actions,
}: EventPayloads["grant.created"]): string {
	const until = localTime(new Date(expires_at));
	const most = `${max_actions} calls at most`;
	return `${visibleLine(place)} is trusted until ${until}, ${most}, by ${visibleLine(granted_by)}: ${visibleLine(reason)}`;
}

/** That it is no more. */
export function grantEndedWords({ reason }: EventPayloads["grant.ended"]): string {
	return `the channel is trusted no more: ${visibleLine(reason)}`;
}
