/** Texts of a chat in lines, and of images in messages. */
export const lineTexts = {
	interrupts: "Ctrl-C cancels the running turn; without one, it leaves the chat",
	image: ({ place, name }: { readonly place: number; readonly name: string }): string =>
		`[image ${place}: ${name}]`,
};
