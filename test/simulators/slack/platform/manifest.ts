import type { AppRecord, Shortcut, SlashCommand } from "./app.ts";
import type { Prompt } from "./records.ts";

interface AgentView {
	readonly agent_description?: string | undefined;
	readonly suggested_prompts?: readonly Prompt[] | undefined;
}

/** The relevant part of a manifest: https://docs.slack.dev/reference/app-manifest */
export interface AppManifest {
	readonly features?: {
		readonly slash_commands?: readonly SlashCommand[] | undefined;
		readonly shortcuts?: readonly Shortcut[] | undefined;
		readonly agent_view?: AgentView | undefined;
		readonly app_home?: { readonly home_tab_enabled?: boolean | undefined } | undefined;
		readonly assistant_view?: object | undefined;
	};
	readonly oauth_config?: { readonly scopes?: { readonly bot?: readonly string[] | undefined } | undefined };
	readonly settings?: {
		readonly event_subscriptions?: { readonly bot_events?: readonly string[] | undefined } | undefined;
	};
}

/**
 * Scope of each event. Outside public channels, `groups:read` replaces `channels:read`. An event with an empty scope
 * needs none: https://docs.slack.dev/reference/events
 */
export const eventScopes: Readonly<Record<string, string>> = {
	app_mention: "app_mentions:read",
	"message.channels": "channels:history",
	"message.groups": "groups:history",
	"message.im": "im:history",
	"message.mpim": "mpim:history",
	reaction_added: "reactions:read",
	reaction_removed: "reactions:read",
	member_joined_channel: "channels:read",
	member_left_channel: "channels:read",
	channel_rename: "channels:read",
	channel_archive: "channels:read",
	channel_unarchive: "channels:read",
	channel_deleted: "channels:read",
	channel_id_changed: "channels:read",
	channel_left: "channels:read",
	channel_shared: "channels:read",
	channel_unshared: "channels:read",
	group_rename: "groups:read",
	group_archive: "groups:read",
	group_unarchive: "groups:read",
	group_deleted: "groups:read",
	group_left: "groups:read",
	user_change: "users:read",
	app_context_changed: "assistant:write",
	app_home_opened: "",
	app_uninstalled: "",
	tokens_revoked: "",
	agent_session_stopped: "",
	agent_session_title_changed: "",
	assistant_thread_started: "assistant:write",
	assistant_thread_context_changed: "assistant:write",
};

/** Manifest with all events of `eventScopes`. */
export const fullManifest = {
	display_information: { name: "Parley" },
	features: {
		bot_user: { display_name: "Parley", always_online: true },
		slash_commands: [{ command: "/parley", description: "Talk to Parley", should_escape: true }],
		shortcuts: [
			{ name: "Ask about this", callback_id: "ask", description: "Ask about it", type: "message" },
			{ name: "Make it a task", callback_id: "task", description: "Do it", type: "message" },
		],
		agent_view: { agent_description: "An agent" },
		app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
	},
	oauth_config: {
		scopes: {
			bot: [
				...["app_mentions:read", "assistant:write", "chat:write", "commands", "files:read", "files:write"],
				...["channels:history", "groups:history", "im:history", "mpim:history"],
				...["channels:read", "groups:read", "im:read", "mpim:read", "im:write", "mpim:write"],
				...["reactions:read", "reactions:write", "team:read", "users:read"],
			],
		},
	},
	settings: {
		event_subscriptions: { bot_events: Object.keys(eventScopes) },
		interactivity: { is_enabled: true },
		socket_mode_enabled: true,
	},
} as const;

export function install(app: AppRecord, manifest: AppManifest): void {
	const { features, oauth_config: oauth, settings } = manifest;
	app.manifest = { ...manifest };
	app.scopes = new Set(oauth?.scopes?.bot ?? []);
	app.subscriptions = new Set(settings?.event_subscriptions?.bot_events ?? []);
	app.commands = features?.slash_commands ?? [];
	app.shortcuts = features?.shortcuts ?? [];
	app.agentView = features?.agent_view !== undefined;
	app.agent = app.agentView || features?.assistant_view !== undefined;
	app.hasHome = features?.app_home?.home_tab_enabled === true;
	app.prompts = features?.agent_view?.suggested_prompts ?? [];
}
