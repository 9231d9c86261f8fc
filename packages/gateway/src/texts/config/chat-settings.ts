/**
 * Descriptions of the settings in `chat`, for `docs/configuration.md` and the JSON Schema. If a setting has a
 * default, the description ends with it.
 */
export const chatSettingTexts = {
	rulePlatform: "People of this platform, such as discord.",
	ruleTenant: "People of this guild or team, by its id.",
	ruleChannel: "People who write in this channel, by its id.",
	rulePlatformRole: "People with this role of the platform, by its id.",
	ruleUser: "One person, by the id of the user.",
	mention:
		"Messages that the agent answers. With required, those that mention it. With always, all. Default: required.",
	sessions:
		"Sessions of the channel. With shared, all people share one. With person, each person has a separate one. Default: shared.",
	live: "Display of an answer while the agent works. With text, its text. With tools, also one line for each tool call. With everything, also the subject of each call. Default: tools.",
	answers:
		"Place of the answer to a mention. With thread, the agent opens a thread at the message, and answers in it. For Discord. Default: channel.",
	status:
		"Display of the state of a message. With reactions, the agent adds 👀, ⏳, ✅ or ❌ to it, and posts no notice about the queue. For Discord. Default: posts.",
	busy: "Handling of a message that arrives while the agent works. With queue, it waits for its turn. With offer, a button lets its author add it to the running request. Default: queue.",
	context:
		"Number of earlier messages of the channel that the agent gets with a request. 0 means none, also in threads. Default: 20.",
	agent: "Agent profile for the sessions of the channel. Default: default.",
	model: "Model for the channel: a name or a tier. Default: the model of the agent profile.",
	tools: "Tools that the agent may use in the channel, by name. Default: all tools of the agent profile.",
	root: "Directory in which the tools of the channel work. Relative to this file. Default: a separate workspace for each session.",
	approvers:
		"The only people who may approve tool calls of the channel, as PLATFORM:TENANT:USER. Default: people with the role approver or owner.",
	approveIn:
		"Channels whose approvers may also approve tool calls of this channel, as PLATFORM:TENANT:CHANNEL. Default: none.",
	budgetUsd: "US dollars for one UTC day, for each session of the channel. Default: no limit.",
	quotaBytes: "Maximum size of the workspace of a session, in bytes. Default: 1073741824 (1 GiB).",
	approvalHours: "Hours until an approval or a question expires. Default: 24.",
	noticePeople:
		"People of the group, as PLATFORM:TENANT:USER. Default: the approvers of the channel, or up to five people with the role approver or owner.",
	noticeWays:
		"Ways to notify the group: mention (in the conversation), channel (a post in the channels of approveIn), direct (a direct message). If a way does not reach a person, the next way is tried. Default: mention.",
	noticeGroups:
		"Groups of approvers. The first group is notified at once, and each further group at an escalation. Required.",
	remindMinutes: "Minutes until the first group gets its only reminder. Default: 60.",
	escalateMinutes:
		"Minutes from the reminder, or from the notice to the previous group, until the next group is notified. Default: 60.",
	joinSeconds:
		"Seconds during which messages of one person in a conversation are joined into one request. 0 sends each message separately and at once. Default: 2.",
	greet: "Post a welcome in a channel and to a person at the first contact. Default: true.",
	prompts:
		"Requests that the welcome suggests, at most three. Default: skills of the data directory, and general requests.",
	welcome: "Welcome of connectors: the work of the agent, the approvers, and suggested requests.",
	allowPlatform:
		"Platform of the people, such as discord. All other ids of the rule are ids of this platform. Required.",
	allowRole: "Role of the people. Required.",
	allow:
		"People who have access without a code. A rule matches if all its ids match. If several rules match, the highest role applies. Default: none.",
	deny: "People who never have access, even if other rules or pairings allow them. A rule matches if all its ids match. Default: none.",
	people: "Chat users with access, in addition to those whom the operator approved.",
	tenants:
		"Ids of the guilds or teams that connectors may serve, by platform. Connectors also serve those in which an owner has paired. Default: none.",
	endOnStranger: "End the trust grant of a channel when a person without access writes in it. Default: true.",
	trust: "Conditions that end the trust grant of a channel (parley trust).",
	typedApprovals:
		"Allow approvers to answer an approval by typing approve or deny as a message. Default: true.",
	notices:
		"Notices to approvers, by PLATFORM:TENANT:CHANNEL, or by PLATFORM:TENANT for all channels of a guild or team. Default: no notices.",
	channels:
		"Channel settings, by PLATFORM:TENANT:CHANNEL, or by PLATFORM:TENANT for all channels of a guild or team. Default: none.",
	places: "Old name of channels.",
} as const;
