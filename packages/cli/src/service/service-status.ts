import { definedItems } from "@parley/base/defined";
import { findRunningGateway, type RunningGateway } from "../client/running-gateway.ts";
import type { Io } from "../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../command-line/output.ts";
import { alignColumns } from "../text/columns.ts";
import { visibleLine } from "../text/visible.ts";
import { serviceTexts } from "../texts/service.ts";
import { findInstalled, type InstalledService } from "./find-service.ts";
import type { Machine } from "./machine.ts";
import type { ServiceManager, ServiceState } from "./service-manager.ts";

export interface ServiceStatusFlags {
	readonly name: string;
	readonly system?: boolean;
	readonly json?: boolean;
}

interface Shown {
	readonly service: InstalledService;
	readonly state: ServiceState;
	readonly gateway: RunningGateway | undefined;
}

/** Prints the state of the service. Sets the exit code to 1 unless the gateway of the service answers. */
export async function printServiceStatus(
	{ name, system, json = false }: ServiceStatusFlags,
	{ io, machine }: { readonly io: Io; readonly machine: Machine },
): Promise<void> {
	const service = await findInstalled(name, system ? "system" : undefined, machine);
	if (!service) {
		io.exitCode = 1;
		if (json) return printJson({ name, installed: false }, io);
		io.stderr.write(`${serviceTexts.notInstalled({ name })}\n`);
		return;
	}
	const state = await service.manager.state(name);
	const gateway = state.pid === undefined ? undefined : await findRunningGateway(service.marker.data);
	if (!gateway) io.exitCode = 1;
	const shown = { service, state, gateway };
	if (json) return printJson(factsOf(shown), io);
	const { dim } = outputFormat(io).styles;
	printRows(
		alignColumns(rowsOf(shown).map(([label = "", value = ""]) => [dim(label), visibleLine(value)])),
		io,
	);
}

function factsOf({ service, state, gateway }: Shown): object {
	const { name, file, manager, marker } = service;
	const { condition, enabled, pid = null, reason = null } = state;
	return {
		name,
		installed: true,
		manager: manager.kind,
		scope: manager.scope,
		file,
		data: marker.data,
		environment_file: marker.environmentFile,
		state: condition,
		enabled,
		pid,
		reason,
		health: gateway?.health ?? null,
		version: gateway?.version ?? null,
		urls: gateway?.urls ?? [],
	};
}

function rowsOf({ service, state, gateway }: Shown): string[][] {
	const { name, file, manager, marker } = service;
	const { condition, enabled, pid, reason } = state;
	const { labels } = serviceTexts;
	return definedItems([
		[labels.service, `${name} (${manager.kind}, ${manager.scope})`],
		[labels.state, reason === undefined ? condition : `${condition}: ${reason}`],
		[labels.starts, enabled ? startOf(manager) : serviceTexts.byHand],
		pid === undefined ? undefined : [labels.process, String(pid)],
		[labels.gateway, gateway ? serviceTexts.healthy(gateway) : serviceTexts.silent],
		...(gateway?.urls ?? []).map((url, index) => [index === 0 ? labels.address : "", url]),
		[labels.data, marker.data],
		[labels.keys, marker.environmentFile],
		[labels.file, file],
		[labels.logs, serviceTexts.logsCommand],
	]);
}

function startOf({ scope, kind }: ServiceManager): string {
	if (scope === "system") return serviceTexts.withMachine;
	return kind === "systemd" ? serviceTexts.withLoginOrMachine : serviceTexts.withLogin;
}
