/** Notices about the clipboard. */
export const clipboardTexts = {
	reading: "reading the clipboard…",
	empty: "the clipboard contains no image and no text: copy an image or a text first",
	noProgram: ({ programs }: { readonly programs: readonly string[] }): string =>
		`the clipboard cannot be read: install ${programs.join(" or ")}`,
	noClipboard: "cannot read the clipboard without a graphical session. Paste the path of an image instead",
	programFailed: ({ program }: { readonly program: string }): string =>
		`the clipboard cannot be read: ${program} failed, took more than 5 s, or printed too much. Paste the path of an image instead`,
	failed: ({ reason }: { readonly reason: string }): string =>
		`cannot paste from the clipboard: ${reason}. Paste the path of an image instead`,
	notHere: "this chat cannot send images: run `parley chat` at a terminal",
} as const;
