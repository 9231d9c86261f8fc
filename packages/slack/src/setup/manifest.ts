import type { CommandShape } from "@parley/connector";
import { requestPath } from "../client/transport/http-transport.ts";
import { slashCommand } from "../commands/slash-command.ts";
import { appTexts } from "../texts/app.ts";
import { botEvents, scopes, shortcuts } from "../vocabulary/needs.ts";

/** Manifest of a Slack app: https://docs.slack.dev/reference/app-manifest */
export interface Manifest {
	readonly [section: string]: unknown;
}

export interface ManifestOptions {
	readonly shapes: readonly CommandShape[];
	/** Public URL of the connector without path and query. Absent for Socket Mode. */
	readonly publicUrl?: string;
}

/** Returns Parley's manifest, with the kit's commands. */
export function manifestOf({ shapes, publicUrl }: ManifestOptions): Manifest {
	const url = publicUrl === undefined ? {} : { url: `${publicUrl.replace(/\/+$/, "")}${requestPath}` };
	const requestUrl = "url" in url ? { request_url: url.url } : {};
	return {
		_metadata: { major_version: 2, minor_version: 1 },
		display_information: {
			name: appTexts.name,
			description: appTexts.description,
			background_color: "#1f2a44",
		},
		features: {
			agent_view: { agent_description: appTexts.agentDescription },
			app_home: {
				home_tab_enabled: true,
				messages_tab_enabled: true,
				messages_tab_read_only_enabled: false,
			},
			bot_user: { display_name: "parley", always_online: true },
			shortcuts: shortcuts.map((shortcut) => ({ ...shortcut, type: "message" })),
			slash_commands: [
				{
					command: slashCommand,
					description: appTexts.slashCommand,
					usage_hint: usageOf(shapes),
					should_escape: false,
					...url,
				},
			],
		},
		oauth_config: { scopes: { bot: [...scopes] } },
		settings: {
			event_subscriptions: { ...requestUrl, bot_events: [...botEvents] },
			interactivity: { is_enabled: true, ...requestUrl },
			org_deploy_enabled: false,
			socket_mode_enabled: publicUrl === undefined,
			token_rotation_enabled: false,
		},
	};
}

function usageOf(shapes: readonly CommandShape[]): string {
	const words = new Set(shapes.map(({ name }) => name.split(" ")[0] ?? name));
	return [...words].join(" | ");
}
