/** Permissions of the app (`oauth_config.scopes.bot`) with their purpose: https://docs.slack.dev/reference/scopes */
export const scopes = {
	"app_mentions:read": "hear when it is mentioned",
	"assistant:write": "be an agent, with a status line and a button that stops it",
	"channels:history": "read the threads of public channels that it is in",
	"channels:read": "know public channels, and whether others are in them",
	"chat:write": "answer",
	commands: "/parley, and what the menu of a message offers",
	"files:read": "read files that people attach",
	"files:write": "attach files",
	"groups:history": "read the threads of private channels that it is in",
	"groups:read": "know private channels that it is in",
	"im:history": "read direct messages to it",
	"im:read": "know its direct messages",
	"im:write": "hand somebody a file that they alone may see",
	"mpim:history": "read group messages that it is in",
	"mpim:read": "know group messages that it is in",
	"reactions:read": "see the reactions that stop and repeat",
	"users:read": "know the names of people, and who is a guest",
} as const;
export type Scope = keyof typeof scopes;

/** Events that the app subscribes to: https://docs.slack.dev/reference/events */
export const botEvents = [
	"agent_session_stopped",
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

/** Entries in the menu of a message. Their ids come back in `message_action`, which `commands/shortcuts.ts` reads. */
export const shortcuts = [
	{ name: "Ask about this", callback_id: "ask_about_this", description: "Ask the agent about this message" },
	{ name: "Make it a task", callback_id: "make_it_a_task", description: "Have the agent work on this" },
] as const;
