import { text } from "node:stream/consumers";
import { defined, ParleyError, Redactor, systemClock } from "@parley/base";
import { loadConfig, testModel } from "@parley/gateway";
import {
	type ConfigSources,
	changeSettings,
	effectiveSetting,
	knownProvider,
	readStoredKeys,
	storeKeys,
	withoutSetting,
} from "@parley/gateway/settings";
import type { Io } from "../command-line/io.ts";
import { printNotice } from "../command-line/output.ts";
import { askSecret, askText, choose } from "../command-line/prompts.ts";
import { UsageError } from "../command-line/usage.ts";
import { configSources } from "../gateway/change-config.ts";
import { visibleLine } from "../text/visible.ts";
import { setupTexts } from "../texts/setup.ts";
import type { StepParts, StepResult } from "./setup-flags.ts";

interface ModelChoice {
	readonly provider: string;
	readonly model: string | undefined;
	readonly baseUrl: string | undefined;
	/** Variable with the provider's key. Undefined if the provider needs no key. */
	readonly variable: string | undefined;
	/** Key to store. Undefined if the setup stores no key. */
	readonly key: string | undefined;
}

const usual = "standard";

/**
 * Determines the model and its key, tests them with one short message, and stores them. After a failed test, asks the
 * operator whether to retry or to store them anyway, or rejects if the step may not ask. The test is omitted with
 * `--no-test`, and for the offline model.
 */
export async function setUpModel(parts: StepParts): Promise<StepResult> {
	for (;;) {
		const choice = await chosen(parts);
		if (choice === undefined) return "left";
		const problem = await test(choice, parts);
		if (problem === undefined) return await store(choice, parts);
		if (!parts.asks) {
			throw new ParleyError(`${problem}${setupTexts.testFailedFix}`, { code: "failed_precondition" });
		}
		printNotice(problem, parts.io);
		const options = [
			{ value: "again", label: setupTexts.again },
			{ value: "anyway", label: setupTexts.anyway },
		];
		const next = await choose({ message: setupTexts.afterFailure, options }, parts.io);
		if (next === undefined) return "left";
		if (next === "anyway") return await store(choice, parts);
	}
}

async function chosen(parts: StepParts): Promise<ModelChoice | undefined> {
	const { flags, io, asks } = parts;
	const provider = flags.provider ?? (asks ? await askProvider(parts) : (foundProvider(io) ?? "offline"));
	if (provider === undefined) return undefined;
	const variable = knownProvider(provider)?.keys[0];
	const key = variable === undefined ? { key: undefined } : await keyOf(provider, variable, parts);
	if (key === undefined) return undefined;
	const isFree = provider === "offline" || flags.model !== undefined || !asks;
	const model = isFree ? flags.model : await askText({ message: setupTexts.model, initial: usual }, io);
	if (!isFree && model === undefined) return undefined;
	return { provider, model: model?.trim() || undefined, baseUrl: flags.baseUrl, variable, ...key };
}

/** Returns the first provider whose key is set in the environment, if any. */
function foundProvider({ environment }: Io): string | undefined {
	const names = Object.keys(setupTexts.providers);
	return names.find((name) => knownProvider(name)?.keys.some((variable) => environment[variable]));
}

async function askProvider({ io, data }: StepParts): Promise<string | undefined> {
	const stored = await readStoredKeys(data);
	const options = Object.entries(setupTexts.providers).map(([value, label]) => {
		const [variable] = knownProvider(value)?.keys ?? [];
		if (variable === undefined) return { value, label, hint: setupTexts.noKey };
		if (stored[variable] !== undefined) return { value, label, hint: setupTexts.known };
		return io.environment[variable]
			? { value, label, hint: setupTexts.found({ variable }) }
			: { value, label };
	});
	return await choose(
		{ message: setupTexts.provider, options, ...defined({ initial: foundProvider(io) }) },
		io,
	);
}

/**
 * Resolves with the key to store. Resolves with `{ key: undefined }` if the setup stores no key, and with
 * undefined if the operator leaves.
 */
async function keyOf(
	provider: string,
	variable: string,
	{ flags, io, data, asks }: StepParts,
): Promise<{ readonly key: string | undefined } | undefined> {
	if (flags.keyStdin) {
		const key = (await text(io.stdin)).trim();
		if (key === "") throw new UsageError(setupTexts.emptyStdin);
		if (problemOf(key, false)) throw new UsageError(setupTexts.invalidKeyStdin);
		return { key };
	}
	const found = io.environment[variable]?.trim();
	const isStored = (await readStoredKeys(data))[variable] !== undefined;
	if (!asks) {
		if (!found && !isStored && flags.baseUrl === undefined) {
			throw new UsageError(setupTexts.missingKey({ variable, provider }));
		}
		return { key: found || undefined };
	}
	if (found) return await askToStore(variable, found, io);
	const message = setupTexts.key({ provider });
	const key = await askSecret({ message, problemOf: (given) => problemOf(given, isStored) }, io);
	return key === undefined ? undefined : { key: key.trim() || undefined };
}

async function askToStore(
	variable: string,
	found: string,
	io: Io,
): Promise<{ readonly key: string | undefined } | undefined> {
	const options = [
		{ value: "store", label: setupTexts.store },
		{ value: "leave", label: setupTexts.leaveKey },
	];
	const answer = await choose({ message: setupTexts.storeKey({ variable }), options }, io);
	return answer === undefined ? undefined : { key: answer === "store" ? found : undefined };
}

/**
 * Returns the reason why a key is invalid, or undefined for a valid key. An empty input is valid if a key is stored.
 * The stored key then stays.
 */
function problemOf(given: string, isStored: boolean): string | undefined {
	const key = given.trim();
	if (key === "" && isStored) return undefined;
	return /^[!-~]+$/.test(key) ? undefined : setupTexts.invalidKey;
}

/** Resolves with the reason why the choice does not work, or undefined if it works or is not tested. */
async function test(choice: ModelChoice, { flags, io, data }: StepParts): Promise<string | undefined> {
	const { provider, model, baseUrl, variable, key } = choice;
	if (provider === "offline" || flags.test === false) return undefined;
	printNotice(setupTexts.testing({ provider }), io);
	const redactor = new Redactor();
	try {
		const sources = await configSources({ data }, io);
		const own = variable === undefined || key === undefined ? {} : { [variable]: key };
		const environment = { ...sources.environment, ...own };
		if (variable !== undefined) redactor.add(environment[variable]?.trim() ?? "");
		const used = isOtherProvider(provider, sources) ? await withoutSetting("baseUrl", sources) : sources;
		const config = loadConfig({ ...used, environment, flags: { data, provider, model, baseUrl } });
		const answer = await testModel(config, systemClock);
		const seconds = (answer.durationMs / 1000).toFixed(1);
		printNotice(visibleLine(setupTexts.tested({ model: answer.model, seconds })), io);
		return undefined;
	} catch (error) {
		const reason = visibleLine(redactor.redact(ParleyError.from(error).message));
		return setupTexts.testFailed({ reason });
	}
}

/**
 * Whether the configured address belongs to a provider other than `provider`. The server at that address must not
 * receive the key of `provider`.
 */
function isOtherProvider(provider: string, sources: ConfigSources): boolean {
	const { value = "auto" } = effectiveSetting("provider", sources);
	// An address without a configured provider belongs to a server with the Messages API.
	return provider !== (value === "auto" ? "anthropic" : value);
}

async function store(choice: ModelChoice, { io, data }: StepParts): Promise<StepResult> {
	const { provider, model, baseUrl, variable, key } = choice;
	const change = {
		sources: await configSources({ data }, io),
		clock: systemClock,
	};
	// A server at another address has no standard model.
	const isUsual = model === undefined || (model === usual && baseUrl === undefined);
	// If the operator entered no address, the provider uses the configured address, unless the address belongs to another
	// provider.
	const isSameAddress = baseUrl === undefined && !isOtherProvider(provider, change.sources);
	const settings = { provider: [provider], model: isUsual ? undefined : [model] };
	// The settings are stored before the key, so that no later start can use the key with the old address.
	const { path: file } = await changeSettings(
		isSameAddress ? settings : { ...settings, baseUrl: baseUrl === undefined ? undefined : [baseUrl] },
		change,
	);
	if (variable !== undefined && key !== undefined)
		await storeKeys({ [variable]: key }, { data, clock: systemClock });
	const { results } = setupTexts;
	const first = results.provider({ provider, model: model ?? usual, file });
	if (variable === undefined) return [provider === "offline" ? `${provider} (${file})` : first];
	const isStored = key !== undefined || (await readStoredKeys(data))[variable] !== undefined;
	const place = { file: `${data}/api-keys.json` };
	return [first, isStored ? results.keyStored(place) : results.keyFromVariable({ variable })];
}
