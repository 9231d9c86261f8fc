/** Errors and log messages about tokens. */
export const tokenTexts = {
	reserved: (name: string): string =>
		`the name ${name} is reserved for the token of the data directory; choose another name`,
	hasNone: (field: string, kind: string): string =>
		`${field}: not allowed for a token of the kind ${kind}; leave it out`,
	onePlatform: "platform: a connector needs one platform, such as discord",
	ambiguous: (text: string, tokens: readonly { readonly id: string; readonly name: string }[]): string =>
		`"${text}" is the beginning of several token ids: use one of ${tokens.map(({ id, name }) => `${id} (${name})`).join(", ")}`,
	none: (text: string): string =>
		`no valid token has the id or name "${text}"; parley token list shows the valid tokens`,
	invalid: "a created token is not valid",
	useNotStored: "the last use of a token could not be stored",
	keyUsed: (key: string | undefined): string =>
		`the key "${key}" already created a token, whose text is shown only once: use another key, or replace the token with parley token rotate`,
	replaced: (id: string, name: string): string =>
		`token ${id} was already replaced; replace its successor with parley token rotate ${name}`,
	notRevocable:
		"the token of the data directory cannot be revoked: replace the token with parley token rotate operator",
	grace: (ms: number): string => `a grace period of ${ms} ms is not allowed: use 0 to 600000 ms`,
	otherName: (name: string): string =>
		`choose another name, or replace the token with parley token rotate ${name}`,
	exists: (name: string, hint: string): string => `a token named ${name} already exists: ${hint}`,
	otherPlatform: (name: string, platform: string | null): string =>
		`the name ${name} already belonged to a connector of ${platform}; choose another name`,
} as const;
