import { type Clock, defined, type Logger, type ParleyError } from "@parley/base";
import {
	createAnthropicModel,
	createLlamaModel,
	createOfflineModel,
	type Model,
	type ModelInfo,
	ModelTable,
	type ProfileEndpoint,
	unknownModel,
} from "@parley/core";
import type { Config } from "../config/load.ts";
import type { ProviderReason } from "../config/provider.ts";
import { notAllowed } from "../config/setting-refusal.ts";
import type { LlamaServer } from "../llama/llama-server.ts";
import { type Discovered, discoverModel, discoverModels, listModels } from "./discover-model.ts";
import { readModelTable } from "./read-model-table.ts";

const anthropic = "anthropic";

export interface OpenModelsOptions {
	readonly config: Config;
	readonly clock: Clock;
	readonly log: Logger;
	/** Replaces the configured provider. */
	readonly model?: Model | undefined;
	/** The configured local model server. Without it, the server is treated as ready. */
	readonly llama?: LlamaServer | undefined;
	/** Whether a stored session may choose if another server has several models and none is configured. */
	readonly mayBeKept?: boolean;
}

export interface Models {
	readonly model: Model;
	/** Configured name or tier. */
	readonly modelName?: string;
	readonly table: ModelTable;
	readonly fallback: readonly string[];
	/** Whether unknown names are allowed, because another server has its own models. */
	readonly anyModel: boolean;
	/** Models of another server and those that the operator described, if the server was asked and sent its list. */
	readonly served?: ModelTable;
	/** Requests the models of another server, if this did not happen at the start. Rejects if it cannot be reached. */
	readonly askServed?: () => Promise<ModelTable>;
	/** Error if no stored session chooses a model: `modelName` is then only the server's first one. */
	readonly undecided?: ParleyError;
	/** The model of another server that an agent profile names. Requests have no key. */
	readonly modelAt: (endpoint: ProfileEndpoint) => Model;
	/** Host and port of the server, if it is not the provider's own. */
	readonly serverHost: string | undefined;
	readonly providerReason: ProviderReason;
	/** Throws for a name that the provider itself does not know. Absent if its names are unknown. */
	readonly checkModel?: (name: string) => void;
}

/** Rejects with an error that an operator can fix: an unknown model, an unreadable table, a server without a model. */
export async function openModels(options: OpenModelsOptions): Promise<Models> {
	const { config, clock, log } = options;
	const { baseUrl, apiKey, keyName = "ANTHROPIC_API_KEY", fallback = [] } = config;
	const { table, own } = await readModelTable(config);
	const modelAt = endpoints({ table, clock, log });
	const common = { table, modelAt, providerReason: config.providerReason ?? "configured" };
	const inside = { ...common, anyModel: false, serverHost: undefined };
	if (options.model) {
		const chosen = config.model === undefined ? {} : { modelName: config.model };
		return { ...inside, ...chosen, fallback, model: options.model };
	}
	// Model names in the configuration are for a provider with several models.
	if (config.provider === "offline") {
		warnOfIgnored(config, log);
		return { ...inside, fallback: [], model: createOfflineModel({ clock }) };
	}
	if (baseUrl === undefined) checkConfigured(config, table);
	const { name: modelName, served, undecided } = await chooseName(options, table);
	const server = baseUrl === undefined ? {} : { baseUrl };
	const key = { apiKey, keyName };
	const timeouts = config.llama ? { timeouts: llamaTimeouts } : {};
	const plain = { ...key, ...server, ...timeouts, table, clock, log, defaultModel: modelName };
	const model = withLlama(createAnthropicModel(plain), options);
	const answering = { ...common, model, modelName, fallback };
	if (baseUrl === undefined) {
		const checkModel = (name: string): void =>
			checkKnown(name, { path: ["model"], origin: undefined }, table);
		return { ...answering, anyModel: false, serverHost: undefined, checkModel };
	}
	// Models at the vendor's own address are not necessarily on this server.
	const listed = table.list().filter((one) => own.includes(one) || one.id === modelName);
	return {
		...answering,
		anyModel: true,
		table: new ModelTable(table.list(), listed),
		serverHost: new URL(baseUrl).host,
		...defined({
			served: served && tableOf(served, own, table),
			undecided,
			askServed:
				served === undefined
					? async () => tableOf(await listModels({ baseUrl, apiKey }), own, table)
					: undefined,
		}),
	};
}

/** A local server may read a long prompt for minutes before its first word. */
const llamaTimeouts = { firstByteMs: 600_000, idleMs: 300_000, totalMs: 1_800_000 };

function withLlama(model: Model, { config, llama, clock }: OpenModelsOptions): Model {
	if (!config.llama) return model;
	const { endpoint, apiKey } = config.llama;
	return createLlamaModel(model, {
		endpoint,
		apiKey,
		clock,
		ready: async (signal) => llama?.ready(signal),
		window: () => llama?.window,
		counted: (isCounted) => llama?.noteCount(isCounted),
	});
}

/** Models of a server's list with their known facts. The operator may know more than the server reports. */
function tableOf(served: readonly string[], own: readonly ModelInfo[], table: ModelTable): ModelTable {
	const models = served.map((id) => {
		const known = table.find(id, anthropic);
		return known?.id === id ? known : unknownModel(id, anthropic);
	});
	return new ModelTable([...models, ...own.filter((one) => !models.includes(one))]);
}

interface ChosenModel extends Partial<Discovered> {
	readonly name: string;
}

async function chooseName(
	{ config: { model, baseUrl, apiKey }, mayBeKept = false }: OpenModelsOptions,
	table: ModelTable,
): Promise<ChosenModel> {
	if (model === undefined && baseUrl !== undefined) {
		const discover = mayBeKept ? discoverModels : discoverModel;
		return discover({ baseUrl, apiKey }, table.defaultOf(anthropic)?.id);
	}
	const wanted = model ?? "standard";
	return { name: table.find(wanted, anthropic)?.id ?? wanted };
}

/** Whether the provider has the models that the operator named. */
function checkConfigured({ model, fallback = [], origins }: Config, table: ModelTable): void {
	if (model !== undefined) checkKnown(model, { path: ["model"], origin: origins?.model }, table);
	for (const [index, name] of fallback.entries()) {
		const origin = origins?.fallback?.[index];
		checkKnown(name, { path: ["models", "fallback", index], origin }, table);
	}
}

function warnOfIgnored({ model, fallback = [] }: Config, log: Logger): void {
	if ((model === undefined || model === "offline") && fallback.length === 0) return;
	log.warn("the offline model is used: the named models are ignored", { model, fallback });
}

/** Position of a model name. Without an origin, the caller adds the position. */
interface Place {
	readonly path: readonly (string | number)[];
	readonly origin: string | undefined;
}

function checkKnown(value: string, { path, origin }: Place, table: ModelTable): void {
	if (table.find(value, anthropic)) return;
	const near = table.near(value, anthropic).join(", ");
	const tiers = table.list(anthropic).flatMap(({ tier, id }) => (tier ? [`${tier} (${id})`] : []));
	throw notAllowed({ origin: () => origin }, path, {
		value,
		why: `no model has this name${near === "" ? "" : `, did you mean ${near}?`}`,
		allowed:
			`a tier: ${tiers.join(", ")}; or the name of a model: ` +
			"one that is newer than this program can be added in models.json of the data directory",
	});
}

/** One model for each server, which reuses its connections. */
function endpoints(deps: {
	readonly clock: Clock;
	readonly log: Logger;
	readonly table: ModelTable;
}): Models["modelAt"] {
	const models = new Map<string, Model>();
	return ({ url, timeoutMs }) => {
		const key = `${timeoutMs} ${url}`;
		const known = models.get(key);
		if (known) return known;
		const timeouts = timeoutMs === undefined ? {} : { timeouts: { firstByteMs: timeoutMs } };
		// The gateway's key is only for the gateway's provider.
		const model = createAnthropicModel({ ...deps, apiKey: undefined, baseUrl: url, ...timeouts });
		models.set(key, model);
		return model;
	};
}
