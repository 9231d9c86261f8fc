/**
 * Text that marked the cards of tasks, questions of tasks, and grants in earlier versions. It is no longer
 * shown, and is only used to find these cards.
 */
export function earlierMarker(thing: "task" | "question" | "grant", id: string): string {
	return `${thing} id ${id.slice(-6)}`;
}

/**
 * Start of the cards of questions in earlier versions. It is no longer shown, and is only used to find these
 * cards.
 */
export function earlierTitle(kind: string, token: string): string {
	const title = kind === "approval" ? "Approval" : kind === "grant" ? "Trust request" : "Question";
	return `${title} ${token.slice(-6)}`;
}

/** Start of reminders in earlier versions. It is only used to find these reminders. */
export function earlierReminder(token: string, number: number): string {
	return `Reminder ${number} for ${token.slice(-6)}`;
}
