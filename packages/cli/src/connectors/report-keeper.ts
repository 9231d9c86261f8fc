import { rm } from "node:fs/promises";
import { type Clock, type Logger, ParleyError, type Timer } from "@parley/base";
import { type ConnectorReport, type ConnectorWords, writeReport } from "./connector-report.ts";

/** Between two looks at a connector that says nothing by itself. */
const everyMs = 5_000;

/** What keeps a report. */
export interface ReportKeeperParts {
	readonly file: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly pid: number;
	/** Told of each state that follows another one. */
	readonly told?: (words: ConnectorWords) => void;
}

/**
 * Keeps the report of a connector true: at each change, and every five seconds. A report that cannot be written is no
 * reason for the connector to end.
 */
export class ReportKeeper {
	readonly #parts: ReportKeeperParts;
	#last: ConnectorReport | undefined;
	#look: (() => Promise<ConnectorWords>) | undefined;
	#timer: Timer | undefined;
	#work: Promise<void> = Promise.resolve();
	#isWritten = true;

	constructor(parts: ReportKeeperParts) {
		this.#parts = parts;
	}

	/** Resolves when that is written, or cannot be. */
	tell(words: ConnectorWords): Promise<void> {
		return this.#queue(async () => words);
	}

	/** From now on `look` says how it is doing. */
	watch(look: () => Promise<ConnectorWords>): void {
		this.#look = look;
		this.changed();
	}

	/** Something has happened that may show. */
	readonly changed = (): void => {
		const look = this.#look;
		if (!look) return;
		this.#timer?.cancel();
		void this.#queue(look).then(() => {
			if (this.#look !== look) return;
			this.#timer?.cancel();
			this.#timer = this.#parts.clock.after(everyMs, this.changed);
		});
	};

	/** Says nothing more; with words these stay, without the report is taken back. */
	async end(words?: ConnectorWords): Promise<void> {
		this.#look = undefined;
		this.#timer?.cancel();
		if (words) return this.tell(words);
		await this.#work;
		await rm(this.#parts.file, { force: true }).catch((error: unknown) => this.#failed(error));
	}

	#queue(look: () => Promise<ConnectorWords>): Promise<void> {
		this.#work = this.#work.then(() => this.#write(look)).catch((error: unknown) => this.#failed(error));
		return this.#work;
	}

	async #write(look: () => Promise<ConnectorWords>): Promise<void> {
		const { file, clock, pid, told } = this.#parts;
		const [words, now, last] = [await look(), clock.now(), this.#last];
		const isSame = last?.state === words.state && last.detail === words.detail;
		this.#last = { ...words, pid, since: isSame ? last.since : now, seen: now };
		if (!isSame) told?.(words);
		await writeReport(file, this.#last);
		this.#isWritten = true;
	}

	/** Once for each time that it begins to fail. */
	#failed(reason: unknown): void {
		if (this.#isWritten) {
			const why = reason instanceof Error ? reason.message : ParleyError.from(reason).message;
			this.#parts.log.warn("how the connector is doing cannot be written down", { why });
		}
		this.#isWritten = false;
	}
}
