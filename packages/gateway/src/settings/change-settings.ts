import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Clock, defined, ParleyError, parseJson } from "@parley/base";
import { editCommentedJson, parseCommentedJson } from "@parley/base/commented-json";
import { checkedSources, loadConfig } from "../config/load.ts";
import { asSchema, relative, type SettingSchema } from "../config/setting-rows.ts";
import { type ConfigSources, configFile } from "../config/sources.ts";
import { errno } from "../data-directory/errno.ts";
import { withFileLock } from "../data-directory/file-lock.ts";
import { refuseForeignWriters } from "../data-directory/foreign-writers.ts";
import { replaceOwnedFile } from "../data-directory/private-file.ts";
import { settingRefusalTexts } from "../texts/config/refusals.ts";
import { effectiveSetting, schemaAt } from "./effective-settings.ts";

/** Result of a change to the configuration file. */
export interface ChangedSettings {
	readonly path: string;
	readonly isChanged: boolean;
	/** Reason why a gateway cannot start with the changed file in this environment, for example a missing key. */
	readonly problem?: string;
	/** Flag or variable that has precedence over a changed setting. */
	readonly overriddenBy?: string;
}

interface FileChange {
	readonly sources: ConfigSources;
	readonly clock: Clock;
}

/**
 * Reads the text of the configuration file, or returns `{}` if the file does not exist. Rejects if every user can
 * change the file.
 */
export async function readConfigText(sources: ConfigSources): Promise<{ path: string; text: string }> {
	const { path } = configFile(sources);
	try {
		// Without this check, the command would change the file, and a gateway would refuse the file later.
		refuseForeignWriters(path, await stat(path));
		return { path, text: (await readFile(path, "utf8")).replace(/^\uFEFF/, "") };
	} catch (cause) {
		if (cause instanceof ParleyError) throw cause;
		if (errno(cause) === "ENOENT") return { path, text: "{}\n" };
		throw new ParleyError(settingRefusalTexts.fileUnreadable({ path, reason: errno(cause) }), {
			code: "invalid_argument",
			cause,
		});
	}
}

/** New values by setting. A setting without a value is removed. */
type SettingChanges = Readonly<Record<string, readonly string[] | undefined>>;

/** Changes one setting, as `changeSettings` does. */
export async function changeSetting(
	key: string,
	words: readonly string[] | undefined,
	{ sources, clock }: FileChange,
): Promise<ChangedSettings> {
	return await changeSettings({ [key]: words }, { sources, clock });
}

/**
 * Stores settings in the configuration file, or removes them, in one change. The other lines keep their comments and their
 * format. Rejects with `invalid_argument` and the allowed values for an invalid value, without any change.
 */
export async function changeSettings(
	changes: SettingChanges,
	{ sources, clock }: FileChange,
): Promise<ChangedSettings> {
	const settings = Object.entries(changes).map(([key, words]) => {
		const path = key.split(".");
		const schema = schemaAt(path);
		return { key, path, value: words && readValue(words, { key, schema, cwd: sources.cwd }) };
	});
	return await withConfigLock({ sources, clock }, async () => {
		const { path, text: before } = await readConfigText(sources);
		// This call throws for a file that cannot be edited.
		parseCommentedJson(path, before);
		const text = settings.reduce((edited, one) => editCommentedJson(edited, one.path, one.value), before);
		const draft = { text, change: { paths: settings.map((one) => one.path), before } };
		const result = await replaceIfValid(before, { ...sources, draft }, path);
		const places = settings.map(({ key }) => effectiveSetting(key, { ...sources, draft: { text } }).source);
		const overriddenBy = places.find((source) => source !== "default" && !source.startsWith(path));
		return { ...result, ...defined({ overriddenBy }) };
	});
}

/** Returns the sources as if the configuration file did not contain the setting. */
export async function withoutSetting(key: string, sources: ConfigSources): Promise<ConfigSources> {
	const { path, text } = await readConfigText(sources);
	// This call throws for a file that cannot be edited.
	parseCommentedJson(path, text);
	return { ...sources, draft: { text: editCommentedJson(text, key.split("."), undefined) } };
}

/**
 * Replaces the text of the configuration file. `before` is the text before the edit. Rejects with
 * `failed_precondition` if the file has changed since then.
 */
export async function replaceConfigText(
	text: string,
	before: string,
	{ sources, clock }: FileChange,
): Promise<ChangedSettings> {
	return await withConfigLock({ sources, clock }, async () => {
		const { path, text: now } = await readConfigText(sources);
		if (now !== before) {
			throw new ParleyError(settingRefusalTexts.fileChanged({ path }), {
				code: "failed_precondition",
			});
		}
		return await replaceIfValid(before, { ...sources, draft: { text } }, path);
	});
}

async function replaceIfValid(
	before: string,
	sources: ConfigSources & { readonly draft: { readonly text: string } },
	path: string,
): Promise<ChangedSettings> {
	const { text } = sources.draft;
	checkedSources(sources);
	const problem = startProblem(sources);
	if (text !== before) await replaceOwnedFile(path, text.endsWith("\n") ? text : `${text}\n`);
	return { path, isChanged: text !== before, ...defined({ problem }) };
}

/**
 * Returns the error of a start with the changed settings, or undefined. The change is stored in any case, because a
 * service may have keys that this environment lacks.
 */
function startProblem(sources: ConfigSources): string | undefined {
	try {
		loadConfig(sources);
		return undefined;
	} catch (error) {
		return ParleyError.from(error).message;
	}
}

function withConfigLock<T>({ sources, clock }: FileChange, work: () => Promise<T>): Promise<T> {
	const { flags, environment, cwd, defaultData } = sources;
	const data = resolve(cwd, flags.data ?? (environment["PARLEY_DATA"] || defaultData));
	return withFileLock(join(data, "run", "config.lock"), clock, work);
}

interface Place {
	readonly key: string;
	readonly schema: SettingSchema;
	/** Base directory of relative paths. In the file, paths are relative to the directory of the file. */
	readonly cwd: string;
}

/**
 * Converts words to the value of a setting. Throws `invalid_argument` for invalid JSON, and for several words if the
 * setting has a single value. Does not check the value against the schema.
 */
function readValue(words: readonly string[], { key, schema, cwd }: Place): unknown {
	const isPath = relative.test(schema.description ?? "");
	const asText = (word: string): string => (isPath ? resolve(cwd, word) : word);
	const [only = "", ...more] = words;
	if (schema.type === "array") {
		if (only.startsWith("[") && more.length === 0) return readJson(only, key);
		return asSchema(schema.items)?.type === "object" ? readJson(words.join(" "), key) : words.map(asText);
	}
	if (more.length > 0) {
		const message = settingRefusalTexts.severalValues({
			key,
			count: words.length,
			words: JSON.stringify(words),
		});
		throw new ParleyError(message, {
			code: "invalid_argument",
		});
	}
	if (schema.type === "boolean") return { true: true, false: false }[only] ?? only;
	if (schema.type === "number" || schema.type === "integer") {
		return /^-?\d+(?:\.\d+)?$/.test(only) ? Number(only) : only;
	}
	return schema.type === "object" ? readJson(only, key) : asText(only);
}

function readJson(text: string, key: string): unknown {
	try {
		return parseJson(text, { uniqueKeys: true });
	} catch (cause) {
		const message = settingRefusalTexts.notJson({ value: JSON.stringify(text.slice(0, 200)), key });
		throw new ParleyError(message, { code: "invalid_argument", cause });
	}
}
