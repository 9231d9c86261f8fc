import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Clock, Logger } from "@parley/base";
import { orAborted, within } from "../../sandbox/egress/reach.ts";
import type { PageToRead } from "./readable-worker.ts";
import { pageTexts } from "./texts.ts";

/**
 * Limits of a page: UTF-16 units, `<` characters, and milliseconds. The DOM of a larger page would take hundreds of
 * megabytes.
 */
const MAX_STRUCTURED = 1.5 * 1024 * 1024;
const MAX_TAGS = 80_000;
const MAX_WORK_MS = 5_000;
/**
 * Maximum heap of the worker. Larger than the limits above require, because a thread that exceeds its heap
 * may end the process.
 */
const MAX_HEAP_MB = 1_024;

/** Module of the worker, with the file extension of this module. */
const workerFile = new URL(`./readable-worker${import.meta.url.slice(-3)}`, import.meta.url);

/** Reads HTML pages one at a time. */
export class PageReader {
	readonly #clock: Clock;
	#last: Promise<unknown> = Promise.resolve();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/**
	 * Returns the readable text of the page. A thread extracts the text with a short time limit and no
	 * environment, because a hostile page could take hours. The text has no structure if the extraction fails
	 * or the page is too large. Rejects only if `signal` aborts.
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
		// Terminating the worker can emit an error. If the error had no listener, it would end the process.
		worker.on("error", () => undefined);
		const limit = { ms: MAX_WORK_MS, subject: pageTexts.reading, clock: this.#clock };
		try {
			const [text] = await within(limit, signal, (limited) => once(worker, "message", { signal: limited }));
			return typeof text === "string" ? text : undefined;
		} catch (error) {
			signal.throwIfAborted();
			log.debug(pageTexts.readWithoutStructure, { url: page.url, error });
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

/** Elements without readable content. */
const UNREAD = new Set(["script", "style", "noscript", "template", "svg", "iframe"]);
/** Inline elements. Every other element ends the line. */
const INLINE = new Set(
	"a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span strong sub sup time u var wbr".split(
		" ",
	),
);
const ENTITIES: Readonly<Record<string, string>> = {
	amp: "&",
	lt: "<",
	gt: ">",
	quot: '"',
	apos: "'",
	nbsp: " ",
	mdash: "—",
	ndash: "–",
	hellip: "…",
	copy: "©",
	laquo: "«",
	raquo: "»",
};

/**
 * Returns the text between the tags of HTML, without building a DOM. Used for pages that are too large, too deep or too
 * broken for a DOM. Takes linear time for any HTML.
 */
export function plainText(html: string): string {
	const parts: string[] = [];
	let at = 0;
	while (at < html.length) {
		const open = html.indexOf("<", at);
		if (open === -1) break;
		parts.push(html.slice(at, open));
		const { next, space } = skipMarkup(html, open);
		parts.push(space);
		at = next;
	}
	parts.push(html.slice(at));
	return tidy(decodeEntities(parts.join("")));
}

/** Skips the markup at `open`. `next` is the index after the markup, and `space` is its replacement in the text. */
function skipMarkup(html: string, open: number): { readonly next: number; readonly space: string } {
	if (html.startsWith("<!--", open)) return { next: after(html, "-->", open + 4), space: "" };
	const [, slash = "", name = ""] = /^<(\/?)([a-z][a-z0-9-]{0,30})/i.exec(html.slice(open, open + 40)) ?? [];
	if (name === "" && !/^<[!?/]/.test(html.slice(open, open + 2))) return { next: open + 1, space: "<" };
	const element = name.toLowerCase();
	const next = after(html, ">", open);
	if (slash === "" && UNREAD.has(element)) return { next: endOfElement(html, element, next), space: "\n" };
	return { next, space: INLINE.has(element) ? "" : "\n" };
}

/** Returns the index after `text`, or the end of the HTML if `text` is missing, so that no part is searched twice. */
function after(html: string, text: string, from: number): number {
	const found = html.indexOf(text, from);
	return found === -1 ? html.length : found + text.length;
}

function endOfElement(html: string, element: string, from: number): number {
	const close = new RegExp(`</${element}`, "gi");
	close.lastIndex = from;
	const found = close.exec(html);
	return found ? after(html, ">", found.index) : html.length;
}

function decodeEntities(text: string): string {
	return text.replaceAll(
		/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi,
		(entity, decimal, hex, name) => {
			if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? entity;
			const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
			return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
		},
	);
}

/** Leaves at most one blank line between paragraphs, and one space between words. */
function tidy(text: string): string {
	const lines = text.split("\n").map((line) => line.replaceAll(/[ \t\r\f]+/g, " ").trim());
	const remaining = lines.filter((line, index) => line !== "" || (index > 0 && lines[index - 1] !== ""));
	return remaining.join("\n").trim();
}
