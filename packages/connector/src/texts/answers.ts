/** Markdown texts about answers of the agent: queue, retries, results, and the replies to their buttons. */
export const answerTexts = {
	buttons: {
		stop: "Stop",
		join: "Add to running request",
		again: "Again",
		good: "Good",
		bad: "Bad",
		rerun: "Answer the edited message",
	},
	feedbackForm: { title: "Feedback", text: "Comment for the operator" },

	queue: {
		// `position`: position in the queue, from 1. `waitsFor`: request that the active run waits for, if any.
		waiting: ({
			position,
			waitsFor,
		}: {
			readonly position: number;
			readonly waitsFor: "approval" | "question" | "secret" | undefined;
		}): string => {
			const place =
				position === 1 ? "Your message is next." : `Your message is number ${position} in the queue.`;
			if (waitsFor === "approval") return `I am waiting for the approval above. ${place}`;
			if (waitsFor === "question") return `I am waiting for an answer to the question above. ${place}`;
			if (waitsFor === "secret") {
				return `I am waiting for the secret above. Enter it on its page, not here. ${place}`;
			}
			return `I am working on ${position === 1 ? "another message" : "other messages"}. ${place}`;
		},
		dropped: "Removed from the queue.",
		full: "The queue is full. I will handle your message later.",
	},

	retry: {
		waiting: ({
			reason,
			attempt,
			at,
		}: {
			readonly reason: string;
			readonly attempt: number;
			readonly at: string;
		}): string => `The model has not answered: ${reason}. Attempt ${attempt}: ${at}.`,
		stopped: "Stopped before the model answered.",
		recovered: "The model is answering again.",
		failed: "The model did not answer.",
	},

	steps: "Steps",
	author: ({ person }: { readonly person: string }): string => `${person} asks`,
	terminal: "From the terminal",
	files: ({ count }: { readonly count: number }): string => (count === 1 ? " (1 file)" : ` (${count} files)`),

	empty: "Done. The answer has no text.",
	// `about`: start of the message, if known. `who`: text of `stoppedBy`, if known.
	stopped: ({
		about,
		who,
	}: {
		readonly about: string | undefined;
		readonly who: string | undefined;
	}): string => {
		const stopped = who === undefined ? "Stopped" : `Stopped ${who}`;
		return about === undefined ? `${stopped}.` : `${stopped}: “${about}”`;
	},
	stoppedBy: ({ person, at }: { readonly person: string; readonly at: string }): string =>
		`by ${person}, ${at}`,
	stoppedHere: ({ who }: { readonly who: string | undefined }): string =>
		who === undefined ? "stopped here" : `stopped ${who}`,
	personElsewhere: "a person on another platform",
	// `hasAgain`: whether the post has the button **Again**.
	internalError: ({ hasAgain }: { readonly hasAgain: boolean }): string => {
		const cause = "The gateway failed. The operator can find the reason in its log.";
		return hasAgain ? `${cause} Press **Again** to try once more.` : cause;
	},
	failed: ({ error }: { readonly error: string }): string => `Your request failed: ${error}.`,
	completeText: ({ file }: { readonly file: string }): string => `The complete text is in ${file}.`,
	snippet: ({ file, lines }: { readonly file: string; readonly lines: number }): string =>
		`The code is in ${file} (${lines} lines).`,
	/**
	 * Begins an answer that is sent as a direct message. `link`: address of the closed thread or channel, if there is
	 * one.
	 */
	elsewhere: ({ link }: { readonly link: string | undefined }): string => {
		const place = "channel or thread";
		const linked = link === undefined ? place : `[${place}](${link})`;
		return `I can no longer write in the ${linked} of your request, because it is closed. My answer:`;
	},
	continued: "continued",
	cut: "… some details do not fit here",

	/** Current step, as text after the agent's name. */
	activity: {
		thinking: "is thinking…",
		running: ({ tool }: { readonly tool: string }): string => `is running ${tool}…`,
		preparing: ({ tool }: { readonly tool: string }): string => `is preparing ${tool}…`,
		writingFile: "is writing a file…",
		writing: ({ file }: { readonly file: string }): string => `is writing ${file}…`,
	},

	replies: {
		stopped: "Stopped.",
		alreadyEnded: "This request had already ended.",
		joined: "Added to the running request.",
		notJoined: "The running request cannot accept this message. The message stays in the queue.",
		noLongerQueued: "This message is no longer in the queue.",
		onlyLast: "Only the latest answer can be repeated. Please send your message again instead.",
		busy: "I am still busy here. Please try again in a moment.",
		again: "The new answer follows below.",
		thanks: "Thank you for your feedback.",
		thanksOperator: "Thank you. The operator can read your feedback.",
		onlyAuthor: "Only the author of that message can send it again.",
		textLost: "I no longer have the text of that message. Please send it again.",
		rerunning: "I am working on the edited message.",
		rerunQueued: "The edited message is in the queue.",
	},
};
