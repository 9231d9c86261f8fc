/** Texts of `parley skills trust`. */
export const trustSkillTexts = {
	noneTrusted: "No skill was trusted.",
	trusted: ({ names }: { readonly names: string }) => `trusted ${names}`,
	changed: ({ path }: { readonly path: string }) => `${path} has changed since it was trusted:`,
	confirm: ({ directory }: { readonly directory: string }) =>
		`Trust these skills of ${directory} as they are now? [y/N]`,
} as const;
