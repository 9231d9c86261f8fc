/** Adjacent cells of a row with the same style. */
export interface Span {
	readonly column: number;
	text: string;
	/** Index of the terminal color. Undefined for the default color. */
	readonly color: number | undefined;
	readonly isBold: boolean;
	readonly isDim: boolean;
}

export interface Frame {
	/** Display time in seconds. */
	readonly seconds: number;
	readonly rows: readonly (readonly Span[])[];
}

export interface Recording {
	/** Description for screen readers. */
	readonly title: string;
	readonly columns: number;
	readonly rows: number;
	readonly frames: readonly Frame[];
}

/** Sizes in pixels. */
const [cellWidth, cellHeight, padding] = [8.4, 18, 14];
const foreground = "#d4d4d4";
const palette = ["#808080", "#f48771", "#89d185", "#e5c07b", "#75beff", "#c586c0", "#56b6c2", "#d4d4d4"];

/** Returns a recording as an animated SVG. For readers who prefer reduced motion, the SVG shows only the last frame. */
export function animation({ title, columns, rows, frames }: Recording): string {
	const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
	const [width, height] = [columns * cellWidth + 2 * padding, rows * cellHeight + 2 * padding];
	let start = 0;
	const groups = frames.map(({ seconds, rows }, index) => {
		const [from, to] = [start / total, (start + seconds) / total].map((share) => (100 * share).toFixed(2));
		start += seconds;
		const style =
			`@keyframes f${index}{0%{opacity:0}${from}%{opacity:1}${to}%{opacity:0}}` +
			`.f${index}{opacity:0;animation:f${index} ${total.toFixed(2)}s step-end infinite}`;
		return { style, group: `<g class="f${index}">\n${rows.flatMap(rowText).join("\n")}\n</g>` };
	});
	const last = frames.length - 1;
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
		`<title>${escaped(title)}</title>`,
		"<style>",
		`text{font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${foreground};white-space:pre}`,
		...groups.map(({ style }) => style),
		`@media (prefers-reduced-motion:reduce){g[class]{animation:none}g.f${last}{opacity:1}}`,
		"</style>",
		`<rect width="100%" height="100%" rx="8" fill="#1e1e1e"/>`,
		...groups.map(({ group }) => group),
		"</svg>",
		"",
	].join("\n");
}

function rowText(spans: readonly Span[], row: number): string[] {
	const y = padding + (row + 0.75) * cellHeight;
	return spans.map(({ column, text, color, isBold, isDim }) => {
		const shown = text.trim();
		const first = column + text.length - text.trimStart().length;
		const attributes = [
			`x="${(padding + first * cellWidth).toFixed(1)}"`,
			`y="${y.toFixed(1)}"`,
			`textLength="${(shown.length * cellWidth).toFixed(1)}"`,
			...(color === undefined ? [] : [`style="fill:${palette[color % 8]}"`]),
			...(isBold ? ['font-weight="bold"'] : []),
			...(isDim ? ['opacity="0.65"'] : []),
		];
		return `<text ${attributes.join(" ")}>${escaped(shown)}</text>`;
	});
}

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
