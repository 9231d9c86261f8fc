/** Text styles. Without colours, each style returns the text unchanged. */
export interface Styles {
	bold(text: string): string;
	italic(text: string): string;
	underline(text: string): string;
	strike(text: string): string;
	dim(text: string): string;
	red(text: string): string;
	green(text: string): string;
	yellow(text: string): string;
	blue(text: string): string;
	magenta(text: string): string;
	cyan(text: string): string;
}

/** Whether the styles add escape sequences. */
export function hasColours({ bold }: Styles): boolean {
	return bold(" ") !== " ";
}

export interface OutputFormat {
	/** Width in columns. Infinity if rows are not wrapped. */
	readonly columns: number;
	readonly styles: Styles;
}

export function createStyles(coloured: boolean): Styles {
	const style =
		(on: number, off: number) =>
		(text: string): string =>
			coloured && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
	return {
		bold: style(1, 22),
		italic: style(3, 23),
		underline: style(4, 24),
		strike: style(9, 29),
		dim: style(2, 22),
		red: style(31, 39),
		green: style(32, 39),
		yellow: style(33, 39),
		blue: style(34, 39),
		magenta: style(35, 39),
		cyan: style(36, 39),
	};
}

/** Whether to use colours: at a terminal that supports escape sequences, and without NO_COLOR: https://no-color.org */
export function usesColours(
	stream: { readonly isTTY?: boolean | undefined },
	environment: NodeJS.ProcessEnv,
): boolean {
	return stream.isTTY === true && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
}
