/** The ways in which a secret stands in other text; of those that tools break into lines see `wrapped`. */
export function encodings(secret: string): string[] {
	const text = secret.toWellFormed();
	const bytes = Buffer.from(text);
	const hex = bytes.toString("hex");
	const percent = encodeURIComponent(text);
	const json = inJson(text);
	return [
		secret,
		json,
		// A text of JSON inside a text of JSON, as in arguments of a tool that takes JSON.
		inJson(json),
		bytes.toString("base64"),
		bytes.toString("base64url"),
		...embeddedBase64(bytes),
		hex,
		hex.toUpperCase(),
		percent,
		percent.replaceAll(/%../g, (escaped) => escaped.toLowerCase()),
		// An address inside an address.
		encodeURIComponent(percent),
		// Form encoding: a space is a plus, and more characters are escaped.
		new URLSearchParams({ "": text }).toString().slice(1),
	];
}

function inJson(text: string): string {
	return JSON.stringify(text).slice(1, -1);
}

/** Shorter ones are not broken into lines by any tool, and too much would fit them. Characters. */
const leastWrapped = 16;

/** Patterns of the encodings that tools break into lines, at whatever place: `base64` after 76 characters, `xxd` after 60. */
export function wrapped(secret: string): string[] {
	const bytes = Buffer.from(secret.toWellFormed());
	const hex = bytes.toString("hex");
	return [...embeddedBase64(bytes), hex, hex.toUpperCase()]
		.filter(({ length }) => length >= leastWrapped)
		.map((text) => [...text].map((character) => RegExp.escape(character)).join("(?:\\r?\\n)?"));
}

/**
 * Base64 of a longer text that holds the secret, as in `Authorization: Basic`, has the secret at one of three offsets.
 * These are the characters that the secret alone decides, in both alphabets.
 */
function embeddedBase64(bytes: Buffer): string[] {
	return [0, 1, 2].flatMap((offset) => {
		const bits = 8 * (offset + bytes.length);
		const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
		const [from, to] = [Math.ceil((8 * offset) / 6), Math.floor(bits / 6)];
		return [padded.toString("base64").slice(from, to), padded.toString("base64url").slice(from, to)];
	});
}
