import { ParleyError } from "@parley/base";
import { settingRefusalTexts } from "../texts/config/refusals.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Pattern of placeholders from examples, and of unset variables of other programs. */
const placeholder =
	/^(?:undefined|null|none|change-?me|placeholder|dummy|test|todo|key|secret|your.*|<.*>|\$.*|(?:sk-ant-)?[x*.]+|.*\.\.\.)$/i;

/** Reads a key from a variable; undefined if the variable is absent or empty. */
export function readApiKey(environment: Environment, variable: string): string | undefined {
	const key = environment[variable]?.trim();
	return key === "" ? undefined : key;
}

/** Whether a found text can be a key. */
export function isUsableKey(key: string): boolean {
	return /^[!-~]+$/.test(key) && !placeholder.test(key);
}

/**
 * Checks a key. Throws for an invalid key and for a placeholder. With `anyWillDo`, a placeholder is allowed, because many
 * other servers accept any key.
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

/** Whether a message may show the value, because it is certainly not a key. */
function mayBeShown(key: string): boolean {
	return key.length <= 20 && !key.toLowerCase().includes("sk-");
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
