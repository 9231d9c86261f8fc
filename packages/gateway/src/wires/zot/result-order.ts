import type { Notice } from "./schema.ts";

type Result = Extract<Notice, { type: "tool_result" }>;

/** Tells the results of one reply's calls in the order of the calls, whichever were refused or ready first. */
export class ResultOrder {
	/** Calls whose result was not told, in the order of the reply. */
	#calls: readonly string[] = [];
	readonly #ready = new Map<string, Result>();

	/** The calls of a reply that has come. */
	expect(calls: readonly string[]): void {
		this.#calls = calls;
		this.#ready.clear();
	}

	/** What can be told with this result: nothing where one before it is missing, else also those that waited for it. */
	take(result: Result): Result[] {
		if (!this.#calls.includes(result.id)) return [result];
		this.#ready.set(result.id, result);
		const missing = this.#calls.findIndex((id) => !this.#ready.has(id));
		const told = missing < 0 ? this.#calls : this.#calls.slice(0, missing);
		this.#calls = this.#calls.slice(told.length);
		return told.flatMap((id) => {
			const ready = this.#ready.get(id);
			this.#ready.delete(id);
			return ready ?? [];
		});
	}

	/** At the end of the prompt: results that waited, and what `missing` makes of calls that never got one. */
	end(missing: (call: string) => Result): Result[] {
		const left = this.#calls.map((id) => this.#ready.get(id) ?? missing(id));
		this.expect([]);
		return left;
	}
}
