import type { Logger } from "@parley/base";
import type * as z from "zod";

/** Reads payloads, and tells once of each way in which one was not what Discord documents. */
export class Malformed {
	readonly #log: Logger;
	readonly #told = new Set<string>();
	#count = 0;

	constructor(log: Logger) {
		this.#log = log;
	}

	/** How many were unreadable. */
	get count(): number {
		return this.#count;
	}

	read<T>(event: string, schema: z.ZodType<T>, data: unknown): T | undefined {
		const read = schema.safeParse(data);
		if (read.success) return read.data;
		this.#count += 1;
		const [issue] = read.error.issues;
		const wrong = `${issue?.path.join(".") || "the whole"}: ${issue?.message ?? "it is not what was expected"}`;
		const told = `${event} ${wrong}`;
		// Whoever sends nonsense must not fill the log; of so many kinds one more tells nothing.
		if (this.#told.has(told) || this.#told.size >= 100) return undefined;
		this.#told.add(told);
		this.#log.warn("an event of Discord cannot be read", { event, wrong });
		return undefined;
	}
}
