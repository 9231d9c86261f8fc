import { defined, ParleyError } from "@parley/base";
import type { ApiFamily, ServerTraits } from "@parley/core";
import { settingRefusalTexts } from "../texts/config/refusals.ts";
import { isNearby, parseApiUrl } from "./base-url.ts";
import {
	type ApiName,
	apiNames,
	type KnownProvider,
	knownProvider,
	knownProviders,
} from "./known-providers.ts";
import { checkKey, type Environment, isUsableKey, readApiKey } from "./provider-keys.ts";
import type { Settings } from "./schema.ts";

/** A provider in addition to the gateway's Messages API, with the address and key for calls. */
export interface ProviderConnection {
	/** Name of the provider: the first part of `provider/model`. */
	readonly name: string;
	readonly family: ApiFamily | "anthropic";
	/** Address of the API, without a slash at its end. */
	readonly baseUrl: string;
	readonly apiKey?: string;
	/** Name of the option or variable for the key, for messages. */
	readonly keyName?: string;
	/** Whether the address is the known address of the provider. */
	readonly isOfficial: boolean;
	readonly traits?: ServerTraits;
}

interface Sources {
	readonly settings: Settings;
	readonly environment: Environment;
	/**
	 * Key from the `--api-key` flag of this process. The key replaces the key variables of the provider that the
	 * setting `provider` names.
	 */
	readonly explicitKey?: { readonly key: string; readonly name: string } | undefined;
	/** Whether known providers with `isDiscovered` are also used if their first key variable contains a usable key. */
	readonly includesDiscovered: boolean;
}

const builtIn: readonly string[] = ["auto", "anthropic", "offline"];

export function providerNames({ models }: Settings): string[] {
	return [...new Set([...builtIn, ...Object.keys(knownProviders), ...Object.keys(models?.providers ?? {})])];
}

/**
 * Returns the connections to the configured providers. With `includesDiscovered`, also returns the connections to
 * discovered providers. The first connection is to the provider that the setting `provider` names, if any. Throws
 * `invalid_argument` for a provider that cannot work, for example without a key.
 */
export function readConnections(sources: Sources): ProviderConnection[] {
	const { settings, environment, includesDiscovered } = sources;
	const { provider = "auto", models } = settings;
	const chosen = isOwn(provider) ? [provider] : [];
	const configured = Object.keys(models?.providers ?? {});
	const found = Object.entries<KnownProvider>(knownProviders).flatMap(([name, { isDiscovered, keys }]) =>
		includesDiscovered && isDiscovered && isUsableKey(keyOf(keys.slice(0, 1), environment)?.key ?? "")
			? [name]
			: [],
	);
	return [...new Set([...chosen, ...configured, ...found])].map((name) => connection(name, sources));
}

/** Whether the provider is not one of the built-in providers `auto`, `anthropic` and `offline`. */
export function isOwn(provider: string): boolean {
	return !builtIn.includes(provider);
}

function connection(name: string, sources: Sources): ProviderConnection {
	const { settings, environment, explicitKey } = sources;
	const known = knownProvider(name);
	const own = settings.models?.providers?.[name];
	const isFirst = settings.provider === name;
	const { url, isOfficial, isExplicit, place } = addressOf(name, sources);
	// The provider's default key is not sent to another server, unless the setting `baseUrl` names the server, or the
	// provider has no known address.
	const mayHaveKey = isOfficial || isExplicit || known?.baseUrl === undefined;
	const keys = own?.key === undefined ? (mayHaveKey && known?.keys) || [] : [own.key];
	const key = isFirst && explicitKey ? explicitKey : keyOf(keys, environment);
	if (key) checkKey(key.key, key.name, !isOfficial);
	else if (isFirst && isOfficial && keys[0] !== undefined) throw withoutKey(name, keys[0]);
	if (key && url.protocol !== "https:" && !isNearby(url)) throw unencrypted(url, place);
	return {
		name,
		family: apiNames[own?.api ?? apiOf(known, isOfficial)],
		baseUrl: url.href.replace(/\/+$/, ""),
		isOfficial,
		...defined({
			apiKey: key?.key,
			keyName: key?.name ?? keys[0],
			traits: known?.traits,
		}),
	};
}

interface Address {
	readonly url: URL;
	readonly isOfficial: boolean;
	/**
	 * Whether the address comes from the setting `baseUrl`. This setting applies only to the provider in the setting
	 * `provider`.
	 */
	readonly isExplicit: boolean;
	/** Option or setting for the address, for messages. */
	readonly place: string;
}

function addressOf(name: string, { settings, environment }: Sources): Address {
	const common = knownProvider(name)?.baseUrl;
	const flag = settings.provider === name ? settings.baseUrl : undefined;
	const given = flag ?? settings.models?.providers?.[name]?.baseUrl;
	const isExplicit = flag !== undefined;
	const place = isExplicit ? "--base-url" : `models.providers.${name}.baseUrl`;
	const text = given ?? inserted(common, environment, place);
	if (text === undefined) throw refused(settingRefusalTexts.addressMissing({ place }));
	const url = parseApiUrl(text);
	if (url && name === "azure") checkAzure(url, place);
	if (url) return { url, isOfficial: given === undefined || isAddress(url, common), isExplicit, place };
	throw refused(settingRefusalTexts.addressNotAllowed({ value: JSON.stringify(given), place }));
}

/**
 * Adds the path of the v1 API to an Azure address without a path. Throws for an Azure address of the older API,
 * because its requests have a different format.
 */
function checkAzure(url: URL, place: string): void {
	if (!/\.azure\.com$/.test(url.hostname)) return;
	if (/^\/*$/.test(url.pathname)) url.pathname = "/openai/v1";
	if (url.pathname.replace(/\/+$/, "").endsWith("/openai/v1")) return;
	throw refused(
		settingRefusalTexts.azureAddress({ url: JSON.stringify(url.href), place, origin: url.origin }),
	);
}

function apiOf(known: KnownProvider | undefined, isOfficial: boolean): ApiName {
	// Few servers other than the vendor's have `responses`, so the default for other servers is `chat-completions`.
	if (known && (isOfficial || known.baseUrl === undefined || known.api !== "responses")) return known.api;
	return "chat-completions";
}

function keyOf(
	names: readonly string[],
	environment: Environment,
): { readonly key: string; readonly name: string } | undefined {
	for (const name of names) {
		const key = readApiKey(environment, name);
		if (key !== undefined) return { key, name };
	}
	return undefined;
}

function isAddress({ href }: URL, common = ""): boolean {
	const [start = "", end] = common.split(/\{\w+\}/);
	const text = href.replace(/\/+$/, "");
	if (end === undefined) return text === start;
	return (
		text.startsWith(start) &&
		text.endsWith(end) &&
		/^[\w-]+$/.test(text.slice(start.length, text.length - end.length))
	);
}

/** Replaces each `{NAME}` in an address with the value of the variable. Throws if the value is missing or invalid. */
function inserted(text: string | undefined, environment: Environment, place: string): string | undefined {
	return text?.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = environment[name];
		if (value && /^[\w-]+$/.test(value)) return value;
		const texts = settingRefusalTexts;
		if (!value) throw refused(texts.regionMissing({ variable: name, place }));
		throw refused(texts.invalidRegion({ value: JSON.stringify(value), variable: name, place }));
	});
}

function withoutKey(name: string, variable: string): ParleyError {
	return refused(settingRefusalTexts.providerKeyMissing({ provider: name, variable }));
}

function unencrypted({ href }: URL, place: string): ParleyError {
	return refused(settingRefusalTexts.providerKeyUnencrypted({ value: JSON.stringify(href), place }));
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
