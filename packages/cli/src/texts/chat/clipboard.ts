/** Notices about the clipboard. */
export const clipboardTexts = {
	reading: "reading the clipboard…",
	empty: "no image and no text was found in the clipboard",
	noProgram: ({ programs }: { readonly programs: readonly string[] }): string =>
		`the clipboard cannot be read: install ${programs.join(" or ")}`,
	noClipboard: "no clipboard, because there is no graphical session. Paste the path of an image instead",
	programFailed: ({ program }: { readonly program: string }): string =>
		`the clipboard cannot be read: ${program} failed, took more than 5 s, or printed too much. Paste the path of an image instead`,
	failed: ({ reason }: { readonly reason: string }): string => `cannot paste from the clipboard: ${reason}`,
	notHere: "this chat cannot send images",
} as const;
