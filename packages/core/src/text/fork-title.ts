/** Pattern of the suffix of a fork's title: ` (fork)`, or ` (fork 2)` for a fork of a fork. */
const ending = / \(fork(?: (\d{1,6}))?\)$/u;

/**
 * Returns the title of a fork. `title` is the title of the original session. Adds ` (fork)`, or increases the number if
 * the original session is a fork itself. Returns "" if the original session has no title.
 */
export function forkTitle(title: string): string {
	if (title === "") return "";
	const number = ending.exec(title);
	if (!number) return `${title} (fork)`;
	return `${title.slice(0, number.index)} (fork ${Number(number[1] ?? 1) + 1})`;
}
