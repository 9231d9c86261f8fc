import { type Gate, longestBeginning, type RedactedStream, redactedStream } from "./redacted-stream.ts";
import { encodings, wrapped } from "./redactor-encodings.ts";
import { redactFields } from "./redactor-fields.ts";
import { openingLength, openings, shapes } from "./redactor-shapes.ts";

const REPLACEMENT = "[redacted]";
/** Shorter values would blank ordinary words. */
const MIN_LENGTH = 4;
/** So much of a registered value is taken out where the text ends in the middle of it; less tells nobody anything. */
const MIN_CUT = 6;

/** Takes secrets out of a text, whole or in pieces. */
export type TextRedactor = Pick<Redactor, "redact" | "redactFields" | "stream">;

/**
 * Takes secrets out of text that leaves the process: the registered values in every common encoding, and whatever has
 * the shape of a known credential.
 */
export class Redactor {
	/** Told, by the sink's name, each time something was taken out on its way into a sink. */
	onHit: (sink: string) => void = () => undefined;
	readonly #values = new Set<string>();
	readonly #wrapped = new Set<string>();
	#pattern: RegExp | undefined;
	/** The same where line breaks stand in it, for texts that have any. */
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

	/** The same for one text that comes in pieces: a secret is found wherever it was cut. */
	stream(): RedactedStream {
		return this.#stream((text) => this.redact(text));
	}

	/** The text with `[redacted]` in place of each secret. */
	redact(text: string): string {
		let clean = this.redactKnown(text);
		for (const shape of shapes) clean = clean.replaceAll(shape, REPLACEMENT);
		return clean;
	}

	/** The same for what people write: without the registered values, but with what only looks like a credential. */
	redactKnown(text: string): string {
		const clean = this.#pattern === undefined ? text : text.replaceAll(this.#pattern, REPLACEMENT);
		if (this.#wrappedPattern === undefined || !clean.includes("\n")) return clean;
		return clean.replaceAll(this.#wrappedPattern, REPLACEMENT);
	}

	/**
	 * A copy as plain JSON values with every string and key redacted. Errors become objects of type, message, code,
	 * stack and cause; what cannot be shown (cycles, class instances, functions, depth over 64) becomes a note in brackets.
	 */
	redactFields(value: unknown): unknown {
		return redactFields(value, (text) => this.redact(text));
	}

	/** The same redactor on the way into a sink, which `onHit` hears of. */
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
}

/** `values` are the registered ones, the longest first. */
function gateOf(values: readonly string[]): Gate {
	const starts = values.map(startOf);
	const beginnings = starts.flatMap((start) =>
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

/** The characters by which the gate finds a value. */
function startOf(value: string): string {
	return value.slice(0, longestBeginning + 1);
}
