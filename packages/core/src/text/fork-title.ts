/** Pattern of the end of a fork's title. From the second fork on, the end contains a number. */
const ending = / \(fork(?: (\d{1,6}))?\)$/u;

/**
 * Returns the title of a fork: the title of the original session with "(fork)" or the next number. Returns "" if the original
 * session has no title.
 */
export function forkTitle(title: string): string {
	if (title === "") return "";
	const number = ending.exec(title);
	if (!number) return `${title} (fork)`;
	return `${title.slice(0, number.index)} (fork ${Number(number[1] ?? 1) + 1})`;
}
