import type { Block } from "./document.ts";

/**
 * Syntax and length of text on one platform. Written text nodes must be literal, without formatting, links or
 * notifications.
 */
export interface Dialect {
	/** Writes blocks for the platform. More content must never give a shorter result. */
	write(blocks: readonly Block[]): string;
	/** Wraps a written line as small print. Absent if the platform has no small print. */
	readonly small?: (written: string) => string;
	/**
	 * Returns the length of `written` in the unit of the platform's limits. The length of two joined texts is the sum
	 * of their lengths.
	 */
	measure(written: string): number;
	/** Maximum width of a table in columns of a fixed-width font. Wider tables become lists. */
	readonly tableColumns: number;
}
