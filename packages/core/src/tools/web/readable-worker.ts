import { parentPort, workerData } from "node:worker_threads";
import { readableText } from "./readable-text.ts";

/** Input of this thread. It posts the text, or undefined. */
export interface PageToRead {
	readonly html: string;
	readonly url: string;
}

// True because only page-text.ts starts this file, with such data.
const { html, url } = workerData as PageToRead;
parentPort?.postMessage(readableText(html, url));
