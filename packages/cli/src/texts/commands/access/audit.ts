export const auditHelp = {
	notes: `
The log has a row for each approval, for each tool call that changes something,
and for changes of tokens, people, rules and grants. Each row has the hash of
the row before it.

--verify reports changed, moved and removed rows, with exit code 1. It also
works without a gateway. To detect missing rows at the end, give an anchor: the
gateway logs an anchor at each start and once a day. --verify also checks the
stored text of all sessions, except text that an earlier version of Parley
stored without a hash.

Examples:
  parley audit --since 2d --principal discord:1234:5678
  parley audit --all --json > audit.json
  parley audit --verify --anchor 1234:9f86d08…
`,
	description: "show the audit log of decisions and actions, and verify its integrity",
	since: "only rows after this time: 12h, 2d, 1w, a date or a time",
	until: "only rows before this time",
	principal: "only actions of this principal, such as operator or discord:GUILD:USER",
	limit: "maximum number of rows; shows the newest ones",
	all: "show all rows",
	verify: "check the log and the stored text of all sessions",
	anchor: "for --verify: a row that the gateway has logged",
} as const;

export const auditMessages = {
	noRows: "no matching rows",
	moreRows: ({ limit }: { readonly limit: number }) =>
		`more than ${limit} rows may exist; --all shows all rows`,
	invalidAnchor: "Use NUMBER:HASH of a row, for example 1234:9f86d0….",
	invalidTime: ({ text }: { readonly text: string }) =>
		`invalid time ${text}\nallowed: an age such as 30m, 12h, 2d or 1w, a date such as 2026-03-14, or a time such as 2026-03-14T15:09:26Z`,
} as const;
