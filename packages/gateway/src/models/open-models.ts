import { alternatives, type Clock, defined, type Logger, type ParleyError } from "@parley/base";
import {
	createAiSdkModel,
	createAnthropicModel,
	createLlamaModel,
	createOfflineModel,
	createRoutedModel,
	type Model,
	type ModelInfo,
	ModelTable,
	type ProfileEndpoint,
	type Routes,
	unknownModel,
} from "@parley/core";
import type { Config } from "../config/load.ts";
import type { ProviderReason } from "../config/provider.ts";
import { notAllowed } from "../config/setting-refusal.ts";
import type { LlamaServer } from "../llama/llama-server.ts";
import { modelServerTexts } from "../texts/models/discovery.ts";
import { adviceAbout } from "./advice-about.ts";
import { type Discovered, discoverModel, discoverModels, listModels } from "./discover-model.ts";
import { withListedWindows } from "./listed-windows.ts";
import { anthropic, homeOf, openServer, othersOf, type Server } from "./open-server.ts";
import { type KnownModels, readModelTable } from "./read-model-table.ts";

export interface OpenModelsOptions {
	readonly config: Config;
	readonly clock: Clock;
	readonly log: Logger;
	/** Model that replaces the configured provider. */
	readonly model?: Model | undefined;
	/** The configured local model server. Without it, the server is treated as ready. */
	readonly llama?: LlamaServer | undefined;
	/** Whether a stored session may choose the model, if the server has several models and no model is configured. */
	readonly mayBeRestored?: boolean;
}

interface ServerModels {
	readonly table: ModelTable;
	/** Host and port of the server, if it does not belong to the provider. */
	readonly serverHost: string | undefined;
	/**
	 * Table of all models in the list of a server other than the vendor's. It also contains the operator's own models
	 * and the models of other providers. Absent if no list was requested or received.
	 */
	readonly served?: ModelTable;
	/**
	 * Requests the model list of a server other than the vendor's. Absent if the server is the vendor's, or if `served`
	 * is set. Rejects as `listModels` does.
	 */
	readonly askServed?: () => Promise<ModelTable>;
	/** Error if no stored session chooses a model. In this case, `modelName` is only the first model of the server. */
	readonly undecided?: ParleyError;
}

export interface Models extends ServerModels {
	readonly model: Model;
	/** Name of the default model, which may be a tier. If it is absent, `model.defaultModel` applies. */
	readonly modelName?: string;
	readonly fallback: readonly string[];
	/** Whether unknown names are allowed, because the server may have models that the table does not have. */
	readonly anyModel: boolean;
	/** Returns the model at the endpoint that an agent profile names. Requests to this endpoint have no key. */
	readonly modelAt: (endpoint: ProfileEndpoint) => Model;
	readonly providerReason: ProviderReason;
	/** Returns advice about an unknown name: see `ModelOptions`. */
	readonly adviceAbout: (name: string) => string | undefined;
	/**
	 * Throws for a model that the provider does not have. Absent if the server may have models that are not in the
	 * table.
	 */
	readonly checkModel?: (name: string) => void;
}

/**
 * Opens the models of the configuration. Rejects with an error that an operator can fix, for example an unknown model,
 * an unreadable table or a server without a model.
 */
export async function openModels(options: OpenModelsOptions): Promise<Models> {
	const { config, clock, log } = options;
	const { fallback = [] } = config;
	const known = await readModelTable(config);
	const { table } = known;
	const modelAt = endpoints({ table, clock, log });
	const providerReason = config.providerReason ?? "configured";
	const common = { table, modelAt, providerReason, adviceAbout: adviceAbout(config) };
	const inside = { ...common, anyModel: false, serverHost: undefined };
	if (options.model) {
		const chosen = config.model === undefined ? {} : { modelName: config.model };
		return { ...inside, ...chosen, fallback, model: options.model };
	}
	// The offline provider has one model, so model names in the configuration are ignored.
	if (config.provider === "offline") {
		warnOfIgnored(config, log);
		return { ...inside, fallback: [], model: createOfflineModel({ clock }) };
	}
	return { ...common, fallback, ...(await openProviders(options, known)) };
}

async function openProviders(
	options: OpenModelsOptions,
	known: KnownModels,
): Promise<Omit<Models, "fallback" | "modelAt" | "providerReason" | "adviceAbout">> {
	const { config, clock, log } = options;
	const { table } = known;
	const home = homeOf(config);
	const others = othersOf(config);
	const routes = { home: home.name, others: others.map(({ name }) => name) };
	const all = new ModelTable(table.list(), undefined, routes);
	const isOpen = isOpenServer(home);
	if (!isOpen) checkConfigured(config, all);
	const { name: modelName, served, undecided } = await chooseName(options, home, all);
	const deps = { table, clock, log };
	// The chosen model may belong to another provider.
	const defaultModel = all.admits(modelName) ? standardOf(home, table) : modelName;
	const first = openServer(home, { ...deps, defaultModel, ...timeoutsOf(config) });
	const further = others.map((one) => openServer(one, { ...deps, defaultModel: standardOf(one, table) }));
	const model = createRoutedModel(withLlama(first, options), further);
	if (!isOpen) {
		const checkModel = (name: string): void =>
			checkKnown(name, { path: ["model"], origin: undefined }, all, config);
		return { table: all, model, modelName, anyModel: false, serverHost: undefined, checkModel };
	}
	if (home.isOfficial) return { table: all, model, modelName, anyModel: true, serverHost: undefined };
	const facts = { home, modelName, served, undecided, routes };
	return { model, modelName, anyModel: true, ...aboutServer(facts, known) };
}

function standardOf({ name }: Server, table: ModelTable): string {
	return table.defaultOf(name)?.id ?? "default";
}

interface ServerFacts {
	readonly home: Server;
	readonly modelName: string;
	readonly served: readonly string[] | undefined;
	readonly undecided: ParleyError | undefined;
	readonly routes: Routes;
}

function aboutServer(
	{ home, modelName, served, undecided, routes }: ServerFacts,
	{ table, own }: KnownModels,
): ServerModels {
	// A server other than the vendor's may not have the vendor's models, so the vendor's models are not listed.
	const isElsewhere = ({ provider }: ModelInfo): boolean => routes.others.includes(provider);
	const listed = table.list().filter((one) => own.includes(one) || one.id === modelName || isElsewhere(one));
	const toTable = (names: readonly string[]): ModelTable => tableOf(names, { own, table, routes });
	return {
		table: new ModelTable(table.list(), listed, routes),
		serverHost: new URL(home.baseUrl).host,
		...defined({
			served: served && toTable(served),
			undecided,
			askServed: served === undefined ? async () => toTable(await listModels(home)) : undefined,
		}),
	};
}

/**
 * Whether the server may have models that are not in the table. The vendor of the Messages API has only the models of
 * the table.
 */
function isOpenServer({ family, isOfficial }: Server): boolean {
	return family !== anthropic || !isOfficial;
}

function timeoutsOf({ llama }: Config): { readonly timeouts?: typeof llamaTimeouts } {
	return llama ? { timeouts: llamaTimeouts } : {};
}

/** Time limits of a local server, which may read a long prompt for minutes before the first token of its response. */
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

/**
 * Returns a table with the served models, the models that the operator described, and the models of other providers.
 * Facts about a served model come from `table`, if the table contains the model.
 */
function tableOf(
	served: readonly string[],
	{ own, table, routes }: KnownModels & { readonly routes: Routes },
): ModelTable {
	const { home } = routes;
	const models = served.map((id) => {
		const known = table.find(id, home);
		return known?.id === id ? known : unknownModel(id, home);
	});
	const isElsewhere = ({ provider }: ModelInfo): boolean => routes.others.includes(provider);
	const others = table.list().filter((one) => own.includes(one) || isElsewhere(one));
	return new ModelTable([...models, ...others.filter((one) => !models.includes(one))], undefined, routes);
}

interface ChosenModel extends Partial<Discovered> {
	readonly name: string;
}

async function chooseName(
	{ config: { model }, mayBeRestored = false }: OpenModelsOptions,
	home: Server,
	table: ModelTable,
): Promise<ChosenModel> {
	const standard = table.defaultOf(home.name)?.id;
	if (model === undefined && (!home.isOfficial || standard === undefined)) {
		const discover = mayBeRestored ? discoverModels : discoverModel;
		const found = await discover(home, standard);
		return { ...found, name: table.homeName(found.name) };
	}
	const requested = model ?? "standard";
	return { name: table.find(requested, home.name)?.id ?? requested };
}

function checkConfigured(config: Config, table: ModelTable): void {
	const { model, fallback = [], origins } = config;
	if (model !== undefined) checkKnown(model, { path: ["model"], origin: origins?.model }, table, config);
	for (const [index, name] of fallback.entries()) {
		const origin = origins?.fallback?.[index];
		checkKnown(name, { path: ["models", "fallback", index], origin }, table, config);
	}
}

function warnOfIgnored({ model, fallback = [] }: Config, log: Logger): void {
	if ((model === undefined || model === "offline") && fallback.length === 0) return;
	log.warn("the offline model is used: the named models are ignored", { model, fallback });
}

/** Setting that names a model. Without an origin, the caller adds the position. */
interface Place {
	readonly path: readonly (string | number)[];
	readonly origin: string | undefined;
}

function checkKnown(value: string, { path, origin }: Place, table: ModelTable, config: Config): void {
	if (table.find(value, anthropic) || table.admits(value)) return;
	const near = alternatives(table.near(value, anthropic));
	const tiers = table.list(anthropic).flatMap(({ tier, id }) => (tier ? [`${tier} (${id})`] : []));
	const advice = adviceAbout(config)(value);
	throw notAllowed({ origin: () => origin }, path, {
		value,
		reason: advice ?? modelServerTexts.unknownModel({ near }),
		allowed: modelServerTexts.allowedModels({ tiers: tiers.join(", ") }),
	});
}

/**
 * Returns a function that opens the model at an endpoint. Calls with the same address, time limit and API share one
 * model and its connections.
 */
function endpoints(deps: {
	readonly clock: Clock;
	readonly log: Logger;
	readonly table: ModelTable;
}): Models["modelAt"] {
	const models = new Map<string, Model>();
	return ({ url, timeoutMs, api = "messages" }) => {
		const key = `${timeoutMs} ${api} ${url}`;
		const known = models.get(key);
		if (known) return known;
		const timeouts = timeoutMs === undefined ? {} : { timeouts: { firstByteMs: timeoutMs } };
		// The gateway's key is sent only to the gateway's provider, and not to an endpoint of a profile.
		const access = { ...deps, apiKey: undefined, ...timeouts };
		const model =
			api === "messages" ? createAnthropicModel({ ...access, baseUrl: url }) : chatModel(url, access);
		models.set(key, model);
		return model;
	};
}

/** Provider name for the servers of agent profiles, also in the operator's model file. */
const endpointProvider = "endpoint";

function chatModel(
	url: string,
	access: Omit<Parameters<typeof createAiSdkModel>[0], "provider" | "family" | "baseUrl">,
): Model {
	const server = { provider: endpointProvider, family: "compatible", baseUrl: `${url}/v1` } as const;
	const model = createAiSdkModel({ ...access, ...server, defaultModel: "default" });
	return withListedWindows(model, { ...access, server });
}
