import { ParleyError } from "@parley/base";
import { endGateway } from "../client/end-gateway.ts";
import { findRunningGateway } from "../client/running-gateway.ts";
import type { Io } from "../command-line/io.ts";
import { printNotice } from "../command-line/output.ts";
import { choose } from "../command-line/prompts.ts";
import { findInstallation } from "../installation/installation.ts";
import { chooseManager } from "../service/choose-manager.ts";
import { findService, servicesOf } from "../service/find-service.ts";
import { isWithin } from "../service/is-within.ts";
import { planService } from "../service/plan-service.ts";
import { visibleLine } from "../text/visible.ts";
import { setupTexts } from "../texts/setup.ts";
import type { StepParts, StepResult } from "./setup-flags.ts";
import { startDirectory } from "./start-directory.ts";

const name = "parley";

/**
 * Installs the gateway as a user service that starts automatically, if the operator wants it and no other service uses
 * the data.
 */
export async function setUpService(parts: StepParts): Promise<StepResult> {
	const { flags, io, data, asks } = parts;
	const other = await otherService(data, io);
	if (other !== undefined) return [setupTexts.results.otherService({ file: other })];
	const isRequested = flags.service ?? (asks ? await askService(io) : false);
	if (isRequested === undefined) return "left";
	if (!isRequested) return [setupTexts.results.skipped];
	try {
		return [await install(parts)];
	} catch (error) {
		if (!asks || !(error instanceof ParleyError)) throw error;
		printNotice(visibleLine(error.message), io);
		printNotice(setupTexts.serviceLater, io);
		return [setupTexts.results.noService];
	}
}

/**
 * Resolves with the file of another service that starts a gateway on this data: a system service, or a user service
 * with another name.
 */
async function otherService(data: string, io: Io): Promise<string | undefined> {
	const { thisMachine } = await import("../service/machine.ts");
	const services = await servicesOf(data, thisMachine(io));
	return services.find((one) => one.name !== name || one.manager.scope !== "user")?.file;
}

async function askService(io: Io): Promise<boolean | undefined> {
	const options = [
		{ value: "no", label: setupTexts.noService },
		{ value: "yes", label: setupTexts.installService },
	];
	const answer = await choose({ message: setupTexts.service, options }, io);
	return answer === undefined ? undefined : answer === "yes";
}

/** Installs the service, and resolves with the result for the summary. */
async function install({ io, data, asks }: StepParts): Promise<string> {
	const [{ installService }, { thisMachine }] = await Promise.all([
		import("../service/install-service.ts"),
		import("../service/machine.ts"),
	]);
	const machine = thisMachine(io);
	const manager = chooseManager("user", machine);
	await manager.check();
	// `findService` and `planService` reject before the step stops a gateway.
	await findService(name, manager);
	const directory = (await startDirectory(data, io)) ?? machine.home;
	const around = { io: inDirectory(directory, io), machine, version: findInstallation().version };
	await planService({ name, data }, around);
	await stopOther(data, (await manager.state(name)).pid, io);
	const code = await installService({ name, data }, around);
	if (code === 0) return setupTexts.results.service({ directory });
	if (!asks) throw new ParleyError(setupTexts.results.silentService, { code: "failed_precondition" });
	return setupTexts.results.silentService;
}

/** Returns `io` with `cwd` as the current directory. Sessions of the service use this directory. */
function inDirectory(cwd: string, io: Io): Io {
	return Object.create(Object.getPrototypeOf(io), {
		...Object.getOwnPropertyDescriptors(io),
		cwd: { value: cwd, enumerable: true },
	});
}

/**
 * Stops a gateway outside of the service, because two gateways cannot use the data directory at the same time.
 */
async function stopOther(data: string, servicePid: number | undefined, io: Io): Promise<void> {
	const running = await findRunningGateway(data);
	if (!running) return;
	const { pid } = running;
	if (servicePid !== undefined && (await isWithin(pid, servicePid))) return;
	printNotice(setupTexts.stopsGateway({ pid }), io);
	if (await endGateway(pid, data)) return;
	throw new ParleyError(setupTexts.gatewayStays({ pid }), { code: "unavailable" });
}
