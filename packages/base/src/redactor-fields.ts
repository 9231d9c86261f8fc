import { defined } from "./defined.ts";

/** As deep as guarded JSON can be. */
const MAX_DEPTH = 64;

/** The copy that `Redactor.redactFields` promises; `redact` gets every string and every key. */
export function redactFields(value: unknown, redact: (text: string) => string): unknown {
	return copy(value, [], redact);
}

function copy(value: unknown, ancestors: readonly object[], redact: (text: string) => string): unknown {
	if (typeof value === "string") return redact(value);
	if (typeof value === "bigint") return String(value);
	if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
	if (typeof value !== "object" || value === null) return value;
	if (ancestors.includes(value)) return "[circular]";
	if (ancestors.length >= MAX_DEPTH) return "[too deep]";
	const path = [...ancestors, value];
	const inner = (item: unknown): unknown => copy(item, path, redact);
	const entries = (of: object): object =>
		Object.fromEntries(Object.entries(of).map(([key, item]) => [redact(key), inner(item)]));
	if (Array.isArray(value)) return value.map(inner);
	if (value instanceof Error) return entries(errorFields(value));
	if (value instanceof Date || value instanceof URL) return inner(value.toJSON());
	if (!isPlain(value)) return `[${value.constructor?.name ?? "object"}]`;
	return entries(value);
}

function errorFields(error: Error): object {
	const { name, message, stack, cause } = error;
	return {
		type: name,
		message,
		...defined({ code: "code" in error ? error.code : undefined }),
		stack,
		...defined({ cause, errors: error instanceof AggregateError ? error.errors : undefined }),
	};
}

function isPlain(value: object): boolean {
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}
