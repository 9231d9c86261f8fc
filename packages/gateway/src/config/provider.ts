import { defined, ParleyError } from "@parley/base";
import { settingRefusalTexts } from "../texts/config/refusals.ts";
import { isOfficial, parseBaseUrl } from "./base-url.ts";
import { isOwn, type ProviderConnection, readConnections } from "./provider-connections.ts";
import { checkKey, type Environment, isUsableKey, readApiKey } from "./provider-keys.ts";
import type { Settings } from "./schema.ts";

/** Reason for the choice of the provider: a key, an address, a local server, the configuration, or no key. */
export type ProviderReason = "key" | "base-url" | "llama" | "configured" | "no key";

/** The gateway's key for the Messages API. */
export interface MessagesKey {
	readonly apiKey?: string;
	/** Name of the option or environment variable with the key. Shown in errors. */
	readonly keyName?: string;
}

/** Chosen provider, and further providers. */
export interface ProviderChoice extends MessagesKey {
	/** `anthropic`, `offline`, or the name of the first connection. */
	readonly provider: string;
	/** Reason for the choice of the provider. Default: `configured`. */
	readonly providerReason?: ProviderReason;
	/** Address of a server other than the vendor's, without a slash at its end. */
	readonly baseUrl?: string;
	/** Further providers. `apiKey` and `baseUrl` are not for them, but for the Messages API. */
	readonly connections?: readonly ProviderConnection[];
}

const keyVariable = "ANTHROPIC_API_KEY";
/** Variable with the key of the local model server. llama-server itself reads the same variable. */
const llamaKeyVariable = "LLAMA_API_KEY";

/**
 * Returns the provider that the settings and the environment choose, with further providers. Throws
 * `invalid_argument` with advice if the configured provider cannot work. `keyName` is the name of the flag or
 * variable with the key, for messages.
 */
export function chooseProvider(
	settings: Settings,
	environment: Environment,
	keyName = keyVariable,
): ProviderChoice {
	const { provider = "auto" } = settings;
	if (provider === "offline")
		return { provider, providerReason: "configured", ...ownKey(environment, keyName) };
	if (isOwn(provider)) return ownChoice(settings, environment, keyName);
	const choice = messagesChoice(settings, environment, keyName);
	const connections = connectionsBeside(choice, settings, environment);
	const others = connections.length === 0 ? {} : { connections };
	if (choice) return { ...choice, ...others };
	const [first] = connections;
	if (provider === "auto" && first) {
		const isConfigured = settings.models?.providers?.[first.name] !== undefined;
		return { provider: first.name, providerReason: isConfigured ? "configured" : "key", ...others };
	}
	if (provider === "auto") return { provider: "offline", providerReason: "no key" };
	throw refused(settingRefusalTexts.anthropicKeyMissing({ variable: keyVariable }));
}

/** Returns the choice of the local server or the Messages API, or undefined if neither is configured. */
function messagesChoice(
	settings: Settings,
	environment: Environment,
	keyName: string,
): ProviderChoice | undefined {
	const { provider = "auto", llama } = settings;
	return llama ? localServer(provider, llama, environment) : anthropic(settings, environment, keyName);
}

/**
 * Returns the connections to providers other than `choice`. Discovered providers are omitted if `choice` is a server
 * other than the vendor's. Without a choice, they are omitted if a provider is configured.
 */
function connectionsBeside(
	choice: ProviderChoice | undefined,
	settings: Settings,
	environment: Environment,
): readonly ProviderConnection[] {
	const configured = Object.keys(settings.models?.providers ?? {});
	const isServer = choice?.baseUrl !== undefined;
	if (isServer && configured.includes("anthropic")) throw twoServers();
	// The model names of a server other than the vendor's may begin with the name of a provider, so discovered
	// providers are omitted.
	const isNamed = isServer || (!choice && configured.length > 0);
	return readConnections({ settings, environment, includesDiscovered: !isNamed });
}

function ownChoice(settings: Settings, environment: Environment, keyName: string): ProviderChoice {
	const { provider = "", llama } = settings;
	if (llama) throw refused(settingRefusalTexts.llamaAndProvider({ provider }));
	// A key from a flag belongs to the provider in the setting `provider`.
	const key = keyName === keyVariable ? undefined : readApiKey(environment, keyVariable);
	const explicitKey = key === undefined ? undefined : { key, name: keyName };
	const others = explicitKey ? { ...environment, [keyVariable]: undefined } : environment;
	const connections = readConnections({
		settings,
		environment: others,
		includesDiscovered: false,
		...defined({ explicitKey }),
	});
	const found = readApiKey(others, keyVariable);
	const own = found !== undefined && isUsableKey(found) ? { apiKey: found, keyName } : {};
	return { provider, providerReason: "configured", ...own, connections };
}

function ownKey(environment: Environment, keyName: string): MessagesKey {
	const apiKey = readApiKey(environment, keyVariable);
	return apiKey === undefined ? {} : { apiKey, keyName };
}

/** Returns the choice of the Messages API, or undefined if neither a key nor the address of another server is set. */
function anthropic(
	{ provider = "auto", baseUrl }: Settings,
	environment: Environment,
	keyName: string,
): ProviderChoice | undefined {
	const key = ownKey(environment, keyName);
	const { apiKey } = key;
	const server = otherServer(baseUrl);
	if (apiKey !== undefined) checkKey(apiKey, keyName, server !== undefined);
	const reasons = { "base-url": server, key: apiKey } as const;
	const reason = (["base-url", "key"] as const).find((name) => reasons[name] !== undefined);
	if (reason === undefined) return undefined;
	return {
		provider: "anthropic",
		providerReason: provider === "auto" ? reason : "configured",
		...key,
		...defined({ baseUrl: server }),
	};
}

interface KeyHolders extends ProviderChoice {
	readonly search?: { readonly key?: string };
}

/** Returns the keys of all providers and of the search engine, for redaction. Omits keys of fewer than 16 characters. */
export function secretKeys({ apiKey, connections = [], search }: KeyHolders): string[] {
	const keys = [apiKey, search?.key, ...connections.map((one) => one.apiKey)];
	return keys.flatMap((key) => (key !== undefined && key.length >= shortestSecret ? [key] : []));
}

const shortestSecret = 16;

/** Default address of the local model server. */
export const defaultLlamaEndpoint = "http://127.0.0.1:8080";

function localServer(
	provider: string,
	{ endpoint = defaultLlamaEndpoint }: NonNullable<Settings["llama"]>,
	environment: Environment,
): ProviderChoice {
	// The local server never gets the key of Anthropic.
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

function otherServer(text: string | undefined): string | undefined {
	const url = text === undefined ? undefined : parseBaseUrl(text);
	return url && !isOfficial(url) ? url.href.replace(/\/$/, "") : undefined;
}

function twoServers(): ParleyError {
	return refused(settingRefusalTexts.twoAnthropic);
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
