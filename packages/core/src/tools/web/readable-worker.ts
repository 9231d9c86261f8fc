import { parentPort, workerData } from "node:worker_threads";
import { readableText } from "./readable-text.ts";

/** Input of the worker, which posts the result of `readableText`. */
export interface PageToRead {
	readonly html: string;
	readonly url: string;
}

// The cast is safe because only page-text.ts starts this file, with data of this type.
const { html, url } = workerData as PageToRead;
parentPort?.postMessage(readableText(html, url));
