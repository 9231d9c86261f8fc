import type { Message } from "../../vocabulary/message.ts";
import type { ToolDescription } from "../../vocabulary/model.ts";

/**
 * What a part of a request is made of, as far as it decides how many tokens it takes, in the order of
 * `featureNames`. Two parts together have the sum of both.
 */
export type Features = readonly number[];

/**
 * letters: Latin ones and blanks. signs: digits and punctuation, of which fewer make a token. wide: characters beyond
 * ASCII, those of two bytes as halves. blocks: messages, their blocks and tools, which are framed. images: pictures.
 * requests: what a provider adds to each.
 */
export const featureNames = ["letters", "signs", "wide", "blocks", "images", "requests"] as const;

/** What every request has, whatever is in it. */
export const oneRequest: Features = [0, 0, 0, 0, 0, 1];

/** How far the estimates of one model's tokens were off. */
export interface EstimateError {
	/** Replies that were compared. */
	readonly replies: number;
	/** Relative, at the newest reply: 0.1 is 10 %. */
	readonly last: number;
	/** The same on average, where newer replies count more. */
	readonly mean: number;
}

/** A request whose tokens the provider has counted. */
export interface CountedRequest {
	readonly features: Features;
	readonly tokens: number;
}

/** Estimate of a request: its actual tokens almost never exceed `tokens + margin`. */
export interface Estimate {
	readonly tokens: number;
	readonly margin: number;
}

interface Belief {
	readonly weight: number;
	/** How far from it the truth may well be (a standard deviation). */
	readonly spread: number;
	readonly least: number;
	readonly most: number;
}

/** Tokens of each feature, before anything is known of the model. */
const beliefs: Readonly<Record<(typeof featureNames)[number], Belief>> = {
	letters: { weight: 0.23, spread: 0.15, least: 0.02, most: 1.5 },
	signs: { weight: 0.45, spread: 0.35, least: 0.02, most: 3 },
	wide: { weight: 0.8, spread: 0.6, least: 0.02, most: 4 },
	blocks: { weight: 4, spread: 4, least: 0, most: 40 },
	images: { weight: 1_500, spread: 1_000, least: 50, most: 20_000 },
	requests: { weight: 100, spread: 250, least: 0, most: 3_000 },
};
const ordered = featureNames.map((name) => beliefs[name]);

/** A count that differs from the expectation by a larger factor is a fault of its sender. */
const plausibleFactor = 20;
/** The margin in standard deviations, and its maximum as a part of the estimate. */
const deviations = 2.5;
const largestMargin = 0.4;
/** Minimum as a part of the estimate: rare deviations occur in a long conversation, and a window has a hard limit. */
const leastMargin = 0.005;
/** Error of the best weights as a part of the estimate, until replies have been observed. */
const usualNoise = 0.03;
/** A difference of fewer tokens tells too little. */
const tellingTokens = 40;

/**
 * Learns how many tokens one model needs for letters, signs and so on: recursive least squares (a Kalman filter over the
 * weights, https://en.wikipedia.org/wiki/Recursive_least_squares_filter) with usual values at the start.
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

	/** Estimate of the parts. With `since`, a similar counted request, only the difference is estimated. */
	estimate(features: Features, since?: CountedRequest): Estimate {
		const rest = since ? difference(features, since.features) : features;
		const changed = dot(this.#weights, rest.map(Math.abs));
		const unsure = dot(this.#spreadOf(rest), rest) + (this.#noise * changed) ** 2;
		const tokens = Math.max(0, (since?.tokens ?? 0) + dot(this.#weights, rest));
		const usual = Math.min(largestMargin * changed, deviations * Math.sqrt(Math.max(0, unsure)));
		return { tokens, margin: changed === 0 ? 0 : Math.max(leastMargin * tokens, usual) };
	}

	/** Most likely tokens of the parts. */
	tokensOf(features: Features): number {
		let sum = 0;
		// A loop: a snapshot asks this of each message of a long conversation.
		for (let at = 0; at < features.length; at++) sum += (this.#weights[at] ?? 0) * (features[at] ?? 0);
		return Math.max(0, sum);
	}

	get error(): EstimateError {
		return { replies: this.#replies, last: this.#last, mean: this.#mean };
	}

	/** Compares an estimate with the actual tokens of the request. */
	compare(estimated: number, tokens: number): void {
		this.#replies += 1;
		this.#last = Math.abs(estimated - tokens) / tokens;
		const share = Math.max(1 / this.#replies, 0.2);
		this.#mean += share * (this.#last - this.#mean);
	}

	/**
	 * Learns from a counted request, or from its difference to `since` if that is enough. Returns false if the count is too
	 * far from
	 * every tokenizer to be one.
	 */
	learn(counted: CountedRequest, since?: CountedRequest): boolean {
		if (!isPlausible(counted)) return false;
		const grown = since && counted.tokens - since.tokens >= tellingTokens;
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
		for (const [index, { spread: first, least, most }] of ordered.entries()) {
			const moved = (this.#weights[index] ?? 0) + (gain[index] ?? 0) * (tokens - expected);
			this.#weights[index] = Math.min(most, Math.max(least, moved));
			const row = this.#covariance[index] ?? [];
			for (const at of ordered.keys()) row[at] = (row[at] ?? 0) - (gain[index] ?? 0) * (spread[at] ?? 0);
			// Older observations have less weight, because texts and tokenizers change.
			row[index] = Math.min(first ** 2, (row[index] ?? 0) + (first / 50) ** 2);
		}
		this.#learned += 1;
		// That the first reply surprises says only how unusual the tokenizer is.
		if (this.#learned === 1) return;
		const surprise = Math.abs(tokens - expected) / Math.max(1, tokens);
		this.#noise += Math.max(1 / this.#learned, 0.2) * (surprise - this.#noise);
	}

	/** How unsure the weights are, as seen from the features. */
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

/** Reads the text once, character by character. */
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

/** What is sent of the tools. Counted once for each array. */
export function featuresOfTools(tools: readonly ToolDescription[]): Features {
	return counted(tools, () => {
		const texts = tools.map(({ name, description, parameters }) =>
			featuresOfText(`${name}\n${description}\n${JSON.stringify(parameters)}`),
		);
		return sumOf([...texts, blocks(2 * tools.length)]);
	});
}

/** Counted once for each message. */
export function featuresOfMessage(message: Message): Features {
	return counted(message, () =>
		sumOf([blocks(1 + message.content.length), ...message.content.map(featuresOfBlock)]),
	);
}

/** The sum over all messages; a walk over what is known of them, not over their text. */
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

/** Sealed thinking counts by its length before it was sealed, which base64 makes a third longer. */
function featuresOfThinking(block: Extract<Message["content"][number], { type: "thinking" }>): Features {
	if (block.text !== "") return featuresOfText(block.text);
	const sealed = block.redacted ?? block.signature ?? "";
	return [Math.round((sealed.length * 3) / 4), 0, 0, 0, 0, 0];
}
