import { existsSync } from "node:fs";
import { chmod, rename } from "node:fs/promises";
import { ParleyError } from "@parley/base";
import { keyVariables } from "@parley/gateway";
import { checkPermissions, writeDraft } from "@parley/gateway/data";
import { readStoredKeys } from "@parley/gateway/settings";
import { findRunningGateway, type RunningGateway } from "../client/running-gateway.ts";
import type { Io } from "../command-line/io.ts";
import { printJson, printRows } from "../command-line/output.ts";
import { proxyVariables } from "../connectors/proxy-variables.ts";
import { platforms } from "../gateway/platform.ts";
import { visibleLine } from "../text/visible.ts";
import { serviceErrors, serviceTexts } from "../texts/service.ts";
import { chooseManager } from "./choose-manager.ts";
import { chosenVariables, readEnvironmentFile, storeVariables } from "./environment-file.ts";
import { findService } from "./find-service.ts";
import { isWithin } from "./is-within.ts";
import type { Machine } from "./machine.ts";
import { type InstallFlags, planService } from "./plan-service.ts";
import type { ServiceManager } from "./service-manager.ts";
import type { ServicePlan } from "./service-plan.ts";
import { explainSilence, waitForService } from "./wait-for-service.ts";

interface Surroundings {
	readonly io: Io;
	readonly machine: Machine;
	readonly version: string;
}

/**
 * Installs or updates a service. Writes the description and the keys. Starts or restarts the service if the service
 * is not running, or if the description or the keys have changed. Then waits for the gateway. With `--dry-run`, only
 * prints the description. Returns the exit code.
 */
export async function installService(flags: InstallFlags, around: Surroundings): Promise<number> {
	const { io, machine } = around;
	const manager = chooseManager(flags.system ? "system" : "user", machine);
	const variables = chosenVariables(flags.env ?? [], io.environment);
	const plan = await planService(flags, around);
	const text = await manager.describe(plan);
	if (flags.dryRun) {
		io.stderr.write(`${manager.fileOf(flags.name)}:\n`);
		io.stdout.write(text);
		return 0;
	}
	await manager.check();
	const before = await findService(flags.name, manager);
	await refuseOtherGateway(plan, manager);
	const hasNewKeys = await storeKeys(plan, variables);
	if (existsSync(plan.environmentFile)) await checkPermissions(plan.environmentFile, 0o007);
	const isChanged = before?.text !== text || hasNewKeys;
	if (before?.text !== text) await writeDescription(manager.fileOf(flags.name), text);
	const isRunning = before !== undefined && (await manager.state(flags.name)).condition === "running";
	if (isChanged || !isRunning) await manager.start(flags.name);
	const gateway = await waitForService({ ...plan, manager }, io);
	const notes = [...(await manager.afterInstall(flags.name)), ...(await missingKeys(plan, io.environment))];
	report(
		{ plan, manager, gateway, notes, done: before ? (isChanged ? "updated" : "unchanged") : "installed" },
		flags.json === true,
		io,
	);
	if (gateway) return 0;
	await explainFailure(plan, manager, io);
	return 1;
}

/**
 * Rejects if a gateway outside this service uses the data directory, because a data directory can have only one
 * gateway.
 */
async function refuseOtherGateway({ data, name }: ServicePlan, manager: ServiceManager): Promise<void> {
	const running = await findRunningGateway(data);
	if (!running) return;
	const { pid } = await manager.state(name);
	if (pid !== undefined && (await isWithin(running.pid, pid))) return;
	throw new ParleyError(serviceErrors.otherGateway({ data, pid: running.pid }), {
		code: "failed_precondition",
	});
}

async function storeKeys(
	{ environmentFile }: ServicePlan,
	variables: Record<string, string>,
): Promise<boolean> {
	return Object.keys(variables).length > 0 && storeVariables(environmentFile, variables);
}

async function writeDescription(file: string, text: string): Promise<void> {
	const draft = await writeDraft(file, text);
	await chmod(draft, 0o644);
	await rename(draft, file);
}

/**
 * Resolves with rows about variables for keys, platforms and proxies that this shell has, but the service does
 * not receive.
 */
async function missingKeys(
	{ data, environmentFile }: ServicePlan,
	environment: Io["environment"],
): Promise<string[]> {
	const stored = { ...(await readStoredKeys(data)), ...(await readEnvironmentFile(environmentFile)) };
	const names = [...keyVariables, ...platforms.flatMap(({ variables }) => variables), ...proxyVariables];
	const missing = names.filter((name) => environment[name] && stored[name] === undefined);
	if (missing.length === 0) return [];
	const flags = missing.map((name) => `--env ${name}`).join(" ");
	return [serviceTexts.missingKeys({ names: missing.join(", "), flags, file: environmentFile })];
}

interface Report {
	readonly plan: ServicePlan;
	readonly manager: ServiceManager;
	readonly gateway: RunningGateway | undefined;
	readonly notes: readonly string[];
	readonly done: "installed" | "updated" | "unchanged";
}

function report({ plan, manager, gateway, notes, done }: Report, json: boolean, io: Io): void {
	const { name, scope, data } = plan;
	const file = manager.fileOf(name);
	if (json) {
		const facts = {
			name,
			manager: manager.kind,
			scope,
			file,
			data,
			done,
			running: gateway !== undefined,
			urls: gateway?.urls ?? [],
			notes,
		};
		printJson(facts, io);
		return;
	}
	const first = `${serviceTexts.done[done]}: ${file}`;
	const answer = gateway
		? [serviceTexts.running({ urls: gateway.urls.join(", ") }), serviceTexts.logsHint]
		: [];
	printRows([first, ...answer, ...notes.map((note) => serviceTexts.note({ note }))].map(visibleLine), io);
}

async function explainFailure({ name, data }: ServicePlan, manager: ServiceManager, io: Io): Promise<void> {
	const why = await explainSilence({ name, manager });
	io.stderr.write(`${visibleLine(`parley: ${serviceTexts.noAnswer({ data, why })}`)}\n`);
}
