import type { Tokenizer } from "../simulators/anthropic/tokenizer.ts";

/** Many tokens: one per two bytes of UTF-8. */
export const bytePairs: Tokenizer = (text) => Math.ceil(Buffer.byteLength(text) / 2);

/** Few tokens: one per six ASCII characters or two others. */
export const sixths: Tokenizer = (text) => {
	const others = text.replaceAll(/[ -~\s]/g, "").length;
	return Math.ceil((text.length - others) / 6 + others / 2);
};
