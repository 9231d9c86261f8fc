/** Texts of `/diff` and `/undo`. */
export const changeTexts = {
	turn: ({ message }: { readonly message: string }): string => `File changes of the turn "${message}":`,
	none: "This session has no recorded file changes, or all of them were undone.",
	refused: ({ path, reason }: { readonly path: string; readonly reason: string }): string =>
		`${path}: ${reason}. /undo cannot restore this file; /undo partly skips it.`,
	restored: ({ path }: { readonly path: string }): string => `${path}: as before the turn`,
	ranCommands:
		"The turn also ran commands or tools of other programs. Their changes are neither shown nor undone.",
	invalid: ({ words }: { readonly words: string }): string =>
		`Unknown text after /undo: ${words}. Use /undo alone, or /undo partly to skip files that changed after the turn.`,
} as const;
