/**
 * Returns the encodings in which a secret may appear in other text, including the secret itself. `wrappedEncodings`
 * returns the encodings that tools break into lines.
 */
export function encodings(secret: string): string[] {
	const text = secret.toWellFormed();
	const bytes = Buffer.from(text);
	const hex = bytes.toString("hex");
	const percent = encodeURIComponent(text);
	const json = inJson(text);
	return [
		secret,
		json,
		// JSON text inside JSON text, for example in the arguments of a tool with a JSON parameter.
		inJson(json),
		bytes.toString("base64"),
		bytes.toString("base64url"),
		...embeddedBase64(bytes),
		hex,
		hex.toUpperCase(),
		percent,
		percent.replaceAll(/%../g, (escaped) => escaped.toLowerCase()),
		// A URL parameter inside a URL parameter.
		encodeURIComponent(percent),
		// Form encoding: a space becomes a plus, and more characters are escaped.
		new URLSearchParams({ "": text }).toString().slice(1),
	];
}

function inJson(text: string): string {
	return JSON.stringify(text).slice(1, -1);
}

/**
 * Minimum characters of a value for which line breaks within the value are recognised. A shorter value would match too
 * much text.
 */
const leastWrapped = 16;

/**
 * Returns the base64 and hexadecimal encodings of a secret, because tools break these encodings into lines. For
 * example, `base64` breaks lines after 76 characters, and `xxd` after 60. Omits encodings with fewer than
 * `leastWrapped` characters.
 */
export function wrappedEncodings(secret: string): string[] {
	const bytes = Buffer.from(secret.toWellFormed());
	const hex = bytes.toString("hex");
	return [...embeddedBase64(bytes), hex, hex.toUpperCase()].filter(({ length }) => length >= leastWrapped);
}

/** Returns the source of a pattern for the text with an optional line break after each character. */
export function wrappedSource(text: string): string {
	return [...text].map((character) => RegExp.escape(character)).join("(?:\\r?\\n)?");
}

/**
 * Removes the line breaks in a text. Also removes a `\r` at the end, because the following text may begin with `
 * `.
 */
export function unwrap(text: string): string {
	return text.replaceAll(/\r?\n|\r$/g, "");
}

/**
 * Returns the end of a value at the start of the text. The value may contain line breaks. Returns Infinity if the text
 * ends within the value, and undefined if the text begins with another value.
 */
export function endOfWrapped(text: string, value: string): number | undefined {
	let at = 0;
	for (const character of value) {
		if (at > 0 && text.startsWith("\r\n", at)) at += 2;
		else if (at > 0 && text[at] === "\n") at++;
		if (at === text.length || (at > 0 && text[at] === "\r" && at === text.length - 1))
			return Number.POSITIVE_INFINITY;
		if (text[at] !== character) return undefined;
		at++;
	}
	return at;
}

/**
 * Returns the base64 characters that depend only on the secret, for both alphabets and for three offsets. In the base64
 * of a longer text, as in `Authorization: Basic`, the secret has one of these offsets.
 */
function embeddedBase64(bytes: Buffer): string[] {
	return [0, 1, 2].flatMap((offset) => {
		const bits = 8 * (offset + bytes.length);
		const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
		const [from, to] = [Math.ceil((8 * offset) / 6), Math.floor(bits / 6)];
		return [padded.toString("base64").slice(from, to), padded.toString("base64url").slice(from, to)];
	});
}

/** Text that replaces a secret. */
export const REPLACEMENT = "[redacted]";

/**
 * Patterns of credentials that have no maximum length. The last repetition in each pattern matches the credential to
 * its end.
 */
const endless = [
	// Slack: https://docs.slack.dev/authentication/tokens
	/xox[abeprs](?:\.xox[bp])?-[\w-]{8,}/,
	/xapp-[\w-]{8,}/,
	/sk-ant-[\w-]{8,}/,
	// GitHub: https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
	/gh[pousr]_[A-Za-z0-9]{16,}/,
	/github_pat_\w{16,}/,
	/(?<![\w-])eyJ[\w-]{5,}\.eyJ[\w-]{5,}\.[\w-]*(?:\.[\w-]+)*/,
	// Tokens of the gateway.
	/gw_[\w-]{16,}/,
];

/**
 * Patterns of credentials that are not registered. Each pattern runs in linear time, because each repetition is bounded
 * or cannot start again inside text that it has just matched.
 */
export const shapes: readonly RegExp[] = [
	...endless.map(({ source }) => new RegExp(source, "g")),
	// AWS access key ids: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
	/A(?:KIA|SIA)[0-9A-Z]{16}/g,
	// Discord bot tokens: user id, time and signature, each base64url.
	/(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}/g,
	// Private keys, even if the end is cut off or the line breaks are escaped (RFC 7468).
	/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\w+/=\s\\:,]|-(?!----))*(?:-----END [A-Z0-9 ]{0,60}-----)?/g,
];

/** Pattern of a JSON Web Token that is cut before its second dot. */
const beginningOfJwt = /(?<![\w-])eyJ[\w-]{5,}(?:\.(?:ey?|eyJ[\w-]*)?)?/;
/** Pattern of a complete or cut credential without a maximum length, at the end of the text. */
export const cutShape = new RegExp(
	`(?:${[...endless, beginningOfJwt].map(({ source }) => source).join("|")})$`,
);
/**
 * Maximum characters of a credential with a maximum length. Also the maximum characters of a credential's beginning
 * that `cutShape` does not match.
 */
export const longestShape = 100;

/**
 * Sources of patterns for the first characters of each shape. A stream delays text that begins with such characters.
 */
export const openings = [
	"xox[abeprs]",
	"xapp",
	"sk-a",
	"gh[pousr]_",
	"gith",
	"AKIA",
	"ASIA",
	"eyJ[\\w-]",
	"gw_[\\w-]",
	"-----B",
	"[MNO][\\w-]{11}",
];
/** Maximum characters that a pattern in `openings` matches. */
export const openingLength = 12;
