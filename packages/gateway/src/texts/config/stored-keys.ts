/** Errors about the file with the stored keys. */
export const storedKeysTexts = {
	invalid: ({ path }: { readonly path: string }): string =>
		`${path} is not valid: remove it, and store the keys again with \`parley setup\``,
	notStored: ({ names }: { readonly names: string }): string =>
		`cannot store ${names}: the name of a key must be in upper case and end in _KEY, _TOKEN, _SECRET or _BEDROCK. ` +
		"It must not begin with PARLEY_ or NODE_, and its value must not be empty",
} as const;
