import { rm } from "node:fs/promises";
import { defined, definedItems } from "@parley/base/defined";
import type { Io } from "../command-line/io.ts";
import { printJson, printRows } from "../command-line/output.ts";
import { visibleLine } from "../text/visible.ts";
import { serviceTexts } from "../texts/service.ts";
import { readIfExists } from "./environment-file.ts";
import { findInstalled, type InstalledService } from "./find-service.ts";
import type { Machine } from "./machine.ts";
import type { Scope } from "./service-plan.ts";

export interface UninstallFlags {
	readonly name: string;
	readonly system?: boolean;
	readonly json?: boolean;
}

/** Stops the service and removes its description. The data and the file with keys stay. */
export async function uninstallService(
	flags: UninstallFlags,
	{ io, machine }: { readonly io: Io; readonly machine: Machine },
): Promise<void> {
	const scope: Scope = flags.system ? "system" : "user";
	const service = await findInstalled(flags.name, scope, machine);
	if (service) await removeService(service);
	else if (!flags.system && (await findInstalled(flags.name, "system", machine))) {
		io.stderr.write(`${serviceTexts.ofSystem(flags)}\n`);
		io.exitCode = 1;
		return;
	}
	const { data, environmentFile } = service?.marker ?? {};
	const hasKeys = environmentFile !== undefined && (await readIfExists(environmentFile)) !== "";
	if (flags.json) {
		return printJson(
			defined({
				name: flags.name,
				scope,
				removed: service?.file ?? null,
				data,
				keys: hasKeys ? environmentFile : undefined,
			}),
			io,
		);
	}
	if (!service) return printRows([serviceTexts.nothingToRemove(flags)], io);
	printRows(
		definedItems([
			serviceTexts.removed(service),
			serviceTexts.dataStays(service.marker),
			hasKeys ? serviceTexts.keysStay({ file: service.marker.environmentFile }) : undefined,
		]).map(visibleLine),
		io,
	);
}

export async function removeService({ name, file, manager }: InstalledService): Promise<void> {
	await manager.check();
	await manager.stop(name);
	await rm(file, { force: true });
	await manager.forget(name);
}
