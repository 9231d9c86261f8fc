interface UnknownSetting {
	readonly name: string;
	readonly place: string | undefined;
	readonly near: string | undefined;
	readonly allowed: readonly string[];
}

interface NotAllowed {
	readonly value: string;
	readonly place: string;
	readonly reason: string | undefined;
	readonly allowed: string;
}

const address = "an http or https address with the version of the API, such as http://127.0.0.1:8000/v1";
const keyFix = "set it to a valid key, or unset it";
const keyUnencrypted = "the key would be sent over the internet without encryption";
const httpsOrOwnNetwork = "https, or a server on this machine or in its own network";

/** Errors about settings, and parts of these errors. */
export const settingRefusalTexts = {
	otherModelServer: "the setting llama also names a model server",
	oneOfBoth: "only one of the settings baseUrl and llama; remove one of them",
	llamaWithoutPath: "the program in llama.command serves plain http, at an address without a path",
	llamaEndpoint: "http://HOST:PORT, for example http://127.0.0.1:8080",
	didYouMean: ({ near }: { readonly near: string }) => `did you mean ${near}?`,
	knownProvider: ({ names }: { readonly names: string }) => `${names}, or a name of models.providers`,
	existingDirectory: "a directory that exists",
	existingPath: "a path that exists",
	existingFile: "a file that exists",
	keyUnencrypted,
	httpsOrOwnNetwork,
	invalidFile: ({ path, reason }: { readonly path: string; readonly reason: string }) =>
		`${path} is not valid: ${reason}`,
	/** `place`: path of the setting in the file. */
	invalidSetting: ({
		path,
		place,
		allowed,
	}: {
		readonly path: string;
		readonly place: string;
		readonly allowed: string;
	}) => `${path} is not valid: correct ${place}; allowed: ${allowed}`,
	pathMissing: ({ path }: { readonly path: string }) =>
		`its path ${path} does not exist or is not accessible: create it, or correct the path or its permissions`,
	invalidLogins: ({ path }: { readonly path: string }) =>
		`${path} is not valid: remove it, then log in again`,
	noVariable: ({ names }: { readonly names: string }) =>
		`the environment of the gateway does not contain ${names}: add the missing ${names.includes(",") ? "variables" : "variable"} and restart the gateway`,
	addressMissing: ({ place }: { readonly place: string }) => `${place} is missing; needed: ${address}`,
	addressNotAllowed: ({ value, place }: { readonly value: string; readonly place: string }) =>
		`${value} is not allowed for ${place}; allowed: ${address}`,
	azureAddress: ({
		url,
		place,
		origin,
	}: {
		readonly url: string;
		readonly place: string;
		readonly origin: string;
	}) =>
		`${url} is not allowed for ${place}: only the v1 API of Azure is supported; ` +
		`allowed: ${origin}/openai/v1, with the deployment name as the model name`,
	regionMissing: ({ variable, place }: { readonly variable: string; readonly place: string }) =>
		`the address of the provider needs a region: set ${variable}, for example to us-east-1, or set ${place}`,
	invalidRegion: ({
		value,
		variable,
		place,
	}: {
		readonly value: string;
		readonly variable: string;
		readonly place: string;
	}) => `invalid region ${value} in ${variable}: use only letters, digits, "_" and "-", or set ${place}`,
	providerKeyMissing: ({ provider, variable }: { readonly provider: string; readonly variable: string }) =>
		`provider ${provider} needs a key: set ${variable}; --provider offline needs none`,
	providerKeyUnencrypted: ({ value, place }: { readonly value: string; readonly place: string }) =>
		`${value} is not allowed for ${place}: ${keyUnencrypted}; allowed: ${httpsOrOwnNetwork}`,
	invalidKey: ({ variable }: { readonly variable: string }) =>
		`${variable} contains characters that a key cannot have (for example a space, a line break or a non-ASCII character); ${keyFix}`,
	/** Shows the key only with `value`. */
	placeholderKey: ({
		variable,
		value = "a placeholder",
	}: {
		readonly variable: string;
		readonly value: string | undefined;
	}) => `${variable} is ${value}, which is not a key; ${keyFix}`,
	anthropicKeyMissing: ({ variable }: { readonly variable: string }) =>
		`provider anthropic needs a key: set ${variable}, or use --base-url for a server with the ` +
		"Messages API; --provider offline needs neither",
	llamaAndProvider: ({ provider }: { readonly provider: string }) =>
		`provider ${provider} and llama cannot be used together: remove one of them`,
	twoAnthropic: `models.providers.anthropic cannot be used together with baseUrl or llama, which use the same provider name. Add your server to models.providers under another name, and set its api to messages`,
	proxyWithoutAuth: "with auth none, every client of a proxy would be the operator",
	authLocalOrToken: "with auth local or token",
	thisMachine:
		"an address of this machine only (127.0.0.1, [::1], localhost), which an SSH tunnel makes reachable: ssh -L 7777:127.0.0.1:7777 THIS-MACHINE",
	reachableWithoutAuth: "with auth none, every client that can reach this address would be the operator",
	reachableUnencrypted:
		"other machines can reach this address, and messages and the token would not be encrypted",
	withTls: "with TLS (--tls-cert FILE --tls-key FILE)",
	behindProxy: "behind a proxy with TLS (--trusted-proxy ADDRESS)",
	insecureLan: "without TLS, in a network that you trust, with --insecure-lan",
	eachAddressOnce: "each address only once",
	noAddress: ({ text }: { readonly text: string }) => `${text} is not HOST:PORT`,
	noSearchKey: "this variable is missing or empty in the environment of this process",
	searxngUrl: "an http or https address, such as http://127.0.0.1:8888, for searxng",
	searxngKey: "no key, because searxng needs none",
	searchKey: "the name of an environment variable with the key of Brave Search",
	// `place`: position in the source. `near`: a similar name.
	unknownSetting: ({ name, place, near, allowed }: UnknownSetting) =>
		`unknown setting ${name}${place === undefined ? "" : ` (${place})`}${
			allowed.length === 0
				? ""
				: `${near === undefined ? "; allowed" : `: did you mean ${near}? Allowed`}: ${allowed.join(", ")}`
		}`,
	missing: ({ place, allowed }: { readonly place: string; readonly allowed: string }) =>
		`${place} is missing; needed: ${allowed}`,
	notAllowed: ({ value, place, reason, allowed }: NotAllowed) =>
		`${value} is not allowed for ${place}${reason === undefined ? "" : `: ${reason}`}${reason?.endsWith("?") ? " Allowed" : "; allowed"}: ${allowed}`,
	movedData: ({ place }: { readonly place: string }) =>
		`${place}: a configuration file in the data directory cannot set another data directory; ` +
		"use --data or PARLEY_DATA, or name this file with --config",
	fileUnreadable: ({
		path,
		reason = "unknown reason",
	}: {
		readonly path: string;
		readonly reason: string | undefined;
	}) =>
		`cannot read the configuration file ${path} (${reason}): check its path and its permissions, or name another file with --config`,
	fileChanged: ({ path }: { readonly path: string }) =>
		`${path} was changed by another program: start the edit again`,
	severalValues: ({
		key,
		count,
		words,
	}: {
		readonly key: string;
		readonly count: number;
		readonly words: string;
	}) =>
		`${key} has one value, but the command line has ${count}: ${words}; put a value with spaces in quotation marks`,
	notJson: ({ value, key }: { readonly value: string; readonly key: string }) =>
		`${value} is not a value of ${key}: use JSON, for example '{"name": "value"}' or '["value"]'`,
	absolutePath: "an absolute path",
	invalidProjects: ({ path }: { readonly path: string }) =>
		`${path} cannot be read, or is not valid: correct the file or its permissions, or remove the file. Parley then asks again whether agents may work in a directory`,
} as const;
