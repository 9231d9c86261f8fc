import type { Clock, Logger } from "@parley/base";
import { type Message, messageText } from "../../vocabulary/message.ts";
import { type Model, type ModelRequest, serverOf } from "../../vocabulary/model.ts";
import { Calibration, difference, featuresOfMessage, featuresOfText } from "./calibration.ts";
import { tokenCountTexts } from "./texts.ts";

/** Maximum milliseconds to count the parts of one request. */
const DEADLINE_MS = 2_000;
/** Milliseconds without further requests to a tokenizer that failed or exceeded the deadline. */
const PAUSE_MS = 60_000;
/**
 * Maximum parts in one request to the tokenizer. Counts are stored after each request, so that a later failure
 * does not discard them.
 */
const MAX_PARTS_AT_ONCE = 32;
/** Maximum system prompts, for each model, with a count in memory. */
const MAX_PROMPTS = 50;

/** Token counts of a request's parts, from the model's own tokenizer. */
export interface PartCounts {
	readonly system: number;
	readonly tools: number;
	/** Counts in the order of the messages. */
	readonly messages: readonly number[];
}

/** `objects`: messages and tool lists, compared by identity. */
interface Known {
	readonly objects: WeakMap<object, number>;
	readonly prompts: Map<string, number>;
}

interface Part {
	readonly text: string;
	readonly setCount: (tokens: number) => void;
}

/** Counts the tokens of request parts with the tokenizer of each model. Caches the counts. */
export class TextCounts {
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #known = new Map<string, Known>();
	/** Key: a provider with a failed tokenizer. Value: monotonic time at which the pause of the provider ends. */
	readonly #paused = new Map<string, number>();

	constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
		this.#clock = clock;
		this.#log = log;
	}

	/** Counts the tokens of each part that has no count yet. Stops after 2 s. Never rejects. */
	async count(model: Model, request: ModelRequest, signal: AbortSignal): Promise<void> {
		if (!serverOf(model, request.model).countTexts || !model.countTexts) return;
		if ((this.#paused.get(model.provider) ?? 0) > this.#clock.monotonic()) return;
		const late = new AbortController();
		const timer = this.#clock.after(DEADLINE_MS, () => late.abort());
		const ended = AbortSignal.any([signal, late.signal]);
		const parts = this.#uncounted(request);
		try {
			for (let from = 0; from < parts.length; from += MAX_PARTS_AT_ONCE) {
				const some = parts.slice(from, from + MAX_PARTS_AT_ONCE);
				const counts = await model.countTexts(
					request.model,
					some.map(({ text }) => text),
					ended,
				);
				for (const [index, { setCount }] of some.entries()) setCount(counts[index] ?? 0);
			}
		} catch (error) {
			if (signal.aborted) return;
			this.#paused.set(model.provider, this.#clock.monotonic() + PAUSE_MS);
			this.#log.warn(tokenCountTexts.noTokenizer, {
				model: request.model,
				error,
			});
		} finally {
			timer.cancel();
		}
	}

	/** Returns the counts of all parts, or undefined if a part has no count. */
	of({ model, system, tools, messages }: ModelRequest): PartCounts | undefined {
		const { objects, prompts } = this.#of(model);
		const counts = [prompts.get(system), objects.get(tools), ...messages.map((one) => objects.get(one))];
		const known = counts.filter((count) => count !== undefined);
		if (known.length < counts.length) return undefined;
		const [ofSystem = 0, ofTools = 0, ...ofMessages] = known;
		return { system: ofSystem, tools: ofTools, messages: ofMessages };
	}

	#uncounted({ model, system, tools, messages }: ModelRequest): Part[] {
		const { objects, prompts } = this.#of(model);
		const parts: Part[] = [];
		if (!prompts.has(system)) {
			if (prompts.size >= MAX_PROMPTS) prompts.clear();
			parts.push({ text: system, setCount: (tokens) => prompts.set(system, tokens) });
		}
		if (!objects.has(tools)) {
			const text = tools.map((tool) => JSON.stringify(tool)).join("\n");
			parts.push({ text, setCount: (tokens) => objects.set(tools, tokens) });
		}
		for (const message of messages) {
			if (objects.has(message)) continue;
			const setCount = (tokens: number) => objects.set(message, tokens + tokensBesideText(message));
			parts.push({ text: messageText(message), setCount });
		}
		return parts;
	}

	#of(model: string): Known {
		const known = this.#known.get(model) ?? { objects: new WeakMap(), prompts: new Map() };
		this.#known.set(model, known);
		return known;
	}
}

const usual = new Calibration();

/** Estimates the tokens of images and structure, because a tokenizer counts only text. */
function tokensBesideText(message: Message): number {
	const text = featuresOfText(messageText(message));
	const [, , , blocks = 0, images = 0] = difference(featuresOfMessage(message), text);
	return Math.round(usual.tokensOf([0, 0, 0, blocks, images, 0]));
}
