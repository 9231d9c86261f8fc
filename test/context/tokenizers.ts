import type { Tokenizer } from "../simulators/anthropic/tokenizer.ts";

/** Returns a high count: one token per two bytes of UTF-8. */
export const bytePairs: Tokenizer = (text) => Math.ceil(Buffer.byteLength(text) / 2);

/** Returns a low count: one token per six ASCII characters or per two other characters. */
export const sixths: Tokenizer = (text) => {
	const others = text.replaceAll(/[ -~\s]/g, "").length;
	return Math.ceil((text.length - others) / 6 + others / 2);
};
