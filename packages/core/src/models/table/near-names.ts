/** How much of what was written must be found in a name: at least the half of its pairs of letters. */
const enough = 0.5;

/**
 * The names that somebody may have meant, at most three, the likeliest first and otherwise in the given order: parts of
 * names find their wholes, and a typing error or two do no harm.
 */
export function nearNames(word: string, names: readonly string[]): string[] {
	const wanted = pairsOf(word);
	return names
		.map((name) => ({ name, likeness: wanted.intersection(pairsOf(name)).size / wanted.size }))
		.filter(({ likeness }) => likeness >= enough)
		.sort((a, b) => b.likeness - a.likeness)
		.slice(0, 3)
		.map(({ name }) => name);
}

function pairsOf(text: string): ReadonlySet<string> {
	const plain = text
		.slice(0, 200)
		.toLowerCase()
		.replaceAll(/[\s._/]+/g, "-");
	return new Set(Array.from(plain).map((letter, at, letters) => letter + (letters[at + 1] ?? "")));
}
