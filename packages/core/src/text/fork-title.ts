/** The end of the title of a fork, with its number from the second on. */
const ending = / \(fork(?: (\d{1,6}))?\)$/u;

/** Title of a fork: that of the other session with "(fork)", or with the next number. "" for a session without a title. */
export function forkTitle(title: string): string {
	if (title === "") return "";
	const number = ending.exec(title);
	if (!number) return `${title} (fork)`;
	return `${title.slice(0, number.index)} (fork ${Number(number[1] ?? 1) + 1})`;
}
