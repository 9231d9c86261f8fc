/** Texts of the app's manifest, which Slack shows to members of the workspace, and the purpose of each scope. */
export const appTexts = {
	name: "Parley",
	description: "The AI agent of your team",
	agentDescription: "Answers questions, works on tasks, and asks for approval before it changes anything.",
	slashCommand: "Send a command to the agent",
	askAboutThis: { name: "Ask about this", description: "Ask the agent about this message" },
	makeItATask: { name: "Make it a task", description: "Give this message to the agent as a task" },
	/** Purposes of scopes. Each completes "the bot needs the scope to …". */
	purposes: {
		"app_mentions:read": "receive messages that mention it",
		"assistant:write": "show a status line, and a button that stops the agent",
		"channels:history": "read the messages of its public channels",
		"channels:read": "read the settings of public channels, for example whether they are shared",
		"chat:write": "answer",
		commands: "receive /parley and the entries in the menu of a message",
		"files:read": "read attached files",
		"files:write": "attach files",
		"groups:history": "read the messages of its private channels",
		"groups:read": "read the settings of its private channels",
		"im:history": "read its direct messages",
		"im:read": "read the list of its direct messages",
		"im:write": "open direct messages, for notices and for files that only one person can see",
		"mpim:history": "read its group direct messages",
		"mpim:read": "read the list of its group direct messages",
		"reactions:read": "receive reactions that stop or repeat a run",
		"users:read": "read the names of people, and whether they are guests",
	},
} as const;
