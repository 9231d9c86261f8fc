import { type Gate, type RedactedStream, redactedStream } from "./redacted-stream.ts";

const REPLACEMENT = "[redacted]";
/** Shorter values would blank ordinary words. */
const MIN_LENGTH = 4;
/** So much of a registered value is taken out where the text ends in the middle of it; less tells nobody anything. */
const MIN_CUT = 6;
/** As deep as guarded JSON can be. */
const MAX_DEPTH = 64;

/**
 * What credentials look like when nobody registered them. Each pattern takes linear time: repetitions are bounded, or
 * cannot start again inside what they have just consumed.
 */
const shapes: readonly RegExp[] = [
	// Slack: https://docs.slack.dev/authentication/tokens
	/xox[abeprs](?:\.xox[bp])?-[\w-]{8,}/g,
	/xapp-[\w-]{8,}/g,
	/sk-ant-[\w-]{8,}/g,
	// GitHub: https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
	/gh[pousr]_[A-Za-z0-9]{16,}/g,
	/github_pat_\w{16,}/g,
	// AWS access key ids: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
	/A(?:KIA|SIA)[0-9A-Z]{16}/g,
	// Discord bot tokens: user id, time and signature, each base64url.
	/(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}/g,
	/(?<![\w-])eyJ[\w-]{5,}\.eyJ[\w-]{5,}\.[\w-]*/g,
	// Private keys, also when the end is cut off and when the line breaks are escaped (RFC 7468).
	/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\w+/=\s\\:,]|-(?!----))*(?:-----END [A-Z0-9 ]{0,60}-----)?/g,
	// The gateway's own tokens.
	/gw_[\w-]{16,}/g,
];

/** How what has one of these shapes begins, so that a text in the making can be held back in time. */
const openings = [
	...["xox[abeprs]", "xapp", "sk-a", "gh[pousr]_", "gith", "AKIA", "ASIA", "eyJ[\\w-]", "gw_[\\w-]"],
	...["-----B", "[MNO][\\w-]{11}"],
];
/** Characters of the longest of them. */
const openingLength = 12;

/**
 * Takes secrets out of text that leaves the process: the registered values in every common encoding, and whatever has
 * the shape of a known credential.
 */
export class Redactor {
	readonly #values = new Set<string>();
	#pattern: RegExp | undefined;
	#gate: Gate = gateOf([]);

	/** Registers a secret. Values under four characters are not registered: they would blank ordinary words. */
	add(secret: string): void {
		if (secret.length < MIN_LENGTH) return;
		for (const value of encodings(secret)) {
			if (value.length >= MIN_LENGTH) this.#values.add(value);
		}
		const longestFirst = [...this.#values].sort((a, b) => b.length - a.length);
		this.#pattern = new RegExp(longestFirst.map((value) => RegExp.escape(value)).join("|"), "g");
		this.#gate = gateOf(longestFirst);
	}

	/** The same for one text that comes in pieces: a secret is found wherever it was cut. */
	stream(): RedactedStream {
		return redactedStream(this.#gate, {
			redact: (text) => this.redact(text),
			redactCut: (text) => this.#redactCut(this.redact(text)),
		});
	}

	/** Also without the beginning of a registered value that the end of the text cuts off. */
	#redactCut(text: string): string {
		let cut = 0;
		for (const value of this.#values) {
			for (let length = Math.min(value.length, text.length); length >= MIN_CUT && length > cut; length--) {
				if (text.endsWith(value.slice(0, length))) cut = length;
			}
		}
		return cut === 0 ? text : text.slice(0, -cut) + REPLACEMENT;
	}

	/** The text with `[redacted]` in place of each secret. */
	redact(text: string): string {
		let clean = this.#pattern === undefined ? text : text.replaceAll(this.#pattern, REPLACEMENT);
		for (const shape of shapes) clean = clean.replaceAll(shape, REPLACEMENT);
		return clean;
	}

	/**
	 * A copy as plain JSON values with every string and key redacted. Errors become objects of type, message, code,
	 * stack and cause; what cannot be shown (cycles, class instances, functions, depth over 64) becomes a note in brackets.
	 */
	redactFields(value: unknown): unknown {
		return this.#copy(value, []);
	}

	#copy(value: unknown, ancestors: readonly object[]): unknown {
		if (typeof value === "string") return this.redact(value);
		if (typeof value === "bigint") return String(value);
		if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
		if (typeof value !== "object" || value === null) return value;
		if (ancestors.includes(value)) return "[circular]";
		if (ancestors.length >= MAX_DEPTH) return "[too deep]";
		const path = [...ancestors, value];
		if (Array.isArray(value)) return value.map((item) => this.#copy(item, path));
		if (value instanceof Error) return this.#copyEntries(errorFields(value), path);
		if (value instanceof Date || value instanceof URL) return this.#copy(value.toJSON(), path);
		if (!isPlain(value)) return `[${value.constructor?.name ?? "object"}]`;
		return this.#copyEntries(value, path);
	}

	#copyEntries(value: object, path: readonly object[]): unknown {
		const entries = Object.entries(value).map(([key, item]) => [this.redact(key), this.#copy(item, path)]);
		return Object.fromEntries(entries);
	}
}

function gateOf(values: readonly string[]): Gate {
	const starts = new Set(values.map((value) => RegExp.escape(value.slice(0, MIN_LENGTH))));
	return {
		pattern: new RegExp([...openings, ...starts].join("|")),
		length: openingLength,
		spaced: Math.max(0, ...values.filter((value) => /\s/.test(value)).map(({ length }) => length)),
	};
}

function errorFields(error: Error): object {
	const { name, message, stack, cause } = error;
	return {
		type: name,
		message,
		...("code" in error && { code: error.code }),
		stack,
		...(cause !== undefined && { cause }),
		...(error instanceof AggregateError && { errors: error.errors }),
	};
}

function isPlain(value: object): boolean {
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}

function encodings(secret: string): string[] {
	const text = secret.toWellFormed();
	const bytes = Buffer.from(text);
	const hex = bytes.toString("hex");
	const percent = encodeURIComponent(text);
	return [
		secret,
		JSON.stringify(secret).slice(1, -1),
		bytes.toString("base64"),
		bytes.toString("base64url"),
		...embeddedBase64(bytes),
		hex,
		hex.toUpperCase(),
		percent,
		percent.replaceAll(/%../g, (escaped) => escaped.toLowerCase()),
		// Form encoding: a space is a plus, and more characters are escaped.
		new URLSearchParams({ "": text }).toString().slice(1),
	];
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
