import type { Envelope } from "./envelope.ts";

/** What one answer may carry: far below a client's budget, whatever fifty messages of a megabyte would come to. */
const answerBytes = 4 * 1024 * 1024;

/** Leaves room in a frame of 32 KiB for what stands around an answer. */
const smallAnswerBytes = 30_000;

/** Bytes that the payload of an answer may have on a connection. */
export function answerBudget(envelope: Envelope | undefined): number {
	return envelope === "both" ? smallAnswerBytes : answerBytes;
}

/** The newest of `items` (oldest first) that fit into `bytes` together, at least one; older ones are for another page. */
export function newestWithin<T>(items: readonly T[], sizeOf: (item: T) => number, bytes = answerBytes): T[] {
	let left = bytes;
	const first = items.findLastIndex((item) => {
		left -= sizeOf(item);
		return left < 0;
	});
	return items.slice(Math.min(first + 1, items.length - 1));
}

/** What a value takes on the wire. */
export function jsonBytes(value: unknown): number {
	return Buffer.byteLength(JSON.stringify(value));
}

/** The first of `items` that fit into `bytes` together, at least one; later ones are for another page. */
export function firstWithin<T>(items: readonly T[], sizeOf: (item: T) => number, bytes = answerBytes): T[] {
	let left = bytes;
	const first = items.findIndex((item) => {
		left -= sizeOf(item);
		return left < 0;
	});
	return first < 0 ? [...items] : items.slice(0, Math.max(1, first));
}
