import { interactionTexts as shared } from "@parley/connector";

/** Private answers to commands and presses that the connector cannot handle, and texts of forms. */
export const interactionTexts = {
	...shared,
	expired: "Your request reached me too late, so I did nothing. Please try again.",
	otherWorkspace:
		"I cannot do that, because I belong to another workspace. Ask a member of my workspace to do it.",
	formNotOpened: "Slack did not open the form. Please press the button again.",
	/** Returns mrkdwn. `bot` is the bot's name. */
	notInConversation: ({ bot }: { readonly bot: string }) =>
		`I am not in this conversation. Invite me with \`/invite @${bot}\`, or send me a direct message.`,
	messageWithoutText: "This message has no text for a task. Choose a message with text.",
	messageTooLong: ({ maximum }: { readonly maximum: number }) =>
		`This message is too long for a task (maximum ${maximum} characters). Please describe the task in fewer words.`,
	/** Buttons of a form. */
	send: "Send",
	cancel: "Cancel",
} as const;
