/** Errors of channel settings. */
export const channelTexts = {
	key: "use PLATFORM:TENANT:CHANNEL for a channel, or PLATFORM:TENANT for all channels of a guild or team",
	root: (path: string): string => `the root ${JSON.stringify(path)}`,
	notAbsolute: (root: string): string => `${root} is not an absolute path: use an absolute path`,
	missing: (root: string): string => `${root} does not exist: use an existing directory`,
	inaccessible: (root: string, reason: string): string => `${root} cannot be used: ${reason}`,
	notDirectory: (root: string): string => `${root} is not a directory: use a directory`,
	inData: (root: string): string => `${root} is in the data directory: use a directory outside it`,
	reason: "which has the gateway's own keys and conversations: choose a directory without it",
	containsData: (root: string, data: string, reason: string): string =>
		`${root} contains the data directory ${data}, ${reason}`,
	nearTool: (near: string): string => `did you mean ${near}?`,
	noTool: (tool: string, advice: string): string => `there is no tool ${JSON.stringify(tool)}: ${advice}`,
	setFirst: (channel: string): string =>
		`set some first, for example with parley channels set ${channel} --mention required`,
	noSettings: (channel: string, advice: string): string =>
		`approveIn names ${channel}, which has no settings: ${advice}`,
	onlySingle:
		"approveIn is allowed only in the settings of a single channel: use PLATFORM:TENANT:CHANNEL as the key",
	nameAnother: "use the id of another channel, PLATFORM:TENANT:CHANNEL",
	cannotAnswer: (channel: string, reason: string): string =>
		`${JSON.stringify(channel)} is not allowed in approveIn: ${reason}`,
	otherApprover: (approver: string, beginning: string): string =>
		`the approver ${JSON.stringify(approver)} does not belong to this guild or team: an id has the form ${beginning}USER`,
	fromConfiguration: "its settings come from the configuration, under chat.channels: remove them there",
	listChannels: "no settings are stored; parley channels lists the channels with settings",
	notRemovable: (channel: string, reason: string): string =>
		`cannot remove the settings of ${channel}: ${reason}`,
} as const;

export const policyStateTexts = {
	unusable: (reason: string): string => `the policy cannot be used: ${reason}`,
	invalid: "a policy is not valid",
	validAgain: "a policy is valid again",
	allowIgnored: "an allow rule of a workspace is ignored",
	notAudited: "a change of the policy could not be written to the audit log",
	readOnly:
		"cannot add a rule: this gateway does not change the policy file; add the rule to the file yourself",
	ruleReason: "always allowed by the operator",
	notWritten: (path: string, reason: string): string =>
		`the rule was not added, because ${path} cannot be changed: ${reason}. You can also add the rule to the file yourself`,
	notEdited: (reason: string): string => `the rule was not added, because the policy is invalid: ${reason}`,
	wouldBeInvalid: (reason: string): string =>
		`the rule was not added, because the policy would be invalid with the rule: ${reason}`,
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
		"comments from the file",
	onlyJudged: "a call in a policy check cannot ask questions or send files",
} as const;
