/**
 * Joins pieces of text in which a server has cut a character in two. Strict readers refuse a line with half a character
 * in it. A half without its other half becomes U+FFFD.
 */
export class WholeCharacters {
	#half = "";

	/** Returns the text so far without a last half character. */
	push(piece: string): string {
		const text = this.#half + piece;
		const isCut = isFirstHalf(text.charCodeAt(text.length - 1));
		this.#half = isCut ? text.slice(-1) : "";
		return (isCut ? text.slice(0, -1) : text).toWellFormed();
	}

	/** Returns the rest at the end of the text: U+FFFD for a half character, else "". */
	end(): string {
		const half = this.#half;
		this.#half = "";
		return half.toWellFormed();
	}
}

/** Of a character that takes two code units: https://www.unicode.org/glossary/#high_surrogate_code_unit */
function isFirstHalf(codeUnit: number): boolean {
	return codeUnit >= 0xd800 && codeUnit <= 0xdbff;
}
