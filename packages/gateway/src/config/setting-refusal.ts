import { ParleyError, Redactor } from "@parley/base";
import type { JsonPath } from "@parley/base/commented-json";
import { findNearMiss } from "@parley/core";
import { issueWords } from "@parley/protocol";
import type * as z from "zod";
import { settingRefusalTexts } from "../texts/config/refusals.ts";
import { settingsAt } from "./schema.ts";
import type { Source } from "./sources.ts";

/**
 * Parse options with the messages of the gateway. In a refusal, the message of an issue follows `allowed:` or
 * `needed:`.
 */
export const inOurWords = {
	error: (issue: z.core.$ZodRawIssue) => issueWords(issue).replace(/^(?:is missing: it )?must be /, ""),
};

/** Returns the error for the first issue that the schema reports about a source. */
export function explain(source: Source, { issues: [issue] }: z.ZodError): ParleyError {
	const path = (issue?.path ?? []).map((key) => (typeof key === "symbol" ? String(key) : key));
	if (issue?.code === "unrecognized_keys") return unknownKey(source, path, issue.keys[0] ?? "");
	return notAllowed(source, path, { value: valueAt(source.values, path), allowed: issue?.message ?? "" });
}

function valueAt(values: unknown, path: JsonPath): unknown {
	return path.reduce<unknown>((value, key) => Object(value)[key], values);
}

function unknownKey(source: Source, path: JsonPath, key: string): ParleyError {
	const allowed = settingsAt(path).filter((name) => name !== "$schema");
	const near = findNearMiss(key, allowed);
	const unknown = JSON.stringify([...path, key].join("."));
	const origin = source.origin([...path, key]);
	return refused(settingRefusalTexts.unknownSetting({ name: unknown, place: origin, near, allowed }));
}

/** Value that is refused, and the allowed values. `reason` is set if `allowed` does not explain the refusal. */
interface RefusedValue {
	readonly value: unknown;
	readonly allowed: string;
	readonly reason?: string;
}

/** Returns the error for one setting, with the position of the setting if the source knows this position. */
export function notAllowed(
	source: { origin(path: JsonPath): string | undefined },
	path: JsonPath,
	{ value, allowed, reason }: RefusedValue,
): ParleyError {
	const name = path.filter((key) => typeof key === "string").join(".");
	const origin = source.origin(path);
	const place = origin === undefined ? name : `${name} (${origin})`;
	if (value === undefined) return refused(settingRefusalTexts.missing({ place, allowed }));
	return refused(settingRefusalTexts.notAllowed({ value: show(value), place, reason, allowed }));
}

function show(value: unknown): string {
	const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
	return withoutCredentials(text).slice(0, 200);
}

const redactor = new Redactor();

/**
 * Returns the text without credentials. Hides the user information and the queries of addresses, and texts that look
 * like credentials.
 */
export function withoutCredentials(text: string): string {
	// An unencoded password can contain "/" and "?", so everything up to the last "@" is hidden.
	const plain = text.replace(/(?<=:\/\/)[^\s"]*@/g, "…@").replace(/(?<=:\/\/[^"]*)\?[^"]*/g, "?…");
	return redactor.redact(plain);
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
