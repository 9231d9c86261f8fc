import { beginning } from "../shared/beginning.ts";

/** Bytes that a WebSocket message may have for existing Go clients: coder/websocket, `defaultReadLimit` in read.go. */
const mostFrameBytes = 32_768;
/** Of a frame of that size (RFC 6455, 5.2). */
const frameHead = 4;

/** Strings are cut no shorter than this as long as something else can go: ids, names and paths stay whole. */
const shortest = 200;
/** Strings of an answer stay this long, its lists are made shorter first. */
const shortestListed = 1_000;
/** How near a cut comes to the longest that fits. */
const near = 32;

/** Whether a frame of this JSON text may be sent to such a client. */
export function fitsFrame(text: string): boolean {
	if (text.length > mostFrameBytes) return false;
	return Buffer.byteLength(text) + frameHead <= mostFrameBytes;
}

/** Whether a frame with this value in it can be sent. */
export type Fits = (value: unknown) => boolean;

/**
 * The payload of an event as it fits: long strings cut as little as needed, then its free-form arguments replaced, then
 * its lists made shorter. Every key and its type stays.
 */
export function fitEvent(payload: object, fits: Fits, mark: Mark): object {
	if (fits(payload)) return payload;
	let least = payload;
	for (const reduced of reductions(payload, mark)) {
		const capped = capToFit(reduced, { fits, mark, shortest });
		// True because cutting its strings leaves an object an object.
		if (capped !== undefined) return capped as object;
		least = reduced;
	}
	return least;
}

/** The payload of an answer as it fits, its longest list shortened, with `more` for what is missing; or undefined. */
export function fitAnswer(payload: unknown, fits: Fits, mark: Mark): unknown {
	if (fits(payload)) return payload;
	const capped = capToFit(payload, { fits, mark, shortest: shortestListed });
	if (capped !== undefined) return capped;
	const shown = capStrings(payload, shortestListed, mark);
	const [key, list] = longestList(shown);
	const first = (count: number): object => ({
		...Object(shown),
		[key]: list.slice(0, count),
		more: list.length - count,
	});
	const count = largest(0, list.length, (most) => fits(first(most)));
	if (count !== undefined) return first(count);
	return capToFit(first(0), { fits, mark, shortest });
}

function* reductions(payload: object, mark: Mark): Generator<object> {
	yield payload;
	const plain = withoutArguments(payload, mark);
	yield plain;
	for (let most = 64; most >= 1; most /= 2) yield withLists(plain, most);
	yield withLists(plain, 0);
}

/** Arguments may have any number of keys: where cut strings are not enough, only how long they are is told. */
function withoutArguments(payload: object, mark: Mark): object {
	const short = (holder: object): object => {
		if (!("arguments" in holder)) return holder;
		return { ...holder, arguments: { "…": mark(JSON.stringify(holder.arguments).length).trim() } };
	};
	const context = "context" in payload ? payload.context : undefined;
	const shown =
		typeof context === "object" && context !== null ? { ...payload, context: short(context) } : payload;
	return short(shown);
}

function withLists(value: object, most: number): object {
	const shorten = (item: unknown): unknown => {
		if (Array.isArray(item)) return item.slice(0, most).map(shorten);
		return typeof item === "object" && item !== null ? withLists(item, most) : item;
	};
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item)]));
}

/** The value with its strings cut as little as it takes to fit, or undefined where that does not help. */
export function capToFit(
	value: unknown,
	{ fits, mark, shortest: least }: { readonly fits: Fits; readonly mark: Mark; readonly shortest: number },
): unknown {
	const most = largest(least, mostFrameBytes, (length) => fits(capStrings(value, length, mark)));
	return most === undefined ? undefined : capStrings(value, most, mark);
}

/** About the largest number from `least` to `most` for which `holds`; undefined where it does not hold for the least. */
function largest(least: number, most: number, holds: (value: number) => boolean): number | undefined {
	if (!holds(least)) return undefined;
	let [held, over] = [least, most];
	const exact = most - least > 1_000 ? near : 1;
	while (over - held > exact) {
		const middle = Math.floor((held + over) / 2);
		if (holds(middle)) held = middle;
		else over = middle;
	}
	return held;
}

function longestList(payload: unknown): [key: string, list: readonly unknown[]] {
	const lists = Object.entries(Object(payload)).flatMap(([key, value]): [string, unknown[]][] =>
		Array.isArray(value) ? [[key, value]] : [],
	);
	const size = ([, list]: [string, unknown[]]): number => JSON.stringify(list).length;
	return lists.sort((one, other) => size(other) - size(one))[0] ?? ["more", []];
}

/** What is said in place of that many missing characters. */
export type Mark = (missing: number) => string;

/** The value with every string, however deep, cut to `most` characters; what is missing is said behind the rest. */
export function capStrings(value: unknown, most: number, mark: Mark): unknown {
	if (typeof value === "string") return capText(value, most, mark);
	if (Array.isArray(value)) return value.map((item) => capStrings(item, most, mark));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, capStrings(item, most, mark)]));
}

function capText(text: string, most: number, mark: Mark): string {
	if (text.length <= most) return text;
	const kept = beginning(text, most);
	const said = kept + mark(text.length - kept.length);
	return said.length < text.length ? said : text;
}
