import type { SimulatorEvent, State } from "../platform/state.ts";

/**
 * Returns the payload for the app. An event is in the outer structure of the Events API:
 * https://docs.slack.dev/apis/events-api#event-type-structure
 */
export function payloadOf(state: State, { kind, body, channel }: SimulatorEvent): Record<string, unknown> {
	if (kind !== "event") return { ...body };
	const { app, team } = state;
	const authorization = {
		...{ enterprise_id: team.enterpriseId ?? null, team_id: team.id, user_id: app.user.id },
		...{ is_bot: true, is_enterprise_install: false },
	};
	// An event in a shared channel names the team that it comes from.
	const teamId = typeof body["team"] === "string" ? body["team"] : team.id;
	return {
		...{ token: app.verificationToken, team_id: teamId, context_team_id: team.id },
		...{ context_enterprise_id: team.enterpriseId ?? null, api_app_id: app.id, event: body },
		...{
			type: "event_callback",
			event_id: state.stamps.id("Ev"),
			event_time: Math.floor(state.now() / 1000),
		},
		...{ authorizations: [authorization], is_ext_shared_channel: (channel?.sharedWith.size ?? 0) > 0 },
		event_context: `4-${Buffer.from(JSON.stringify({ et: body["type"], tid: team.id })).toString("base64url")}`,
	};
}
