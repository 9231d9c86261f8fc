import { ParleyError } from "@parley/base";
import { settingRefusalTexts } from "../texts/config/refusals.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Pattern of placeholder values that are not keys, for example `changeme`. */
const placeholder =
	/^(?:undefined|null|none|change-?me|placeholder|dummy|test|todo|key|secret|your.*|<.*>|\$.*|(?:sk-ant-)?[x*.]+|.*\.\.\.)$/i;

/** Reads a key from a variable, without surrounding spaces. Returns undefined if the variable is absent or blank. */
export function readApiKey(environment: Environment, variable: string): string | undefined {
	const key = environment[variable]?.trim();
	return key === "" ? undefined : key;
}

/** Whether a discovered value may be a key: printable ASCII, and not a placeholder. */
export function isUsableKey(key: string): boolean {
	return /^[!-~]+$/.test(key) && !placeholder.test(key);
}

/**
 * Throws for a key that is not printable ASCII, and for a placeholder. With `anyWillDo`, a placeholder is allowed,
 * because many servers accept any key.
 */
export function checkKey(key: string, keyName: string, anyWillDo: boolean): void {
	if (!/^[!-~]+$/.test(key)) {
		throw refused(settingRefusalTexts.invalidKey({ variable: keyName }));
	}
	if (anyWillDo || !placeholder.test(key)) return;
	throw refused(
		settingRefusalTexts.placeholderKey({
			variable: keyName,
			value: mayBeShown(key) ? JSON.stringify(key) : undefined,
		}),
	);
}

function mayBeShown(key: string): boolean {
	// A text with more than 20 characters or with `sk-` may be a key.
	return key.length <= 20 && !key.toLowerCase().includes("sk-");
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
