/** Errors of channel settings. */
export const channelTexts = {
	didYouMean: "did you mean",
	listModels: "; parley models lists the models",
	key: "use PLATFORM:TENANT:CHANNEL for a channel, or PLATFORM:TENANT for all channels of a guild or team",
	root: (path: string): string => `the root ${JSON.stringify(path)}`,
	notAbsolute: (root: string): string => `${root} is not an absolute path`,
	missing: (root: string): string => `${root} does not exist`,
	notDirectory: (root: string): string => `${root} is not a directory`,
	inData: (root: string): string => `${root} is in the data directory`,
	reason: "with the gateway's own keys and conversations: choose a directory outside it",
	containsData: (root: string, data: string, reason: string): string =>
		`${root} contains the data directory ${data}, ${reason}`,
	nearTool: (near: string): string => `did you mean ${near}?`,
	noTool: (tool: string, advice: string): string => `there is no tool ${JSON.stringify(tool)}: ${advice}`,
	setFirst: (channel: string): string =>
		`set it first, for example with parley channels set ${channel} --mention required`,
	noSettings: (channel: string, advice: string): string =>
		`${channel}, which should answer its approvals, has no settings: ${advice}`,
	onlySingle:
		"approvals can be answered elsewhere only for a single channel: use PLATFORM:TENANT:CHANNEL as the key",
	nameAnother: "name another channel as PLATFORM:TENANT:CHANNEL",
	cannotAnswer: (channel: string, reason: string): string =>
		`${JSON.stringify(channel)} cannot answer its approvals: ${reason}`,
	otherApprover: (approver: string, beginning: string): string =>
		`the approver ${JSON.stringify(approver)} does not belong to this guild or team: an id has the form ${beginning}USER`,
	fromConfiguration: "its settings come from the configuration, under chat.channels",
	listChannels: "parley channels lists the channels with settings",
	notRemovable: (channel: string, reason: string): string =>
		`no settings of ${channel} can be removed: ${reason}`,
} as const;

export const policyStateTexts = {
	unusable: (reason: string): string => `the policy cannot be used: ${reason}`,
	invalid: "a policy is not valid",
	validAgain: "a policy is valid again",
	allowIgnored: "an allow rule of a workspace is ignored",
	notAudited: "a change of the policy could not be written to the audit log",
	readOnly: "rules cannot be added here: this gateway does not change the policy file",
	ruleReason: "always allowed by the operator",
	notWritten: (path: string, reason: string): string =>
		`the rule was not added, because ${path} cannot be written (${reason}): make it writable, or add the rule yourself`,
	notEdited: (reason: string): string => `the rule was not added, because the policy is invalid: ${reason}`,
	wouldBeTooLarge: ({
		path,
		bytes,
		max,
	}: {
		readonly path: string;
		readonly bytes: number;
		readonly max: number;
	}): string =>
		`the rule was not added, because ${path} would have ${bytes} bytes, and at most ${max} are allowed: remove rules or ` +
		"comments from it",
	onlyJudged: "a call in a policy check cannot ask questions or send files",
} as const;
