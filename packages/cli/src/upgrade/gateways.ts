import { existsSync, realpathSync } from "node:fs";
import { ParleyError } from "@parley/base";
import { defined } from "@parley/base/defined";
import { endGateway } from "../client/end-gateway.ts";
import { findRunningGateway, type RunningGateway } from "../client/running-gateway.ts";
import type { Io } from "../command-line/io.ts";
import { environmentOf, runInBackground } from "../gateway/background-gateway.ts";
import type { Installation } from "../installation/installation.ts";
import {
	canReadCommands,
	type RunningCommand,
	runningCommand,
	runningCommands,
} from "../installation/running-command.ts";
import { chooseManager } from "../service/choose-manager.ts";
import { allServices, type InstalledService, programOfService } from "../service/find-service.ts";
import { isWithin } from "../service/is-within.ts";
import type { Machine } from "../service/machine.ts";
import { explainSilence, waitForService } from "../service/wait-for-service.ts";
import { upgradeErrors, upgradeTexts } from "../texts/upgrade.ts";
import type { UpgradedData } from "./upgrade-journal.ts";

export interface Surroundings {
	readonly io: Io;
	readonly machine: Machine;
}

/** A data directory of this copy, with its gateways before the upgrade. */
export interface FoundData {
	readonly data: string;
	/** Services that are running or starting. */
	readonly services: readonly InstalledService[];
	/** Gateway that is running outside of these services. */
	readonly gateway?: RunningGateway;
	/** Command line of the gateway, if the system shows it. */
	readonly command?: RunningCommand;
}

/**
 * Resolves with the chosen data directory, and the data directories of all services of this copy, if they exist.
 * Rejects with `failed_precondition` if another copy has a service for one of these directories. On Linux, also
 * rejects if another copy runs a gateway on one of these directories.
 */
export async function findData(
	chosen: string,
	{ program }: Installation,
	machine: Machine,
): Promise<FoundData[]> {
	const services = await allServices(machine);
	const own = services.filter((one) => programOfService(one) === program);
	const directories = [chosen, ...own.map(({ marker }) => marker.data)].filter((path) => existsSync(path));
	const real = [...new Set(directories.map((path) => realpathSync(path)))];
	return await Promise.all(
		real.map((data) => {
			const of = services.filter(
				({ marker }) => existsSync(marker.data) && realpathSync(marker.data) === data,
			);
			return foundData(data, of, program);
		}),
	);
}

async function foundData(
	data: string,
	services: readonly InstalledService[],
	program: string,
): Promise<FoundData> {
	const other = services.find((one) => programOfService(one) !== program);
	if (other) throw refused(upgradeErrors.otherProgram({ what: upgradeTexts.service(other) }));
	const running: InstalledService[] = [];
	for (const service of services) {
		const { condition } = await service.manager.state(service.name);
		if (condition === "running" || condition === "starting") running.push(service);
	}
	const gateway = running.length > 0 ? undefined : await findRunningGateway(data);
	if (!gateway) return { data, services: running };
	const command = runningCommand(gateway.pid, program);
	if (!command && canReadCommands) {
		const what = upgradeTexts.gateway({ pid: gateway.pid, data });
		throw refused(upgradeErrors.otherProgram({ what }));
	}
	return defined({ data, services: running, gateway, command });
}

/** Pattern of a gateway's arguments: the command, `gateway` or `start`, follows the options of the program. */
const isGateway = /^(?:--(?:data|url)(?:=[^\0]*|\0[^\0]*)\0)*(?:gateway|start)(?:\0|$)/;

/**
 * Rejects with `failed_precondition` if a gateway of this copy is running on a data directory outside `found`.
 * The upgrade would remove the program files of that gateway. Has no effect on systems other than Linux, which do
 * not show the processes.
 */
export async function checkElsewhere(found: readonly FoundData[], { program }: Installation): Promise<void> {
	const running = await Promise.all(found.map(({ data }) => findRunningGateway(data)));
	for (const [pid, { args, directory }] of runningCommands(program)) {
		if (!isGateway.test(args.join("\0"))) continue;
		// If a launcher runs on an older Node, the gateway is its child process.
		const known = await Promise.all(running.map((one) => one && isWithin(one.pid, pid)));
		if (!known.includes(true)) throw refused(upgradeErrors.elsewhere({ pid, directory }));
	}
}

/** Throws `failed_precondition` if this user has no permission to stop one of the services. */
export function checkRights(found: readonly FoundData[], { uid }: Machine): void {
	const services = found.flatMap((one) => one.services);
	const foreign = services.find(({ manager }) => manager.scope === "system" && uid !== 0);
	if (foreign) throw refused(upgradeErrors.needsRoot(foreign));
}

/**
 * Stops the services and the gateways, and waits until they have ended. Rejects with `unavailable` if a gateway does
 * not end in time.
 */
export async function stopAll(upgraded: readonly UpgradedData[], machine: Machine): Promise<void> {
	for (const { data, services } of upgraded) {
		for (const { name, scope } of services) await chooseManager(scope, machine).stop(name);
		const running = await findRunningGateway(data);
		if (!running) continue;
		if (!(await endGateway(running.pid, data))) {
			throw new ParleyError(upgradeErrors.stillRuns({ pid: running.pid }), { code: "unavailable" });
		}
	}
}

interface Starting extends Surroundings {
	/** Path of the installed package's program. */
	readonly program: string;
	/** Environment variables of the gateways that ran outside of services, by data directory. */
	readonly environments: ReadonlyMap<string, RunningCommand["environment"]>;
}

/**
 * Starts the services and gateways that ran before the upgrade. Resolves with the running gateway, or with undefined
 * if no gateway ran. Rejects if a started gateway does not answer.
 */
export async function startOne(
	{ data, services, program }: UpgradedData,
	starting: Starting,
): Promise<RunningGateway | undefined> {
	const { machine, io } = starting;
	for (const { name, scope } of services) {
		const manager = chooseManager(scope, machine);
		await manager.start(name);
		if (await waitForService({ name, data, manager }, io)) continue;
		const why = await explainSilence({ name, manager });
		throw new ParleyError(upgradeErrors.noAnswer({ data, why }), { code: "unavailable" });
	}
	const running = await findRunningGateway(data);
	if (running || !program) return running;
	const { gateway } = await runInBackground({
		data,
		program: starting.program,
		...defined({ options: program.options }),
		args: program.args,
		directory: program.directory,
		environment: starting.environments.get(data) ?? environmentOf(io),
	});
	return gateway;
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}
