/**
 * Maximum characters (UTF-16 units) and lines of one tool result for the model. Also the maximum size of a page that
 * `read_file` returns.
 */
export const outputLimits = { characters: 30_000, lines: 2_000 } as const;

/** Maximum characters of the marker for the missing part. */
const markerRoom = 500;

/** Describes the missing part in one line of at most 500 characters. */
export type DescribeGap = (missing: { readonly characters: number; readonly lines: number }) => string;

export function fitsOutput(text: string, characters: number = outputLimits.characters): boolean {
	return text.length <= characters && indexAfterLines(text, outputLimits.lines) === text.length;
}

/**
 * Returns a text within the limits: the head and the tail of `text`, with a marker line between them. Returns `text`
 * unchanged if it fits. Cuts at the end of a line if a line ends near the limit, and never inside a character.
 */
export function shortenOutput(
	text: string,
	describe: DescribeGap,
	characters: number = outputLimits.characters,
): string {
	if (fitsOutput(text, characters)) return text;
	const half = Math.floor((characters - markerRoom) / 2);
	// The marker is one line. A cut within a line adds a second line.
	const lines = outputLimits.lines / 2 - 1;
	const head = headOf(text, half, lines);
	const tail = tailOf(text.slice(head.length), half, lines);
	const gap = text.slice(head.length, text.length - tail.length);
	const marker = describe({ characters: gap.length, lines: countLines(gap) }).slice(0, markerRoom - 2);
	return `${head}${head.endsWith("\n") || head === "" ? "" : "\n"}${marker}\n${tail}`;
}

function headOf(text: string, characters: number, lines: number): string {
	const cut = text.slice(0, Math.min(characters, indexAfterLines(text, lines)));
	const line = cut.lastIndexOf("\n") + 1;
	if (line > cut.length / 2) return cut.slice(0, line);
	return isHighSurrogate(cut, cut.length - 1) ? cut.slice(0, -1) : cut;
}

function tailOf(text: string, characters: number, lines: number): string {
	const cut = text.slice(Math.max(text.length - characters, indexBeforeLines(text, lines)));
	const line = cut.indexOf("\n") + 1;
	if (line > 0 && line < cut.length / 2) return cut.slice(line);
	return isHighSurrogate(text, text.length - cut.length - 1) ? cut.slice(1) : cut;
}

function indexAfterLines(text: string, lines: number): number {
	let at = 0;
	for (let count = 0; count < lines; count += 1) {
		const end = text.indexOf("\n", at);
		if (end === -1) return text.length;
		at = end + 1;
	}
	return at;
}

/**
 * Returns the index at which the last `lines` lines of the text begin. Returns 0 if the text has at most `lines` lines.
 */
function indexBeforeLines(text: string, lines: number): number {
	let at = text.endsWith("\n") ? text.length - 1 : text.length;
	for (let count = 0; count < lines; count += 1) {
		at = at === 0 ? -1 : text.lastIndexOf("\n", at - 1);
		if (at === -1) return 0;
	}
	return at + 1;
}

function countLines(text: string): number {
	let count = text === "" || text.endsWith("\n") ? 0 : 1;
	for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
	return count;
}

/** Whether a character of two UTF-16 units starts here: https://www.unicode.org/glossary/#high_surrogate_code_unit */
function isHighSurrogate(text: string, index: number): boolean {
	const unit = text.charCodeAt(index);
	return unit >= 0xd800 && unit <= 0xdbff;
}
