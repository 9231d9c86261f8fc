/** Errors about the file with the stored keys. */
export const storedKeysTexts = {
	invalid: ({ path }: { readonly path: string }): string =>
		`${path} is not valid: remove it, and store the keys again with \`parley setup\``,
	notStored: ({ names }: { readonly names: string }): string =>
		`cannot store a key of ${names}: the name must end in _KEY, _TOKEN or _SECRET, and the value must not be empty`,
} as const;
