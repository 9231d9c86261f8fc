import { existsSync } from "node:fs";
import { chosenDataDirectory, defaultDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { UsageError } from "../command-line/usage.ts";
import { uninstallTexts as texts } from "../texts/uninstall.ts";
import { allServices } from "./find-service.ts";
import type { Machine } from "./machine.ts";

/** Choice of a data directory. If the operator chose none, `usual` replaces the default data directory. */
interface DataChoice {
	readonly data?: string;
	readonly usual?: string;
}

/**
 * Resolves with the data directory to uninstall. Without a choice, root also considers the data directories of
 * system services, because `sudo` changes the home directory. Rejects with a `UsageError` if several directories
 * remain.
 */
export async function dataToUninstall(
	{ data, usual }: DataChoice,
	{ io, machine }: { readonly io: Io; readonly machine: Machine },
): Promise<string> {
	if (data !== undefined || io.environment["PARLEY_DATA"]) return await chosenDataDirectory(data, io);
	const own = usual ?? (await defaultDataDirectory());
	if (machine.uid !== 0) return own;
	const services = (await allServices(machine)).filter(({ manager }) => manager.scope === "system");
	const used = existsSync(own) ? [own] : [];
	const [only = own, ...more] = new Set([...used, ...services.map(({ marker }) => marker.data)]);
	if (more.length === 0) return only;
	throw new UsageError(texts.severalData({ directories: [only, ...more] }));
}
