import type { Logger } from "@parley/base";
import type * as z from "zod";

/** Reads payloads, and tells once of each way in which one was not what the platform documents. */
export class Malformed {
	readonly #platform: string;
	readonly #log: Logger;
	readonly #told = new Set<string>();
	#count = 0;

	/** `platform` as people write it: `Slack`. */
	constructor(platform: string, log: Logger) {
		this.#platform = platform;
		this.#log = log;
	}

	/** How many were unreadable. */
	get count(): number {
		return this.#count;
	}

	/** Undefined for what the schema does not take; `event` names it in the log. */
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
		this.#log.warn(`an event of ${this.#platform} cannot be read`, { event, wrong });
		return undefined;
	}
}
