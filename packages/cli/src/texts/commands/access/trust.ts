export const trustHelp = {
	notes: `
In a trusted channel, tool calls for members run without approval, in the
sandbox. Some calls always require approval: access to keys and passwords,
control of this machine, irreversible changes, and writes outside the roots.
Trust ends at its time limit or its maximum number of calls. It also ends in
these cases:
  - A member revokes it or stops the work, or three calls are denied.
  - The policy changes, a budget is spent, or the sandbox fails.
  - A person who has no access, or is from another organisation, joins the
    channel.
  - The gateway or the connector was stopped for too long.
Without --classes, trust covers all classes except outside-read.

Examples:
  parley trust grant discord:111:222 --reason "release night" --minutes 60
  parley trust grant slack:T1:C2 --reason tests --tools run_command,write_file
  parley trust approve prompt_7fd1
  parley trust revoke grant_4k2x

Members of a channel can request trust: \`list\` shows the requests with their
reasons, and \`approve\` or \`deny\` answers them. A channel without any
messages requires --unseen, because its id may be mistyped.
`,
	description: "run the tools of a channel without approval for a limited time",
	list: "list trusted channels and requests for trust",
	all: "include ended grants",
	grant: "trust a channel; replaces its previous trust",
	channel: "PLATFORM:TENANT:CHANNEL",
	reason: "reason, which is shown in the channel",
	classes: "only these classes of calls, such as write,exec-sandboxed",
	people: "only these members: PLATFORM:TENANT:USER",
	minutes: "duration in minutes, up to 1440 (default: 240)",
	max: "maximum number of calls, up to 10000 (default: 200)",
	unseen: "allow a channel without any messages",
	approve: "approve a request to trust a channel",
	request: "id of the request; may be abbreviated",
	deny: "deny a request to trust a channel",
	revoke: "stop trusting a channel immediately",
	grantId: "id of the grant; may be abbreviated",
} as const;

export const trustMessages = {
	noChannel: "No channel is trusted. Use `parley trust grant`.",
	requested: "The request waits for an answer in the channel.",
	granted: ({
		channel,
		until,
		calls,
	}: {
		readonly channel: string;
		readonly until: string;
		readonly calls: number;
	}) => `${channel} is trusted until ${until}, for at most ${calls === 1 ? "1 call" : `${calls} calls`}`,
	howToRevoke: ({ id }: { readonly id: string }) => `\`parley trust revoke ${id}\` ends the grant`,
	approved: ({ channel }: { readonly channel: string }) =>
		`${channel} is trusted; \`parley trust list\` shows when the trust ends`,
	denied: "denied; the channel shows the denial",
	revoked: "the channel is no longer trusted",
	allowedClasses: ({ classes }: { readonly classes: string }) => `Allowed classes: ${classes}.`,
	invalidNumber: "Use a positive whole number.",
	noRequest: ({ id }: { readonly id: string }) =>
		`no request has the id ${id}; \`parley trust list\` shows the open requests`,
	severalRequests: ({ id, ids }: { readonly id: string; readonly ids: string }) =>
		`several requests have an id that begins with ${id}; use one of these ids: ${ids}`,
	severalGrants: ({ given, ids }: { readonly given: string; readonly ids: string }) =>
		`several grants have an id that begins with ${given}; use one of these ids: ${ids}`,
} as const;
