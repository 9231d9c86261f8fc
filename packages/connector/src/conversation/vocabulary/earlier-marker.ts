/**
 * Text by which earlier versions marked the cards of tasks, questions of tasks, and grants. It is no longer shown, and only
 * finds their posts.
 */
export function earlierMarker(thing: "task" | "question" | "grant", id: string): string {
	return `${thing} id ${id.slice(-6)}`;
}
