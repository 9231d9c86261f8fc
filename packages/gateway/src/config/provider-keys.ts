import { ParleyError } from "@parley/base";
import { settingRefusalTexts } from "../texts/config/refusals.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Placeholders from examples and unset variables of other programs. */
const placeholder =
	/^(?:undefined|null|none|change-?me|placeholder|dummy|test|todo|key|secret|your.*|<.*>|\$.*|(?:sk-ant-)?[x*.]+|.*\.\.\.)$/i;

/** Key in the environment, for any provider. Undefined without one. */
export function readApiKey(environment: Environment, variable: string): string | undefined {
	const key = environment[variable]?.trim();
	return key === "" ? undefined : key;
}

/** Whether a key that was found can be one. */
export function isUsableKey(key: string): boolean {
	return /^[!-~]+$/.test(key) && !placeholder.test(key);
}

/** Other servers often require any key, so this is not an error. */
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

/** Whether the value is certainly not a key. A value that looks like one stays hidden. */
function mayBeShown(key: string): boolean {
	return key.length <= 20 && !key.toLowerCase().includes("sk-");
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
