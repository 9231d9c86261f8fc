import { parseJson } from "@parley/base";

/**
 * Rewrites the escapes of JSON text as `JSON.stringify` writes them, piece by piece. A model may escape any character, and
 * a redactor would not find a secret in such a spelling. Text that is not JSON passes unchanged.
 */
export class PlainJsonText {
	/** The beginning of an escape that may go on. */
	#held = "";

	push(piece: string): string {
		const text = this.#held + piece;
		this.#held = "";
		if (!text.includes("\\")) return text;
		return text.replaceAll(escapes, (written, at: number) => {
			if (at + written.length < text.length || isWhole(written)) return plain(written);
			this.#held = written;
			return "";
		});
	}

	/** Returns the rest at the end of the text. */
	end(): string {
		const held = this.#held;
		this.#held = "";
		return held;
	}
}

const open = String.raw`\\(?:u[\da-fA-F]{0,3})?$`;
const firstHalf = String.raw`\\u[dD][89abAB][\da-fA-F]{2}`;
const secondHalf = String.raw`\\u[dD][c-fC-F][\da-fA-F]{2}`;

/** Escapes of RFC 8259, section 7; two that are one character count as one. At the end of the text also a part of one. */
const escapes = new RegExp(
	String.raw`${firstHalf}(?:${secondHalf}|${open})?|\\u[\da-fA-F]{4}|\\[^u]|${open}`,
	"g",
);
const onlyFirstHalf = new RegExp(`^${firstHalf}$`);

function isWhole(written: string): boolean {
	if (written.length === 2) return written !== "\\u";
	return written.length === 12 || (written.length === 6 && !onlyFirstHalf.test(written));
}

function plain(written: string): string {
	try {
		return JSON.stringify(parseJson(`"${written}"`)).slice(1, -1);
	} catch {
		// Not an escape of JSON: the arguments are refused when they are whole.
		return written;
	}
}
