import type { Block } from "./document.ts";

/**
 * Syntax and length of text on one platform. Text nodes must be shown literally, without formatting, links or
 * notifications.
 */
export interface Dialect {
	/** Writes blocks for the platform. More content must not give a shorter result. */
	write(blocks: readonly Block[]): string;
	/** Wraps a written line as small print, if the platform supports it. */
	readonly small?: (written: string) => string;
	/** Length of `written` in the unit of the platform's limits. The length of two texts in sequence is the sum. */
	measure(written: string): number;
	/** Maximum width of a table in columns of a fixed-width font. Wider tables become lists. */
	readonly tableColumns: number;
}
