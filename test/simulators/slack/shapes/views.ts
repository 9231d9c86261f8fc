import type { View } from "@slack/types";
import type { ViewRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";

/** Returns the shape of a view: https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
export function viewShape(
	state: State,
	{ id, view, hash }: Pick<ViewRecord, "id" | "hash"> & { readonly view?: View },
	values: Readonly<Record<string, object>> = {},
): Record<string, unknown> {
	const { app, team } = state;
	return {
		...{ id, team_id: team.id, app_id: app.id, app_installed_team_id: team.id, bot_id: app.botId, hash },
		...{ private_metadata: "", callback_id: "", external_id: "", close: null, submit: null },
		...{ clear_on_close: false, notify_on_close: false, previous_view_id: null, root_view_id: id },
		...view,
		state: { values },
	};
}
