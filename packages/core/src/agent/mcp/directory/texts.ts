/**
 * Texts about a `.mcp.json` and its unusable entries. The caller puts the entry's name before a reason that begins with
 * "it" or "its".
 */
export const directoryFileTexts = {
	invalidFile: (file: string, reason: string): string => `${file} is not valid: ${reason}; correct the file`,
	notRegular: (path: string): string => `${path} is not a regular file: replace it with a regular file`,
	tooLarge: (path: string, bytes: number): string =>
		`${path} is larger than ${bytes} bytes: replace it with a smaller file`,
	changedWhileRead: (path: string): string => `${path} changed while it was read: try again`,
	refused: (name: string, reason: string): string => `${name}: ${reason}`,
	name: "its name is not valid: use 1 to 32 lower-case letters, digits and hyphens, with a letter or digit at both ends",
	invalidEntry: (field: string, reason: string): string =>
		field === ""
			? `its entry is not valid: ${reason}; correct the entry`
			: `its field \`${field}\` is not valid: ${reason}; correct the field`,
	noPlace: "it has neither a `command` nor a `url`: add one of them",
	twoPlaces: "it has both a `command` and a `url`: remove one of them",
	oldTransport:
		"its type `sse` is the old transport of MCP and not supported: set `type` to `http`, and `url` to the address for streamable HTTP",
	otherType: (type: string): string =>
		`its type ${type} is unknown: use \`stdio\` with \`command\`, or \`http\` with \`url\``,
	typeNeeds: (type: string, field: string): string =>
		`its type \`${type}\` needs the field \`${field}\`: add the field`,
	steering: (variable: string): string =>
		`the variable ${variable} can make a program run other code: remove it from \`env\``,
} as const;

/** Errors about the addresses and headers of remote servers in a `.mcp.json`. */
export const directoryAddressTexts = {
	invalid: "its address is not valid: use an http or https address such as https://mcp.example.com/mcp",
	variable: "its address contains a variable: write the complete address",
	credentials: "its address contains a user name or a password: use a header with a variable",
	fragment: "its address contains #: remove it and the text after it",
	tooLong: (characters: number): string =>
		`its address is longer than ${characters} characters: use a shorter address`,
	headerName: (name: string): string =>
		`the header name ${name} is not valid: use at most 100 letters, digits and hyphens`,
	ownHeader: (name: string): string => `the header ${name} is set by Parley: remove it`,
	twice: (name: string): string => `the header ${name} occurs twice: remove one of them`,
	headerValue: (name: string): string =>
		`the header ${name} has a value with invalid characters: use only visible ASCII characters and spaces`,
	longHeaders: (characters: number): string =>
		`its headers have more than ${characters} characters in total: remove or shorten some`,
	otherReference: (header: string, reference: string): string =>
		`the header ${header} contains ${reference}, which Parley does not replace: write \${NAME} for a variable`,
} as const;

/** Texts about missing grants, and about differences from the state that the operator trusts. */
export const directoryTrustTexts = {
	needsPrivate: (option: string): string => `its address is not https: allow http with ${option}`,
	needsVariables: (names: readonly string[], option: string): string =>
		`its headers need environment variables of the gateway (${names.join(", ")}): grant each of them, for example with ${option}`,
	hidden: (name: string): string =>
		`${name}: not used, because a server of the operator has the same name: rename the server in .mcp.json`,
	trustAgain: (name: string, problem: string, directory: string): string =>
		`${name}: ${problem}. Review the server, then trust it with \`parley mcp trust ${directory}\`.`,
	changedFile: (file: string): string => `${file} has changed`,
	changedFileAndAddress: (file: string, address: string): string =>
		`${file} has changed, and the address of the server in it is now ${address}`,
	noFile: (name: string, file: string): string =>
		`${name}: not used, because ${file} does not exist, cannot be read, or is a link: restore the file`,
	noEntry: (file: string): string => `${file} does not contain a usable entry for this server`,
	otherKind: "its entry is now a server of another kind",
	changedAddress: (address: string): string => `its address is now ${address}`,
	badProgram: (reason: string): string => `its program cannot be used: ${reason}`,
	otherProgram: "its command now starts another program",
	changedProgram: "its program has changed",
} as const;
