import type { Clock, Logger, Timer } from "@parley/base";
import type { AuditEntry } from "./audit.ts";

const periodMs = 60_000;
/** Kinds of an action that are told apart within a period; whoever makes up names gets no more rows by it. */
const mostKinds = 100;

type Sample = Omit<AuditEntry, "args">;

interface SamplesDeps {
	readonly clock: Clock;
	readonly log: Logger;
	readonly note: (entry: AuditEntry) => Promise<void>;
}

interface Count {
	readonly entry: Sample;
	times: number;
}

/** Counts what would else fill the record: one row when it begins, then one a minute as long as it goes on. */
export class AuditSamples {
	readonly #deps: SamplesDeps;
	/** What has a row within this period, and how often it happened since, of each action. */
	readonly #counts = new Map<string, Map<string, Count>>();
	readonly #writing = new Set<Promise<void>>();
	#timer: Timer | undefined;
	#stopped = false;

	constructor(deps: SamplesDeps) {
		this.#deps = deps;
	}

	add(entry: Sample, times: number): void {
		if (this.#stopped) return;
		const kinds = this.#counts.get(entry.action) ?? new Map<string, Count>();
		const kind = kinds.size < mostKinds || kinds.has(keyOf(entry)) ? entry : rest(entry);
		const known = kinds.get(keyOf(kind));
		if (known) known.times += times;
		else this.#begin(kinds, kind, times);
	}

	async stop(): Promise<void> {
		this.#stopped = true;
		this.#timer?.cancel();
		this.#tell();
		await Promise.all(this.#writing);
	}

	#begin(kinds: Map<string, Count>, entry: Sample, times: number): void {
		this.#counts.set(entry.action, kinds.set(keyOf(entry), { entry, times: 0 }));
		this.#write(entry, times);
		this.#timer ??= this.#deps.clock.after(periodMs, () => this.#tell());
	}

	/** What goes on stays counted; what has stopped is forgotten. */
	#tell(): void {
		this.#timer = undefined;
		for (const [action, kinds] of this.#counts) {
			for (const [key, count] of kinds) {
				if (count.times > 0) this.#write(count.entry, count.times);
				else kinds.delete(key);
				count.times = 0;
			}
			if (kinds.size === 0) this.#counts.delete(action);
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

/** What is not told apart any more: of many people, so that it names none. */
function rest(entry: Sample): Sample {
	return { ...entry, principal: others, object: others };
}

function keyOf({ principal, object, decision }: Sample): string {
	return JSON.stringify([principal, object, decision]);
}
