import type { Logger } from "@parley/base";
import type * as z from "zod";

/** Parses payloads, and logs each kind of unreadable payload once, up to 100 kinds. */
export class Malformed {
	/** Display name, for example `Slack`. */
	readonly #platform: string;
	readonly #log: Logger;
	readonly #problem = new Set<string>();
	#count = 0;

	constructor(platform: string, log: Logger) {
		this.#platform = platform;
		this.#log = log;
	}

	/** Returns the number of unreadable payloads. */
	get count(): number {
		return this.#count;
	}

	/** Parses a payload. Returns undefined if the schema does not match. `event` is the name of the payload in the log. */
	read<T>(event: string, schema: z.ZodType<T>, data: unknown): T | undefined {
		const read = schema.safeParse(data);
		if (read.success) return read.data;
		this.#count += 1;
		const [issue] = read.error.issues;
		const wrong = `${issue?.path.join(".") || "the event"}: ${issue?.message ?? "does not match the schema"}`;
		const problem = `${event} ${wrong}`;
		// A faulty sender must not fill the log. Beyond 100 kinds of problems, further lines are useless.
		if (this.#problem.has(problem) || this.#problem.size >= 100) return undefined;
		this.#problem.add(problem);
		this.#log.warn(`an event from ${this.#platform} cannot be read`, { event, wrong });
		return undefined;
	}
}
