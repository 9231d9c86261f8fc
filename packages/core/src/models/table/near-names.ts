/** How much of what was written must be found in a name: at least the half of its pairs. */
const enough = 0.5;

/**
 * The names that somebody may have meant, at most three, the likeliest first and otherwise in the given order: parts of
 * names find their wholes, and a typing error or two do no harm. The words have to be alike, a number alone says nothing.
 */
export function nearNames(word: string, names: readonly string[]): string[] {
	const wanted = pairsOf(word);
	const letters = new Set([...wanted].filter((pair) => /^\p{L}{2}$/u.test(pair)));
	return names
		.map((name) => ({ name, pairs: pairsOf(name) }))
		.map(({ name, pairs }) => ({ name, likeness: share(wanted, pairs), words: share(letters, pairs) }))
		.filter(({ likeness, words }) => likeness >= enough && words >= enough)
		.sort((a, b) => b.likeness - a.likeness)
		.slice(0, 3)
		.map(({ name }) => name);
}

/** How much of the first is in the second. */
function share(wanted: ReadonlySet<string>, pairs: ReadonlySet<string>): number {
	return wanted.intersection(pairs).size / wanted.size;
}

function pairsOf(text: string): ReadonlySet<string> {
	const plain = text
		.slice(0, 200)
		.toLowerCase()
		.replaceAll(/[\s._/]+/g, "-");
	return new Set(Array.from(plain).map((letter, at, letters) => letter + (letters[at + 1] ?? "")));
}
