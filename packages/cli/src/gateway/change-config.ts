import { defined, systemClock } from "@parley/base";
import {
	type ChangedSettings,
	type ConfigSources,
	changeSetting,
	type EffectiveSetting,
	effectiveSetting,
	effectiveSettings,
} from "@parley/gateway/settings";
import { findRunningGateway } from "../client/running-gateway.ts";
import { chosenDataDirectory, defaultDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { outputFormat, printJson, printNotice, printRows } from "../command-line/output.ts";
import { withStoredKeys } from "../command-line/stored-keys.ts";
import { tableRows } from "../text/columns.ts";
import { visibleLine } from "../text/visible.ts";
import { configMessages } from "../texts/commands/gateway/config.ts";

export interface ConfigFlags {
	readonly data?: string;
	readonly config?: string;
	readonly json?: boolean;
	readonly all?: boolean;
}

/**
 * Resolves with the configuration sources of a gateway that starts in the directory and environment of `io`. The
 * sources include the stored keys, and no flags except `data` and `config`.
 */
export async function configSources({ data, config }: ConfigFlags, io: Io): Promise<ConfigSources> {
	return {
		flags: defined({ data, config }),
		environment: (await withStoredKeys(io, data)).environment,
		cwd: io.cwd,
		defaultData: await defaultDataDirectory(),
	};
}

/**
 * Prints one setting, or all settings of a group. Without a key, prints all settings that a source sets, and with
 * `--all` also settings with default values.
 */
export async function showSettings(key: string | undefined, flags: ConfigFlags, io: Io): Promise<void> {
	const sources = await configSources(flags, io);
	if (key === undefined) {
		const settings = effectiveSettings(sources, flags.all);
		if (flags.json) printJson({ settings: settings.map(asJson) }, io);
		else printTable(settings, io);
		return;
	}
	const setting = effectiveSetting(key, sources);
	if (flags.json) return printJson(asJson(setting), io);
	const inside = effectiveSettings(sources, true).filter((one) => one.key.startsWith(`${key}.`));
	printTable(inside.length === 0 ? [setting] : inside, io);
}

function asJson({ key, value, source, preset }: EffectiveSetting): Record<string, unknown> {
	return { key, value: value ?? null, source, ...defined({ default: preset || undefined }) };
}

function printTable(settings: readonly EffectiveSetting[], io: Io): void {
	const rows = settings.map(({ key, value, source, preset }) =>
		[key, value === undefined ? preset || configMessages.notSet : shownValue(value), source].map(visibleLine),
	);
	const table = { rows: [[...configMessages.head], ...rows], elastic: 1 };
	printRows(rows.length === 0 ? [configMessages.none] : tableRows(table, outputFormat(io)), io);
}

function shownValue(value: unknown): string {
	if (typeof value === "string") return value;
	const isPlain = Array.isArray(value) && value.every((item) => typeof item === "string");
	return isPlain ? value.join(", ") : JSON.stringify(value);
}

interface Place {
	readonly flags: ConfigFlags;
	readonly io: Io;
}

/** Stores a setting, or removes it if `words` is undefined. Reports the resulting value. */
export async function storeSetting(
	key: string,
	words: readonly string[] | undefined,
	{ flags, io }: Place,
): Promise<void> {
	const sources = await configSources(flags, io);
	const changed = await changeSetting(key, words, { sources, clock: systemClock });
	const { value, source } = effectiveSetting(key, sources);
	if (!flags.json) {
		const { path } = changed;
		const stored = shownValue(changed.overriddenBy === undefined ? value : words?.join(", "));
		const removed = changed.isChanged
			? configMessages.unset({ key, path })
			: configMessages.notInFile({ key, path });
		printRows([visibleLine(words ? configMessages.set({ key, value: stored, path }) : removed)], io);
	}
	await reportChange(changed, { key, value, source }, { flags, io });
}

/** Prints warnings to stderr, and whether a restart is needed. With `--json`, prints the complete result as JSON. */
export async function reportChange(
	{ path, isChanged, problem, overriddenBy }: ChangedSettings,
	setting: Partial<EffectiveSetting>,
	{ flags, io }: Place,
): Promise<void> {
	const running = await findRunningGateway(await chosenDataDirectory(flags.data, io));
	const needsRestart = isChanged && running !== undefined;
	if (flags.json) {
		const { key, value = null, source } = setting;
		const facts = defined({ key, source, overridden_by: overriddenBy, problem });
		printJson({ path, changed: isChanged, needs_restart: needsRestart, ...facts, value }, io);
		return;
	}
	const warn = (text: string): void => printNotice(`parley: ${visibleLine(text)}`, io);
	if (overriddenBy !== undefined) {
		warn(configMessages.overridden({ key: setting.key ?? path, variable: overriddenBy }));
	}
	if (problem !== undefined) warn(configMessages.problem({ problem }));
	if (!isChanged) return;
	printNotice(needsRestart ? configMessages.restart : configMessages.nextStart, io);
}
