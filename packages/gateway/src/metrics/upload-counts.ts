import type { Family } from "./exposition.ts";
import { counter } from "./families.ts";
import { Tally } from "./tally.ts";

/** Why an upload was not kept; `gone` and `stalled` are those of clients that went away or sent nothing any more. */
export type UploadRefusal =
	| "too_large"
	| "full"
	| "wrapped"
	| "malformed"
	| "forbidden"
	| "unavailable"
	| "stalled"
	| "gone"
	| "failed";

/** Uploads: those that run, what came in, and what became of them. */
export class UploadCounts {
	#running = 0;
	readonly #kept = new Tally();
	readonly #refused = new Tally();
	readonly #bytes = new Tally();

	constructor() {
		for (const tally of [this.#kept, this.#bytes]) tally.add({}, 0);
	}

	/** One begins; its end is told by `kept` or `refused`. */
	began(): void {
		this.#running += 1;
	}

	/** So many bytes came in, whether they are kept or not. */
	received(bytes: number): void {
		this.#bytes.add({}, bytes);
	}

	kept(): void {
		this.#running -= 1;
		this.#kept.add();
	}

	refused(reason: UploadRefusal): void {
		this.#running -= 1;
		this.#refused.add({ reason });
	}

	families(): Family[] {
		return [
			{
				name: "parley_uploads",
				help: "Uploads that are coming in.",
				type: "gauge",
				samples: [{ labels: {}, value: this.#running }],
			},
			counter("parley_uploads_kept_total", "Uploads that were kept.", this.#kept),
			counter("parley_uploads_refused_total", "Uploads that were not kept, by reason.", this.#refused),
			counter("parley_upload_bytes_total", "Bytes of uploads that came in.", this.#bytes),
		];
	}
}
