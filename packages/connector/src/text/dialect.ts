import type { Block } from "./document.ts";

/**
 * How one platform writes text, and how it counts it. Whatever a text node holds must come out as that text: nothing in
 * it may format, link or ping anybody.
 */
export interface Dialect {
	/** Blocks as the platform wants them. Longer blocks must not be written shorter. */
	write(blocks: readonly Block[]): string;
	/** Puts a written line in small print, where the platform has that. */
	readonly small?: (written: string) => string;
	/** How long the platform takes `written` to be, in the unit of its limits; of two texts in a row, the sum. */
	measure(written: string): number;
	/** The widest table, in columns of a fixed-width font, that stays a table; wider ones become lists. */
	readonly tableColumns: number;
}
