import { ParleyError } from "@parley/base";
import type { ModelTable } from "../table/model-table.ts";
import { providerTexts } from "./texts.ts";

/** Maximum characters of an invalid address in an error. */
const MAX_SHOWN = 200;

/**
 * Returns the base URL of a server. Throws `invalid_argument` for an invalid URL, an unsupported scheme, or a URL with
 * credentials. The error shows no password.
 */
export function serverUrl(baseUrl: string, provider: string): URL {
	const url = URL.parse(baseUrl);
	if (url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url;
	const shown = JSON.stringify(redacted(baseUrl));
	throw new ParleyError(providerTexts.invalidUrl(shown, provider), {
		code: "invalid_argument",
	});
}

function redacted(url: string): string {
	return url.replace(/^([a-z]+:\/\/)?.*@/is, "$1…@").slice(0, MAX_SHOWN);
}

/**
 * Throws `invalid_argument` if the key has a character other than visible ASCII. Without the check, the HTTP client
 * would report an invalid header, and its error message would contain the key.
 */
export function checkKeyForm(apiKey: string | undefined): void {
	if (!apiKey || /^[!-~]+$/.test(apiKey)) return;
	throw new ParleyError(providerTexts.invalidKey, {
		code: "invalid_argument",
	});
}

/**
 * Returns `name`, or the id of the provider's default model in the table. Throws `failed_precondition` if `name` is
 * undefined and the table has no model of the provider.
 */
export function chosenModel(name: string | undefined, table: ModelTable, provider: string): string {
	const model = name ?? table.defaultOf(provider)?.id;
	if (model !== undefined) return model;
	throw new ParleyError(providerTexts.noKnownModel(provider), { code: "failed_precondition" });
}
