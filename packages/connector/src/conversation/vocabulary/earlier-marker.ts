/**
 * Returns the text that marked the card of a task, a question of a task, or a grant in earlier versions. The text is
 * no longer shown, and is only used to find these cards.
 */
export function earlierMarker(thing: "task" | "question" | "grant", id: string): string {
	return `${thing} id ${id.slice(-6)}`;
}

/**
 * Returns the start of the card of a question in earlier versions. The text is no longer shown, and is only used to
 * find these cards.
 */
export function earlierTitle(kind: string, token: string): string {
	const title = kind === "approval" ? "Approval" : kind === "grant" ? "Trust request" : "Question";
	return `${title} ${token.slice(-6)}`;
}

/** Returns the start of a reminder in earlier versions. The text is only used to find these reminders. */
export function earlierReminder(token: string, number: number): string {
	return `Reminder ${number} for ${token.slice(-6)}`;
}
