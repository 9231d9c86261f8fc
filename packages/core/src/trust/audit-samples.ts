import type { Clock, Logger, Timer } from "@parley/base";
import type { AuditEntry } from "./audit.ts";

const periodMs = 60_000;
/** Kinds that are told apart within a period; whoever makes up names gets no more rows by it. */
const mostKinds = 100;

type Sample = Omit<AuditEntry, "args">;

interface SamplesDeps {
	readonly clock: Clock;
	readonly log: Logger;
	readonly note: (entry: AuditEntry) => Promise<void>;
}

/** Counts what would else fill the record: one row when it begins, then one a minute as long as it goes on. */
export class AuditSamples {
	readonly #deps: SamplesDeps;
	/** What has a row within this period, and how often it happened since. */
	readonly #counts = new Map<string, { readonly entry: Sample; times: number }>();
	readonly #writing = new Set<Promise<void>>();
	#timer: Timer | undefined;
	#stopped = false;

	constructor(deps: SamplesDeps) {
		this.#deps = deps;
	}

	add(entry: Sample, times: number): void {
		if (this.#stopped) return;
		const known = this.#counts.get(keyOf(entry));
		if (known) known.times += times;
		else if (this.#counts.size < mostKinds || entry.object === others) this.#begin(entry, times);
		else this.add({ ...entry, object: others }, times);
	}

	async stop(): Promise<void> {
		this.#stopped = true;
		this.#timer?.cancel();
		this.#tell();
		await Promise.all(this.#writing);
	}

	#begin(entry: Sample, times: number): void {
		this.#counts.set(keyOf(entry), { entry, times: 0 });
		this.#write(entry, times);
		this.#timer ??= this.#deps.clock.after(periodMs, () => this.#tell());
	}

	/** What goes on stays counted; what has stopped is forgotten. */
	#tell(): void {
		this.#timer = undefined;
		for (const [key, count] of this.#counts) {
			if (count.times > 0) this.#write(count.entry, count.times);
			else this.#counts.delete(key);
			count.times = 0;
		}
		if (this.#counts.size > 0 && !this.#stopped) {
			this.#timer = this.#deps.clock.after(periodMs, () => this.#tell());
		}
	}

	#write(entry: Sample, times: number): void {
		const { log, note } = this.#deps;
		const { action } = entry;
		const written = note({ ...entry, args: { times } })
			.catch((error: unknown) => log.error("the audit could not be written", { action, error }))
			.finally(() => this.#writing.delete(written));
		this.#writing.add(written);
	}
}

const others = "others";

function keyOf({ action, object, decision }: Sample): string {
	return JSON.stringify([action, object, decision]);
}
