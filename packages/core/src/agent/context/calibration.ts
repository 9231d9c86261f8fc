import type { Message } from "../../vocabulary/message.ts";
import type { ToolDescription } from "../../vocabulary/model.ts";

/**
 * Feature amounts of a part of a request, in the order of `featureNames`. The estimated tokens are computed from these
 * amounts. The amounts of several parts together are the sums of the parts' amounts.
 */
export type Features = readonly number[];

/**
 * Features of a part of a request:
 *
 * - letters: ASCII letters and white space
 * - signs: all other ASCII characters; a token contains fewer signs than letters
 * - wide: UTF-16 units beyond ASCII; a character of two UTF-8 bytes has half the weight
 * - blocks: messages, content blocks of messages, and tools (each counted twice); each block adds tokens for its
 *   structure
 * - images: number of images
 * - requests: 1 for a complete request, to which a provider adds tokens
 */
export const featureNames = ["letters", "signs", "wide", "blocks", "images", "requests"] as const;

/** Features that every request has. */
export const oneRequest: Features = [0, 0, 0, 0, 0, 1];

export interface EstimateError {
	readonly replies: number;
	/** Relative error at the newest reply: 0.1 is 10 %. */
	readonly last: number;
	/** Mean relative error. Newer replies have more weight. */
	readonly mean: number;
}

export interface CountedRequest {
	readonly features: Features;
	readonly tokens: number;
}

/** Estimated tokens of a request. The true number rarely exceeds `tokens + margin`. */
export interface Estimate {
	readonly tokens: number;
	readonly margin: number;
}

interface Belief {
	readonly weight: number;
	/** Standard deviation of the weight. */
	readonly spread: number;
	readonly min: number;
	readonly max: number;
}

/** Assumed tokens per unit of each feature before the first counted request, and limits of the learned value. */
const beliefs: Readonly<Record<(typeof featureNames)[number], Belief>> = {
	letters: { weight: 0.23, spread: 0.15, min: 0.02, max: 1.5 },
	signs: { weight: 0.45, spread: 0.35, min: 0.02, max: 3 },
	wide: { weight: 0.8, spread: 0.6, min: 0.02, max: 4 },
	blocks: { weight: 4, spread: 4, min: 0, max: 40 },
	images: { weight: 1_500, spread: 1_000, min: 50, max: 20_000 },
	requests: { weight: 100, spread: 250, min: 0, max: 3_000 },
};
const ordered = featureNames.map((name) => beliefs[name]);

/**
 * Maximum factor between a count and the estimate with the initial weights. A count that differs by a larger factor is
 * ignored.
 */
const plausibleFactor = 20;
/**
 * Number of standard deviations in the usual margin. The usual margin is at most the share `largestMargin` of the
 * changed tokens.
 */
const deviations = 3;
const largestMargin = 0.4;
/**
 * Minimum margin as a share of all tokens, unless the features equal those of a counted request. A long conversation
 * contains rare text, and the window is a hard limit.
 */
const leastMargin = 0.005;
/** Assumed relative error that remains with the best weights. */
const usualNoise = 0.03;
/** Minimum growth between two requests, in tokens, from which the calibration learns. */
const significantTokens = 40;

/**
 * Learns how many tokens one model uses for letters, signs and other features. Uses recursive least squares (a Kalman
 * filter over the weights, https://en.wikipedia.org/wiki/Recursive_least_squares_filter), with typical weights at the
 * start.
 */
export class Calibration {
	readonly #weights = ordered.map(({ weight }) => weight);
	readonly #covariance = ordered.map(({ spread }, row) =>
		ordered.map((_, at) => (at === row ? spread ** 2 : 0)),
	);
	#learned = 0;
	#noise = usualNoise;
	#replies = 0;
	#last = 0;
	#mean = 0;

	/**
	 * Estimates the tokens of a request from its features. If `since` is a similar counted request, estimates only the
	 * difference and adds it to the count of `since`.
	 */
	estimate(features: Features, since?: CountedRequest): Estimate {
		const rest = since ? difference(features, since.features) : features;
		const changed = dot(this.#weights, rest.map(Math.abs));
		const unsure = dot(this.#spreadOf(rest), rest) + (this.#noise * changed) ** 2;
		const tokens = Math.max(0, (since?.tokens ?? 0) + dot(this.#weights, rest));
		const usual = Math.min(largestMargin * changed, deviations * Math.sqrt(Math.max(0, unsure)));
		return { tokens, margin: changed === 0 ? 0 : Math.max(leastMargin * tokens, usual) };
	}

	tokensOf(features: Features): number {
		let sum = 0;
		// A loop is faster than `dot`. A snapshot calls this method for each message of a long conversation.
		for (let at = 0; at < features.length; at++) sum += (this.#weights[at] ?? 0) * (features[at] ?? 0);
		return Math.max(0, sum);
	}

	get error(): EstimateError {
		return { replies: this.#replies, last: this.#last, mean: this.#mean };
	}

	compare(estimated: number, tokens: number): void {
		this.#replies += 1;
		this.#last = Math.abs(estimated - tokens) / tokens;
		const share = Math.max(1 / this.#replies, 0.2);
		this.#mean += share * (this.#last - this.#mean);
	}

	/**
	 * Learns from a counted request. If `since` is given, learns only from the growth since that request, and
	 * only if the growth is significant. Returns false and learns nothing if the count is implausible.
	 */
	learn(counted: CountedRequest, since?: CountedRequest): boolean {
		if (!isPlausible(counted)) return false;
		const grown = since && counted.tokens - since.tokens >= significantTokens;
		if (grown) this.#update(difference(counted.features, since.features), counted.tokens - since.tokens);
		else if (!since) this.#update(counted.features, counted.tokens);
		return true;
	}

	#update(features: Features, tokens: number): void {
		const expected = dot(this.#weights, features);
		const noise = 3 + usualNoise * Math.max(tokens, expected);
		const spread = this.#spreadOf(features);
		const scale = dot(spread, features) + noise ** 2;
		const gain = spread.map((value) => value / scale);
		for (const [index, { spread: first, min, max }] of ordered.entries()) {
			const moved = (this.#weights[index] ?? 0) + (gain[index] ?? 0) * (tokens - expected);
			this.#weights[index] = Math.min(max, Math.max(min, moved));
			const row = this.#covariance[index] ?? [];
			for (const at of ordered.keys()) row[at] = (row[at] ?? 0) - (gain[index] ?? 0) * (spread[at] ?? 0);
			// Old observations lose weight, because texts change and providers change their tokenizers.
			row[index] = Math.min(first ** 2, (row[index] ?? 0) + (first / 50) ** 2);
		}
		this.#learned += 1;
		// The error of the first reply shows only how unusual the tokenizer is.
		if (this.#learned === 1) return;
		const surprise = Math.abs(tokens - expected) / Math.max(1, tokens);
		this.#noise += Math.max(1 / this.#learned, 0.2) * (surprise - this.#noise);
	}

	#spreadOf(features: Features): number[] {
		return this.#covariance.map((row) => dot(row, features));
	}
}

function isPlausible({ features, tokens }: CountedRequest): boolean {
	const usual = dot(
		ordered.map(({ weight }) => weight),
		features,
	);
	return tokens > usual / plausibleFactor && tokens < usual * plausibleFactor;
}

function dot(a: readonly number[], b: readonly number[]): number {
	return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

const isLetter = Uint8Array.from({ length: 128 }, (_, code) =>
	/[A-Za-z\s]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Counts the features of a text. Reads the text once, character by character, for speed. */
export function featuresOfText(text: string): Features {
	let letters = 0;
	let wide = 0;
	let halves = 0;
	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		if (code >= 0x800) wide += 1;
		else if (code >= 0x80) halves += 1;
		else letters += isLetter[code] ?? 0;
	}
	return [letters, text.length - letters - wide - halves, wide + halves / 2, 0, 0, 0];
}

/** Returns the features of the tool descriptions in a request. Computed once for each array. */
export function featuresOfTools(tools: readonly ToolDescription[]): Features {
	return counted(tools, () => {
		const texts = tools.map(({ name, description, parameters }) =>
			featuresOfText(`${name}\n${description}\n${JSON.stringify(parameters)}`),
		);
		return sumOf([...texts, blocks(2 * tools.length)]);
	});
}

/** Returns the features of a message. Computed once for each message. */
export function featuresOfMessage(message: Message): Features {
	return counted(message, () =>
		sumOf([blocks(1 + message.content.length), ...message.content.map(featuresOfBlock)]),
	);
}

/** Returns the sum of the features of all messages. The features of each message are cached. */
export function featuresOfMessages(messages: readonly Message[]): Features {
	const sum = featureNames.map(() => 0);
	for (const message of messages) add(sum, featuresOfMessage(message));
	return sum;
}

export function sumOf(parts: readonly Features[]): Features {
	const sum = featureNames.map(() => 0);
	for (const part of parts) add(sum, part);
	return sum;
}

export function difference(a: Features, b: Features): Features {
	return a.map((value, index) => value - (b[index] ?? 0));
}

function add(sum: number[], part: Features): void {
	for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + (part[index] ?? 0);
}

const known = new WeakMap<object, Features>();

function counted(of: object, count: () => Features): Features {
	const before = known.get(of);
	if (before) return before;
	const features = count();
	known.set(of, features);
	return features;
}

function blocks(count: number): Features {
	return [0, 0, 0, count, 0, 0];
}

function featuresOfBlock(block: Message["content"][number]): Features {
	switch (block.type) {
		case "image":
			return [0, 0, 0, 0, 1, 0];
		case "call":
			return featuresOfText(`${block.name} ${JSON.stringify(block.arguments ?? null)}`);
		case "thinking":
			return featuresOfThinking(block);
		case "text":
			return featuresOfText(block.text);
		case "result":
			return sumOf([featuresOfText(block.text), ...(block.pictures ?? []).map(featuresOfBlock)]);
	}
}

function featuresOfThinking(block: Extract<Message["content"][number], { type: "thinking" }>): Features {
	if (block.text !== "") return featuresOfText(block.text);
	const sealed = block.redacted ?? block.signature ?? "";
	// Sealed thinking is measured as three quarters of its length, because base64 adds a third.
	return [Math.round((sealed.length * 3) / 4), 0, 0, 0, 0, 0];
}
