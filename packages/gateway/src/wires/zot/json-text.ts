const separators = /[\u2028\u2029]/g;

/** JSON leaves two line ends of Unicode as they are, and there are readers that end lines at them: readline of Node.js. */
export function encodeJson(value: unknown): string {
	const json = JSON.stringify(value);
	if (!json.includes("\u2028") && !json.includes("\u2029")) return json;
	return json.replace(separators, (end) => (end === "\u2028" ? "\\u2028" : "\\u2029"));
}

/** Bytes that a value takes on the wire. */
export function jsonBytes(value: unknown): number {
	return Buffer.byteLength(encodeJson(value));
}
