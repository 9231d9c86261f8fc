export const tokenHelp = {
	notes: `
An operator has all permissions. An observer can read all sessions, or
only those that its token names. A connector acts for the people of one
platform.
Parley prints a new token only once. Only the operator token of the data
directory can be printed again, with \`parley token\`.

Examples:
  parley token
  parley token create observer dashboard --days 7
  parley token create connector discord --platform discord
  parley token revoke dashboard
`,
	description: "print the operator token, which is created if missing; manage other tokens",
	create: "create a token and print it",
	kind: "kind of client",
	name: "name: a to z, 0 to 9 and -",
	platform: "platform of a connector, such as discord",
	tenant: "guild or team of a connector; may be repeated",
	session: "session that an observer may read; may be repeated",
	days: "days until it expires (default: 30 for observers, never for others)",
	list: "list the tokens without their secrets",
	rotate: "replace a token with one that has the same rights, and print it",
	rotatedToken: "name, id, or beginning of the id; operator is the token of the data directory",
	grace: "seconds for which the old token stays valid, at most 600",
	revoke: "revoke a token and close its connections",
	revokedToken: "name, id, or beginning of the id",
} as const;

export const tokenMessages = {
	ownTokenExplained: `A client with this token has your permissions. Clients send it as \`Authorization: Bearer TOKEN\`;
parley reads it from PARLEY_TOKEN.
`,
	revoked: ({ kind, name, id }: { readonly kind: string; readonly name: string; readonly id: string }) =>
		`revoked the ${kind} token ${name} (${id})`,
} as const;
