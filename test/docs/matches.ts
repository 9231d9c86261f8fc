/**
 * Values of the placeholders in a document, for example `sess_…` for a session id, `run_…b` for a second run id, and
 * `CODE…` for any text.
 */
export type Bound = Map<string, string>;

/** Names of fields with numbers that differ between runs. Only the type of the numbers is compared. */
const varying = new Set([
	...[
		"seq",
		"last_seq",
		"before",
		"duration",
		"in_ms",
		"cost_usd",
		"spent_usd",
		"tokens_before",
		"tokens_after",
	],
	...["tokens_input", "tokens_output", "tokens_cache_read", "tokens_cache_write", "uptime_s"],
]);

/**
 * Returns the path of the first difference between `shown` and `actual` with both values, or undefined. Objects must
 * have the same keys, and lists the same length unless `shown` ends with `…`. In a text, `…` matches any text. A
 * placeholder such as `run_…` must have the same value everywhere.
 */
export function mismatch(shown: unknown, actual: unknown, bound: Bound, at = ""): string | undefined {
	if (typeof shown === "string") return textMismatch(shown, actual, bound, at);
	if (Array.isArray(shown)) return listMismatch(shown, actual, bound, at);
	if (isObject(shown)) return objectMismatch(shown, actual, bound, at);
	const isFigure = typeof shown === "number" && varying.has(at.split(".").at(-1) ?? "");
	const fits = isFigure ? typeof actual === "number" : Object.is(shown, actual);
	return fits ? undefined : differs(at, shown, actual);
}

function textMismatch(shown: string, actual: unknown, bound: Bound, at: string): string | undefined {
	if (typeof actual !== "string") return differs(at, shown, actual);
	const known = bound.get(shown);
	if (known !== undefined) return known === actual ? undefined : differs(at, known, actual);
	const [name, prefix = ""] = /^(?:([\w:]+_)|[A-Z]{3,})…\w?$/.exec(shown) ?? [];
	if (name !== undefined) {
		if (!actual.startsWith(prefix)) return differs(at, shown, actual);
		bound.set(shown, actual);
		return undefined;
	}
	const parts = shown.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
	return new RegExp(`^${parts.join(".*")}$`, "s").test(actual) ? undefined : differs(at, shown, actual);
}

function listMismatch(
	shown: readonly unknown[],
	actual: unknown,
	bound: Bound,
	at: string,
): string | undefined {
	if (!Array.isArray(actual)) return differs(at, shown, actual);
	const open = shown.at(-1) === "…";
	const expected = open ? shown.slice(0, -1) : shown;
	if (open ? actual.length < expected.length : actual.length !== expected.length)
		return differs(at, shown, actual);
	return first(expected.map((item, index) => () => mismatch(item, actual[index], bound, `${at}.${index}`)));
}

function objectMismatch(
	shown: Readonly<Record<string, unknown>>,
	actual: unknown,
	bound: Bound,
	at: string,
): string | undefined {
	if (!isObject(actual)) return differs(at, shown, actual);
	const keys = [Object.keys(shown), Object.keys(actual)].map((names) => names.sort().join(", "));
	if (keys[0] !== keys[1]) return differs(`${at} (keys)`, keys[0], keys[1]);
	return first(
		Object.entries(shown).map(
			([key, value]) =>
				() =>
					mismatch(value, actual[key], bound, at === "" ? key : `${at}.${key}`),
		),
	);
}

function first(checks: readonly (() => string | undefined)[]): string | undefined {
	for (const check of checks) {
		const difference = check();
		if (difference !== undefined) return difference;
	}
	return undefined;
}

function differs(at: string, shown: unknown, actual: unknown): string {
	return `${at}: shown ${JSON.stringify(shown)}, but is ${JSON.stringify(actual)}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns `shown` for sending. Replaces each placeholder that has a value in `bound` by that value. */
export function fillIn(shown: unknown, bound: Bound): unknown {
	if (typeof shown === "string")
		return shown.replaceAll(/(?:[\w:]+_|[A-Z]{3,})…\w?/g, (name) => bound.get(name) ?? name);
	if (Array.isArray(shown)) return shown.map((item) => fillIn(item, bound));
	if (!isObject(shown)) return shown;
	return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, fillIn(value, bound)]));
}
