/** Texts of a chat that reads lines, and of images in messages. */
export const lineTexts = {
	interrupts: "Ctrl-C cancels the running turn; without a turn, Ctrl-C leaves the chat",
	image: ({ place, name }: { readonly place: number; readonly name: string }): string =>
		`[image ${place}: ${name}]`,
	sends: ({ path }: { readonly path: string }): string => `sends the image ${path}`,
	notSent: ({ path }: { readonly path: string }): string =>
		`the image ${path} is not sent, because its name was part of a pasted text; to send it, paste only the image or its path`,
};

/** Notes that the chat shows. */
export const chatTexts = {
	inputEnded: "parley: the input has ended, so the open question is declined",
	noAnswer: "no answer",
	nothingToCancel: "cannot cancel: no turn is running",
	taskAsks: ({
		asker,
		question,
		session,
	}: {
		readonly asker: string;
		readonly question: string;
		readonly session: string;
	}) => `${asker} asks: ${question}; to answer at a terminal: parley chat --session ${session}`,
	shortening: "summarising the session…",
	modelChanged: ({ model }: { readonly model: string }) => `model from the next message on: ${model}`,
	interrupted: "the reply was interrupted and starts again",
	startsAgain: "the reply starts again",
	howToContinue: ({ session, isIdle }: { readonly session: string; readonly isIdle: boolean }) =>
		`to continue this session: parley chat --session ${session}${isIdle ? "" : "; running work continues"}`,
} as const;
