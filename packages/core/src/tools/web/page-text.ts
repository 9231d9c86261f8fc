import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Clock, Logger } from "@parley/base";
import { orAborted, within } from "../../sandbox/egress/time-limit.ts";
import { plainText } from "./plain-text.ts";
import type { PageToRead } from "./readable-worker.ts";

/** Beyond these a document model takes hundreds of megabytes, and few pages for people go beyond them. */
const MAX_STRUCTURED = 1.5 * 1024 * 1024;
const MAX_TAGS = 80_000;
const MAX_WORK_MS = 5_000;
/** Far more than the limits above leave room for: a thread that reaches its end may take the process along. */
const MAX_HEAP_MB = 1_024;

/** Started as it lies beside this file: as source, or compiled. */
const workerFile = new URL(`./readable-worker${import.meta.url.slice(-3)}`, import.meta.url);

/** Reads one HTML page after the other. */
export class PageReader {
	readonly #clock: Clock;
	#last: Promise<unknown> = Promise.resolve();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/**
	 * What there is to read on the page. It is worked out in a thread of its own, with little time and without an
	 * environment, because a page can be written so that it takes hours; where that fails, the text is taken without
	 * its structure. Rejects only when `signal` aborts.
	 */
	async read(page: PageToRead, log: Logger, signal: AbortSignal): Promise<string> {
		if (isTooLarge(page.html)) return plainText(page.html);
		const before = this.#last;
		const structured = orAborted(before, signal).then(() => this.#work(page, log, signal));
		this.#last = Promise.allSettled([before, structured]);
		return (await structured) ?? plainText(page.html);
	}

	async #work(page: PageToRead, log: Logger, signal: AbortSignal): Promise<string | undefined> {
		const worker = startWorker(page);
		// Also of what it reports while it is ended nobody would hear otherwise, and the process would end with it.
		worker.on("error", () => undefined);
		const limit = { ms: MAX_WORK_MS, what: "reading a page", clock: this.#clock };
		try {
			const [text] = await within(limit, signal, (limited) => once(worker, "message", { signal: limited }));
			return typeof text === "string" ? text : undefined;
		} catch (error) {
			signal.throwIfAborted();
			log.debug("a page is read without its structure", { url: page.url, error });
			return undefined;
		} finally {
			await worker.terminate();
		}
	}
}

function startWorker(page: PageToRead): Worker {
	return new Worker(workerFile, {
		workerData: page,
		env: {},
		execArgv: [],
		stdout: true,
		stderr: true,
		resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
	});
}

function isTooLarge(html: string): boolean {
	if (html.length > MAX_STRUCTURED) return true;
	let tags = 0;
	for (let at = html.indexOf("<"); at !== -1; at = html.indexOf("<", at + 1)) tags += 1;
	return tags > MAX_TAGS;
}
