import { appTexts } from "../texts/app.ts";

/** Permissions of the app (`oauth_config.scopes.bot`): https://docs.slack.dev/reference/scopes */
export const scopes = [
	"app_mentions:read",
	"assistant:write",
	"channels:history",
	"channels:read",
	"chat:write",
	"commands",
	"files:read",
	"files:write",
	"groups:history",
	"groups:read",
	"im:history",
	"im:read",
	"im:write",
	"mpim:history",
	"mpim:read",
	"reactions:read",
	"users:read",
] as const;

/** Events that the app subscribes to: https://docs.slack.dev/reference/events */
export const botEvents = [
	"agent_session_stopped",
	"agent_session_title_changed",
	"app_context_changed",
	"app_home_opened",
	"app_mention",
	"app_uninstalled",
	"channel_archive",
	"channel_deleted",
	"channel_id_changed",
	"channel_left",
	"channel_rename",
	"channel_shared",
	"channel_unarchive",
	"channel_unshared",
	"group_archive",
	"group_deleted",
	"group_left",
	"group_rename",
	"group_unarchive",
	"member_joined_channel",
	"member_left_channel",
	"message.channels",
	"message.groups",
	"message.im",
	"message.mpim",
	"reaction_added",
	"tokens_revoked",
	"user_change",
] as const;

/** Entries in a message's menu. A `message_action` contains the `callback_id` of the chosen entry. */
export const shortcuts = [
	{ ...appTexts.askAboutThis, callback_id: "ask_about_this" },
	{ ...appTexts.makeItATask, callback_id: "make_it_a_task" },
] as const;
