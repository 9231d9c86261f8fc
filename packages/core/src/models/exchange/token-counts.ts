import { defined } from "@parley/base";
import type { Usage } from "../../vocabulary/usage.ts";
import { isFields } from "./errors.ts";

/** Maximum plausible token count. A higher number is treated as a mistake. */
const MAX_TOKENS = 1_000_000_000;

/** Collects the token counts of one reply within plausible limits. */
export class TokenCounts {
	#fresh = 0;
	#cacheRead = 0;
	#cacheWrite = 0;
	#cacheHour = 0;
	#output = 0;
	#outputKnown = false;
	#isCorrected = false;

	/** Whether a count was impossible, or the count of output tokens was missing. */
	get isCorrected(): boolean {
		return this.#isCorrected || !this.#outputKnown;
	}

	/**
	 * Updates the counts from a usage object with the field names of the Messages API. The value of a field replaces the
	 * value that the same field had in an earlier usage object. Absent and null fields change nothing.
	 */
	add(usage: unknown): void {
		if (!isFields(usage)) return;
		this.#fresh = this.#checked(usage["input_tokens"], this.#fresh);
		this.#cacheRead = this.#checked(usage["cache_read_input_tokens"], this.#cacheRead);
		this.#cacheWrite = this.#checked(usage["cache_creation_input_tokens"], this.#cacheWrite);
		const lifetimes = usage["cache_creation"];
		if (isFields(lifetimes))
			this.#cacheHour = this.#checked(lifetimes["ephemeral_1h_input_tokens"], this.#cacheHour);
		this.#output = this.#checked(usage["output_tokens"], this.#output);
		this.#outputKnown ||= typeof usage["output_tokens"] === "number";
	}

	/** Returns the usage. The parts never exceed the total, and no count exceeds `MAX_TOKENS`. */
	usage(): Usage {
		const cacheReadTokens = this.#cacheRead;
		const cacheWriteTokens = Math.min(this.#cacheWrite, MAX_TOKENS - cacheReadTokens);
		const inputTokens = Math.min(cacheReadTokens + cacheWriteTokens + this.#fresh, MAX_TOKENS);
		const cacheHourTokens = Math.min(this.#cacheHour, cacheWriteTokens) || undefined;
		const outputTokens = this.#output;
		return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, ...defined({ cacheHourTokens }) };
	}

	#checked(figure: unknown, otherwise: number): number {
		if (figure === undefined || figure === null) return otherwise;
		if (typeof figure === "number" && Number.isInteger(figure) && figure >= 0 && figure <= MAX_TOKENS) {
			return figure;
		}
		this.#isCorrected = true;
		return typeof figure === "number" ? Math.floor(Math.min(Math.max(figure, 0), MAX_TOKENS)) : otherwise;
	}
}
