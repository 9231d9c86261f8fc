/**
 * Returns the closest candidate, ignoring case, hyphens and underscores. Returns undefined if no candidate has an edit
 * distance of at most 2 and of less than half the candidate's length.
 */
export function findNearMiss(word: string, candidates: readonly string[]): string | undefined {
	const [best] = candidates
		.map((candidate) => ({ candidate, distance: distance(plain(word), plain(candidate)) }))
		.filter((entry) => entry.distance <= 2 && entry.distance < entry.candidate.length / 2)
		.sort((a, b) => a.distance - b.distance);
	return best?.candidate;
}

function plain(word: string): string {
	return word.toLowerCase().replaceAll(/[-_]/g, "");
}

/** Returns the Levenshtein distance. */
function distance(from: string, to: string): number {
	let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
	for (const [row, letter] of [...from].entries()) {
		const current = [row + 1];
		for (const [column, other] of [...to].entries()) {
			const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1);
			current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
		}
		previous = current;
	}
	return previous.at(-1) ?? 0;
}
