import { plural } from "../../../text/amounts.ts";

export const peopleHelp = {
	notes: `
There are two ways to give a chat user access. You print a code with \`pair\`, and
the user types it in chat. Or the user requests access in chat and gets a code,
and you \`approve\` it. A code can be used once, within an hour; \`deny\` cancels
it. The first owner of a guild or team connects that guild or team to the
gateway: \`parley people pair --role owner\`.

A guest can use the agent with read-only tools. A member can also use the
other tools, an approver can also approve tool calls, and an owner can also
trust channels. PERSON is PLATFORM:TENANT:USER.

Examples:
  parley people pair --role owner
  parley people approve CODE --role member
  parley people role discord:111:333 approver
  parley people remove slack:T1:U2
`,
	description: "list chat users and access requests; grant and remove access",
	list: "the same as `parley people`",
	pair: "print a code that gives one person access",
	platform: "limit the code to a platform, such as discord",
	tenant: "limit the code to a guild or team",
	approve: "approve an access request by the code that the person received in chat",
	code: "the code",
	deny: "deny an access request, or cancel an invitation",
	codeOrName: "the code, or an id or a name that `parley people` shows",
	role: "set the role of a person; a person without access gets access",
	remove: "remove a person's access, and delete the notes about them",
} as const;

export const peopleMessages = {
	codeExplained: ({ role, until }: { readonly role: string; readonly until: string }) =>
		`The first person who types this code gets the role ${role}. The code expires at ${until}. Keep it secret.`,
	severalRequests: ({ name, ids }: { readonly name: string; readonly ids: string }) =>
		`several requests or invitations match ${name}; use one of these ids: ${ids}`,
	hasRole: ({ person, role }: { readonly person: string; readonly role: string }) =>
		`${person} has the role ${role}`,
	removed: ({ notes }: { readonly notes: number }) =>
		`removed, with ${plural(notes, "note")} about the person; roles in the configuration (chat.people) still apply`,
} as const;
