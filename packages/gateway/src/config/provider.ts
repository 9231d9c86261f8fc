import { defined, ParleyError } from "@parley/base";
import { isOfficial, parseBaseUrl } from "./base-url.ts";
import type { Settings } from "./schema.ts";

/** Reason for the provider: a key is set, a server is named, it is configured, or there is no other. */
export type ProviderReason = "key" | "base-url" | "llama" | "configured" | "no key";

/** Configured provider and model. */
export interface ProviderChoice {
	readonly provider: "anthropic" | "offline";
	/** Default: `configured`. */
	readonly providerReason?: ProviderReason;
	/** From the environment only. Never shown. */
	readonly apiKey?: string;
	/** The option or variable that has the key, for messages. */
	readonly keyName?: string;
	/** Another server than the vendor's, without a slash at its end. */
	readonly baseUrl?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const keyVariable = "ANTHROPIC_API_KEY";
/** llama-server reads its own key from the same variable. */
const llamaKeyVariable = "LLAMA_API_KEY";

/** Placeholders from examples and unset variables of other programs. */
const placeholder =
	/^(?:undefined|null|none|change-?me|placeholder|dummy|test|todo|key|secret|your.*|<.*>|\$.*|(?:sk-ant-)?[x*.]+|.*\.\.\.)$/i;

/** Key in the environment, for any provider. Undefined without one. */
function readApiKey(environment: Environment, variable = keyVariable): string | undefined {
	const key = environment[variable]?.trim();
	return key === "" ? undefined : key;
}

/**
 * Throws `invalid_argument` with advice if the configured provider cannot work. `keyName` is the place of the key in
 * messages.
 */
export function chooseProvider(
	{ provider = "auto", baseUrl, llama }: Settings,
	environment: Environment,
	keyName = keyVariable,
): ProviderChoice {
	if (llama && provider !== "offline") return localServer(provider, llama, environment);
	const apiKey = readApiKey(environment);
	const key = apiKey === undefined ? {} : { apiKey, keyName };
	if (provider === "offline") return { provider, providerReason: "configured", ...key };
	const server = baseUrl === undefined ? undefined : otherServer(baseUrl);
	if (apiKey !== undefined) checkKey(apiKey, keyName, server !== undefined);
	const reasons = { "base-url": server, key: apiKey } as const;
	const reason = (["base-url", "key"] as const).find((name) => reasons[name] !== undefined);
	if (reason === undefined) {
		if (provider === "auto") return { provider: "offline", providerReason: "no key" };
		throw refused(
			`provider anthropic needs a key: set ${keyVariable}; or name a server with the Messages API with ` +
				"--base-url; --provider offline needs neither",
		);
	}
	return {
		provider: "anthropic",
		providerReason: provider === "auto" ? reason : "configured",
		...key,
		...defined({ baseUrl: server }),
	};
}

/** Default address of the local model server. */
export const defaultLlamaEndpoint = "http://127.0.0.1:8080";

/** The gateway's own key is not for a local model server. */
function localServer(
	provider: "auto" | "anthropic",
	{ endpoint = defaultLlamaEndpoint }: NonNullable<Settings["llama"]>,
	environment: Environment,
): ProviderChoice {
	const apiKey = readApiKey(environment, llamaKeyVariable);
	const baseUrl = parseBaseUrl(endpoint)?.href.replace(/\/$/, "") ?? endpoint;
	if (apiKey !== undefined) checkKey(apiKey, llamaKeyVariable, true);
	return {
		provider: "anthropic",
		providerReason: provider === "auto" ? "llama" : "configured",
		...defined({ apiKey, keyName: apiKey === undefined ? undefined : llamaKeyVariable }),
		baseUrl,
	};
}

function otherServer(text: string): string | undefined {
	const url = parseBaseUrl(text);
	return url && !isOfficial(url) ? url.href.replace(/\/$/, "") : undefined;
}

/** Other servers often require any key, so this is not an error. */
function checkKey(key: string, keyName: string, anyWillDo: boolean): void {
	const mend = "set it to a key, or unset it to use the offline model";
	if (!/^[!-~]+$/.test(key)) {
		throw refused(
			`${keyName} contains characters that a key cannot have (a space, a line break or a letter beyond ASCII); ${mend}`,
		);
	}
	if (anyWillDo || !placeholder.test(key)) return;
	throw refused(
		`${keyName} is ${mayBeShown(key) ? JSON.stringify(key) : "a placeholder"}, which is not a key; ${mend}`,
	);
}

/** Whether the value is certainly not a key. A value that looks like one stays hidden. */
function mayBeShown(key: string): boolean {
	return key.length <= 20 && !key.toLowerCase().includes("sk-");
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
