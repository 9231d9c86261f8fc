/** Texts in the table of the people with access, and results of the commands about people. */
export const peopleTableTexts = {
	noPeople:
		"No chat user has access, unless chat.people.allow in the configuration gives access. `parley people pair --role owner` prints a code for the first owner.",
	person: ({ person, name }: { readonly person: string; readonly name: string }) => `${person} (${name})`,
	columns: ["PERSON", "NAME", "ROLE", "ADDED BY", "WHEN"],
	waitingColumns: ["KIND", "NAME", "PLATFORM", "GUILD OR TEAM", "USER ID", "ROLE", "EXPIRES IN", "ID"],
	howToApprove: "`parley people approve CODE` gives access. Compare the user id with the person first.",
	howToDeny: "`parley people deny ID` denies a request or cancels an invitation.",
	invitationCancelled: ({ id }: { readonly id: string }) => `cancelled the invitation ${id}`,
	requestDenied: ({ person }: { readonly person: string }) =>
		`denied the request of ${person}; to block a person, use chat.people.deny in the configuration`,
} as const;

/** Texts about channel settings. */
export const channelTableTexts = {
	noChannels: "No channel has its own settings. Use `parley channels set`.",
	setByOperator: "set by the operator",
	configured: "from the configuration",
	defaults: "default settings",
	heading: ({ channel, by }: { readonly channel: string; readonly by: string }) => `${channel}  (${by})`,
	agent: "agent",
	model: "model",
	tools: "tools",
	directory: "directory",
	approvers: "approvers",
	approvalsAlsoIn: "approvals also in",
	budget: "budget",
	aDay: ({ budget }: { readonly budget: string }) => `${budget} a day`,
	workspace: "workspace",
	mention: "mention",
	sessions: "sessions",
	liveAnswers: "live answers",
	answersIn: "answers in",
	status: "status",
	whileItWorks: "while it works",
	earlierMessages: "earlier messages",
	approvalsExpireAfter: "approvals expire after",
	hours: ({ hours }: { readonly hours: number }) => `${hours} h`,
	off: "off",
	none: "none",
	upTo: ({ size }: { readonly size: string }) => `up to ${size}`,
	perPerson: "one for each person",
} as const;
