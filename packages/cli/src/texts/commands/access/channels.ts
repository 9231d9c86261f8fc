export const channelsHelp = {
	notes: `
CHANNEL is PLATFORM:TENANT:CHANNEL, or PLATFORM:TENANT for all channels of a
guild or team.
\`set\` replaces all settings of the channel, including those from the
configuration. Open sessions continue to use their agent, model, directory and
budget; all other settings apply immediately.

Examples:
  parley channels set discord:111:222 --root ~/site --budget 5
  parley channels set slack:T1 --tools read_file,search_files --mention required
  parley channels set slack:T1:C2 --approve-in discord:111:222
  parley channels remove slack:T1
`,
	description: "list channel settings; set and remove them",
	list: "the same as `parley channels`",
	set: "set the settings of a channel",
	channel: "PLATFORM:TENANT:CHANNEL, or PLATFORM:TENANT",
	agent: "agent profile",
	model: "model or tier",
	root: "working directory of its tools (default: a workspace for each session)",
	approver: "only person who may approve its tool calls; may be repeated",
	approveIn: "another channel where its approvals can be answered; may be repeated",
	budget: "budget in US dollars per day for each session",
	quota: "maximum size of a workspace, such as 500MB",
	context: "number of earlier messages that the agent gets with a request, 0 to 50",
	approvalHours: "hours until its approvals and questions expire",
	mention: "whether messages must mention the agent",
	sessions: "one session for the channel, or one per person",
	live: "display of an answer while the agent works",
	answers: "place of the answer to a mention on Discord",
	status: "display of the state of a message on Discord",
	busy: "queue a message while the agent works, or offer to add it",
	remove: "remove the settings of a channel; the configuration applies again",
} as const;

export const channelsMessages = {
	noSettings: ({ channel, options }: { readonly channel: string; readonly options: string }) =>
		`no settings given for ${channel}: use at least one of ${options}; to remove the settings, use \`parley channels remove\``,
	removed: "removed",
	invalidContext: "Use off, or a number from 0 to 50.",
	invalidSize: "Use a size such as 500MB or 2GiB.",
} as const;
