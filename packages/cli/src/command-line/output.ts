import { createStyles, type OutputFormat, usesColours } from "../text/styles.ts";
import { wrapText } from "../text/wrap.ts";
import type { Io } from "./io.ts";

const usualColumns = 80;

/** Returns the width and styles of stdout. Rows in a file or pipe are not shortened. */
export function outputFormat({ stdout, environment }: Io): OutputFormat {
	// A terminal with an unknown size reports 0 columns.
	const columns = stdout.isTTY ? stdout.columns || usualColumns : Number.POSITIVE_INFINITY;
	return { columns, styles: createStyles(usesColours(stdout, environment)) };
}

export function printRows(rows: readonly string[], { stdout }: Io): void {
	stdout.write(rows.map((row) => `${row}\n`).join(""));
}

export function printJson(value: unknown, { stdout }: Io): void {
	stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** Prints a text for the person to stderr. Wraps words to the width of the terminal. */
export function printNotice(text: string, io: Io): void {
	const { columns } = errorFormat(io);
	io.stderr.write(
		wrapText(text, columns)
			.map((row) => `${row}\n`)
			.join(""),
	);
}

/** Returns the width and styles of stderr. Rows in a file or pipe are not shortened. */
export function errorFormat({ stderr, environment }: Io): OutputFormat {
	const columns = stderr.isTTY ? stderr.columns || usualColumns : Number.POSITIVE_INFINITY;
	return { columns, styles: createStyles(usesColours(stderr, environment)) };
}
