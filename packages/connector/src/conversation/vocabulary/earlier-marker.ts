/**
 * Returns the text with which earlier versions of Parley marked the card of a task, of a task's question, or of a
 * grant. The text is no longer shown, and is only used to find such a card.
 */
export function earlierMarker(thing: "task" | "question" | "grant", id: string): string {
	return `${thing} id ${id.slice(-6)}`;
}

/**
 * Returns the first text of a question's card in earlier versions of Parley. The text is no longer shown, and is
 * only used to find such a card.
 */
export function earlierTitle(kind: string, token: string): string {
	const title = kind === "approval" ? "Approval" : kind === "grant" ? "Trust request" : "Question";
	return `${title} ${token.slice(-6)}`;
}

/**
 * Returns the first text of a reminder in earlier versions of Parley. The text is only used to find such a
 * reminder.
 */
export function earlierReminder(token: string, number: number): string {
	return `Reminder ${number} for ${token.slice(-6)}`;
}
