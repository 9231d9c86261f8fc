import { defined } from "./defined.ts";
import {
	type Gate,
	longestBeginning,
	longestWrappedStart,
	type RedactedStream,
	redactedStream,
} from "./redacted-stream.ts";
import {
	encodings,
	endOfWrapped,
	openingLength,
	openings,
	REPLACEMENT,
	shapes,
	wrappedEncodings,
	wrappedSource,
} from "./redactor-patterns.ts";

/**
 * Minimum characters of a registered value. A shorter value is ignored, because ordinary words could contain the value.
 */
const MIN_LENGTH = 4;
/** Minimum characters of a registered value's beginning for which the beginning is removed at the end of a text. */
const MIN_CUT = 6;

/** Redactor of one sink. Removes secrets from a complete text, from fields, or from a text that arrives in pieces. */
export interface TextRedactor {
	redact(text: string): string;
	redactFields(value: unknown): unknown;
	stream(): RedactedStream;
}

/**
 * Redactor of text that leaves the process. Removes registered values in common encodings, and text with the shape of a
 * known kind of credential.
 */
export class Redactor {
	/** Callback with the name of a sink. Called when a secret was removed from a text for the sink. */
	onHit: (sink: string) => void = () => undefined;
	readonly #secrets = new Set<string>();
	/** All encodings of the registered secrets. `#wrapped`: the encodings in which a text may contain line breaks. */
	readonly #values = new Set<string>();
	readonly #wrapped = new Set<string>();
	#pattern: RegExp | undefined;
	/**
	 * Pattern of the starts of the values in `#wrapped`. The pattern does not contain the complete values, because its
	 * compilation would take up to a second.
	 */
	#wrappedStarts: RegExp | undefined;
	#gate: Gate = gateOf([], new Set());

	/**
	 * Registers a secret. Ignores a secret of fewer than four characters, because ordinary words could contain the
	 * secret.
	 */
	add(secret: string): void {
		if (secret.length < MIN_LENGTH || this.#secrets.has(secret)) return;
		this.#secrets.add(secret);
		this.#register(secret);
		this.#compile();
	}

	/** Removes a secret from the registered secrets, for example because the secret is no longer valid. */
	remove(secret: string): void {
		if (!this.#secrets.delete(secret)) return;
		this.#values.clear();
		this.#wrapped.clear();
		for (const one of this.#secrets) this.#register(one);
		this.#compile();
	}

	#register(secret: string): void {
		for (const value of encodings(secret)) {
			if (value.length >= MIN_LENGTH) this.#values.add(value);
		}
		for (const value of wrappedEncodings(secret)) this.#wrapped.add(value);
	}

	#compile(): void {
		const longestFirst = [...this.#values].sort((a, b) => b.length - a.length);
		const sources = longestFirst.map((value) => RegExp.escape(value));
		this.#pattern = sources.length === 0 ? undefined : new RegExp(sources.join("|"), "g");
		const starts = new Set([...this.#wrapped].map((value) => wrappedSource(startOf(value))));
		this.#wrappedStarts = starts.size === 0 ? undefined : new RegExp([...starts].join("|"), "g");
		this.#gate = gateOf(longestFirst, this.#wrapped);
	}

	/** Creates a stream that redacts one text in pieces, including split secrets. */
	stream(): RedactedStream {
		return this.#stream((text) => this.redact(text));
	}

	/** Replaces each secret with `[redacted]`. */
	redact(text: string): string {
		let clean = this.redactKnown(text);
		for (const shape of shapes) clean = clean.replaceAll(shape, REPLACEMENT);
		return clean;
	}

	/**
	 * Removes only registered values. Text that only has the shape of a credential is preserved. Used for text from
	 * users.
	 */
	redactKnown(text: string): string {
		const clean = this.#pattern === undefined ? text : text.replaceAll(this.#pattern, REPLACEMENT);
		if (this.#wrappedStarts === undefined || !clean.includes("\n")) return clean;
		return this.#redactWrapped(clean, this.#wrappedStarts);
	}

	/** Redacts registered values that contain line breaks in `text`. `starts` must be a global pattern. */
	#redactWrapped(text: string, starts: RegExp): string {
		const secrets: string[] = [];
		let from = 0;
		starts.lastIndex = 0;
		for (let found = starts.exec(text); found !== null; found = starts.exec(text)) {
			const rest = text.slice(found.index);
			const end = [...this.#wrapped].map((value) => endOfWrapped(rest, value)).find(Number.isFinite);
			if (end === undefined) {
				starts.lastIndex = found.index + 1;
				continue;
			}
			secrets.push(text.slice(from, found.index));
			from = found.index + end;
			starts.lastIndex = from;
		}
		return [...secrets, text.slice(from)].join(REPLACEMENT);
	}

	/**
	 * Returns a copy with every string and key redacted. Errors become plain objects. Dates, URLs and bigints
	 * become strings. Cycles, other class instances, functions, symbols and objects nested deeper than 64
	 * levels become a note in brackets.
	 */
	redactFields(value: unknown): unknown {
		return redactFields(value, (text) => this.redact(text));
	}

	/**
	 * Returns a view of this redactor for the sink with the name `sink`. The view reports removed secrets to `onHit`
	 * with the name of the sink.
	 */
	into(sink: string): TextRedactor {
		const redact = (text: string): string => {
			const clean = this.redact(text);
			if (clean !== text) this.onHit(sink);
			return clean;
		};
		return {
			redact,
			redactFields: (value) => redactFields(value, redact),
			stream: () => this.#stream(redact),
		};
	}

	#stream(redact: (text: string) => string): RedactedStream {
		return redactedStream(this.#gate, { redact, redactCut: (text) => this.#redactCut(redact(text)) });
	}

	/**
	 * Redacts the longest beginning of a registered value at the end of `text`, if the beginning has at least `MIN_CUT`
	 * characters.
	 */
	#redactCut(text: string): string {
		let cut = 0;
		for (const value of this.#values) {
			for (let length = Math.min(value.length, text.length); length >= MIN_CUT && length > cut; length--) {
				if (text.endsWith(value.slice(0, length))) cut = length;
			}
		}
		return cut === 0 ? text : text.slice(0, -cut) + REPLACEMENT;
	}
}

/**
 * Creates the gate for registered values. `values` must be sorted by length, longest first. If a value is in `wrapped`,
 * the text may contain line breaks within the value.
 */
function gateOf(values: readonly string[], wrapped: ReadonlySet<string>): Gate {
	// The opening of a shape, such as `gw_`, is not a secret. If openings were delayed, each text that ends with the
	// first letter of an opening would be delayed.
	const unshaped = values.filter((value) => !opening.test(value)).map(startOf);
	const beginnings = unshaped.flatMap((start) =>
		Array.from({ length: longestBeginning }, (_, index) => start.slice(0, index + 1)),
	);
	const inLine = anyOf([...openings, ...values.map((value) => RegExp.escape(startOf(value)))]);
	const inLines = anyOf([
		...openings,
		...values.map((value) => (wrapped.has(value) ? wrappedSource : RegExp.escape)(startOf(value))),
	]);
	const byStart = Map.groupBy(values, startOf);
	return {
		find: (text) => (text.includes("\n") ? inLines : inLine).exec(text)?.index,
		length: openingLength,
		beginnings: new Set(beginnings),
		endOfValue: (text, at) => {
			const isWrapped = /[\r\n]/.test(text.slice(at, at + longestWrappedStart));
			const isCut = text.length - at <= longestBeginning;
			const known = isCut || isWrapped ? values : byStart.get(text.slice(at, at + longestBeginning + 1));
			if (known === undefined) return undefined;
			const rest = text.slice(at);
			for (const value of known) {
				const end = wrapped.has(value) ? endOfWrapped(rest, value) : endOf(rest, value);
				if (end !== undefined) return at + end;
			}
			return undefined;
		},
	};
}

function anyOf(sources: readonly string[]): RegExp {
	return new RegExp([...new Set(sources)].join("|"));
}

/**
 * Returns the end of a value at the start of the text. Returns Infinity if the text ends within the value, and
 * undefined if the text begins with another value.
 */
function endOf(text: string, value: string): number | undefined {
	if (text.startsWith(value)) return value.length;
	return value.startsWith(text) ? Number.POSITIVE_INFINITY : undefined;
}

/** Pattern of the opening of a shape at the start of a value. */
const opening = new RegExp(`^(?:${openings.join("|")})`);

function startOf(value: string): string {
	return value.slice(0, longestBeginning + 1);
}

/** Maximum levels of nested objects, as in `parseJson`. */
const MAX_DEPTH = 64;

function redactFields(value: unknown, redact: (text: string) => string): unknown {
	return copy(value, [], redact);
}

function copy(value: unknown, ancestors: readonly object[], redact: (text: string) => string): unknown {
	if (typeof value === "string") return redact(value);
	if (typeof value === "bigint") return String(value);
	if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
	if (typeof value !== "object" || value === null) return value;
	if (ancestors.includes(value)) return "[circular]";
	if (ancestors.length >= MAX_DEPTH) return "[too deep]";
	const path = [...ancestors, value];
	const inner = (item: unknown): unknown => copy(item, path, redact);
	const entries = (of: object): object =>
		Object.fromEntries(Object.entries(of).map(([key, item]) => [redact(key), inner(item)]));
	if (Array.isArray(value)) return value.map(inner);
	if (value instanceof Error) return entries(errorFields(value));
	if (value instanceof Date || value instanceof URL) return inner(value.toJSON());
	if (!isPlain(value)) return `[${value.constructor?.name ?? "object"}]`;
	return entries(value);
}

function errorFields(error: Error): object {
	const { name, message, stack, cause } = error;
	return {
		type: name,
		message,
		...defined({ code: "code" in error ? error.code : undefined }),
		stack,
		...defined({ cause, errors: error instanceof AggregateError ? error.errors : undefined }),
	};
}

function isPlain(value: object): boolean {
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}
