/** Errors of model lists and of the models file, and advice about unknown models. */
export const modelServerTexts = {
	noModels: ({ url }: { readonly url: string }) => `${url} lists no models`,
	severalModels: ({
		url,
		count,
		names,
	}: {
		readonly url: string;
		readonly count: number;
		readonly names: readonly string[];
	}) => `${url} lists ${count} models: ${names.join(", ")}${names.length < count ? ", …" : ""}`,
	noList: ({ url }: { readonly url: string }) => `${url} returned no list of models`,
	unreachable: ({ url, reason }: { readonly url: string; readonly reason: string }) =>
		`${url} cannot be reached: ${reason}; check the address and the server`,
	keyRejected: ({
		url,
		status,
		keyName,
	}: {
		readonly url: string;
		readonly status: number;
		readonly keyName: string | undefined;
	}) => `${url} does not accept the key (${status}); check ${keyName ?? "the key"}`,
	keyRequired: ({
		url,
		status,
		keyName,
	}: {
		readonly url: string;
		readonly status: number;
		readonly keyName: string | undefined;
	}) => `${url} requires a key (${status})${keyName === undefined ? "" : `; set ${keyName}`}`,
	tooLong: ({ url, maxBytes }: { readonly url: string; readonly maxBytes: number }) =>
		`${url} returned a list of models with more than ${maxBytes} bytes`,
	chooseModel: ({ problem }: { readonly problem: string }) => `${problem}; name the model with --model`,
	fileUnreadable: ({ path, reason }: { readonly path: string; readonly reason: string | undefined }) =>
		reason === undefined
			? `the models file ${path} cannot be read: correct the path or the permissions`
			: `the models file ${path} cannot be read (${reason}): correct the path or the permissions`,
	fileInvalid: ({ path, reason }: { readonly path: string; readonly reason: string }) =>
		`the models file ${path} is not valid: ${reason}`,
	needsEntry: ({ provider }: { readonly provider: string }) =>
		`the gateway does not use ${provider}; the operator must add "${provider}": {} to models.providers and restart the gateway`,
	needsKey: ({ provider, key }: { readonly provider: string; readonly key: string }) =>
		`the gateway does not use ${provider}; the operator must set ${key} and restart the gateway`,
	needsKeyAndEntry: ({ provider, key }: { readonly provider: string; readonly key: string }) =>
		`the gateway does not use ${provider}; the operator must set ${key}, add "${provider}": {} to models.providers, and restart the gateway`,
	unknownModel: ({ near }: { readonly near: string }) =>
		near === "" ? "no model has this name" : `no model has this name (did you mean ${near}?)`,
	allowedModels: ({ tiers }: { readonly tiers: string }) =>
		`a tier: ${tiers}; or the name of a model. ` +
		"To use a model that is newer than this program, add the model to models.json in the data directory",
} as const;
