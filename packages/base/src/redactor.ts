import { type Gate, longestBeginning, type RedactedStream, redactedStream } from "./redacted-stream.ts";
import { encodings, wrapped } from "./redactor-encodings.ts";
import { redactFields } from "./redactor-fields.ts";
import { openingLength, openings, shapes } from "./redactor-shapes.ts";

const REPLACEMENT = "[redacted]";
/** Shorter values would blank ordinary words. */
const MIN_LENGTH = 4;
/** Minimum of characters of a registered value that are removed if the end of the text cuts the value off. */
const MIN_CUT = 6;

/** Removes secrets from a complete text, from fields, or from a text that arrives in pieces. */
export type TextRedactor = Pick<Redactor, "redact" | "redactFields" | "stream">;

/**
 * Removes secrets from text that leaves the process: registered values in every common encoding, and text with the shape of
 * a known credential.
 */
export class Redactor {
	/** Called with the name of the sink each time a secret was removed on the way into it. */
	onHit: (sink: string) => void = () => undefined;
	readonly #values = new Set<string>();
	readonly #wrapped = new Set<string>();
	#pattern: RegExp | undefined;
	/** The same values with line breaks in them, for texts with line breaks. */
	#wrappedPattern: RegExp | undefined;
	#gate: Gate = gateOf([]);

	/** Registers a secret. Values under four characters are not registered: they would blank ordinary words. */
	add(secret: string): void {
		if (secret.length < MIN_LENGTH) return;
		for (const value of encodings(secret)) {
			if (value.length >= MIN_LENGTH) this.#values.add(value);
		}
		for (const pattern of wrapped(secret)) this.#wrapped.add(pattern);
		const longestFirst = [...this.#values].sort((a, b) => b.length - a.length);
		this.#pattern = new RegExp(longestFirst.map((value) => RegExp.escape(value)).join("|"), "g");
		if (this.#wrapped.size > 0) this.#wrappedPattern = new RegExp([...this.#wrapped].join("|"), "g");
		this.#gate = gateOf(longestFirst);
	}

	/** Redacts one text that arrives in pieces. A secret is found wherever the text is cut. */
	stream(): RedactedStream {
		return this.#stream((text) => this.redact(text));
	}

	/** Returns the text with `[redacted]` in place of each secret. */
	redact(text: string): string {
		let clean = this.redactKnown(text);
		for (const shape of shapes) clean = clean.replaceAll(shape, REPLACEMENT);
		return clean;
	}

	/** Removes registered values only, for text of users. Text with the shape of a credential stays. */
	redactKnown(text: string): string {
		const clean = this.#pattern === undefined ? text : text.replaceAll(this.#pattern, REPLACEMENT);
		if (this.#wrappedPattern === undefined || !clean.includes("\n")) return clean;
		return clean.replaceAll(this.#wrappedPattern, REPLACEMENT);
	}

	/**
	 * Returns a copy as plain JSON values with every string and key redacted. Errors become objects of type, message, code,
	 * stack and cause. Cycles, class instances, functions and values below level 64 become a note in brackets.
	 */
	redactFields(value: unknown): unknown {
		return redactFields(value, (text) => this.redact(text));
	}

	/** Returns the same redactor for a sink, which is reported to `onHit`. */
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

	/** Also removes the beginning of a registered value that the end of the text cuts off. */
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

/** `values` are the registered ones, the longest first. */
function gateOf(values: readonly string[]): Gate {
	const starts = values.map(startOf);
	// The opening of a shape, such as `gw_`, is no secret. Held back, it would delay each text that ends with its first letter.
	const unshaped = values.filter((value) => !opening.test(value)).map(startOf);
	const beginnings = unshaped.flatMap((start) =>
		Array.from({ length: longestBeginning }, (_, index) => start.slice(0, index + 1)),
	);
	const byStart = Map.groupBy(values, startOf);
	return {
		pattern: new RegExp([...openings, ...new Set(starts.map((start) => RegExp.escape(start)))].join("|")),
		length: openingLength,
		spaced: Math.max(0, ...values.filter((value) => /\s/.test(value)).map(({ length }) => length)),
		beginnings: new Set(beginnings),
		endOfValue: (text, at) => {
			const left = text.length - at;
			const known = left > longestBeginning ? byStart.get(startOf(text.slice(at))) : values;
			const value = known?.find((one) =>
				left < one.length ? one.startsWith(text.slice(at)) : text.startsWith(one, at),
			);
			if (value === undefined) return undefined;
			return value.length > left ? Number.POSITIVE_INFINITY : at + value.length;
		},
	};
}

/** Matches a value that begins like a shape. */
const opening = new RegExp(`^(?:${openings.join("|")})`);

/** The characters by which the gate finds a value. */
function startOf(value: string): string {
	return value.slice(0, longestBeginning + 1);
}
