/** Lines from the first on, as many as fit within both bounds. Bytes are of UTF-8, with the ends of lines. */
export function boundedLines(
	lines: readonly string[],
	{ count, bytes }: { readonly count: number; readonly bytes: number },
): string[] {
	const kept: string[] = [];
	let left = bytes;
	for (const line of lines.slice(0, count)) {
		left -= Buffer.byteLength(line) + 1;
		if (left < 0) break;
		kept.push(line);
	}
	return kept;
}
