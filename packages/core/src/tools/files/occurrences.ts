/**
 * Where `part` begins in `text`, overlapping places included. Takes time in proportion to both, whatever they hold
 * (the algorithm of Knuth, Morris and Pratt): `indexOf` needs seconds for texts made to be slow. `part` is not empty.
 */
export function occurrences(text: string, part: string): number[] {
	const borders = bordersOf(part);
	const found: number[] = [];
	let matched = 0;
	for (let at = 0; at < text.length; at += 1) {
		const unit = text.charCodeAt(at);
		while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
		if (part.charCodeAt(matched) === unit) matched += 1;
		if (matched < part.length) continue;
		found.push(at - part.length + 1);
		matched = borders[matched - 1] ?? 0;
	}
	return found;
}

/** For every beginning of `part`: how long its longest end is that is also a beginning. */
function bordersOf(part: string): Uint32Array {
	const borders = new Uint32Array(part.length);
	let length = 0;
	for (let at = 1; at < part.length; at += 1) {
		const unit = part.charCodeAt(at);
		while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0;
		if (part.charCodeAt(length) === unit) length += 1;
		borders[at] = length;
	}
	return borders;
}
