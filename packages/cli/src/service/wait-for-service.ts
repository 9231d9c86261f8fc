import { delay, systemClock } from "@parley/base";
import { findRunningGateway, type RunningGateway } from "../client/running-gateway.ts";
import type { Io } from "../command-line/io.ts";
import { progressLine } from "../command-line/progress-line.ts";
import { serviceTexts } from "../texts/service.ts";
import { isWithin } from "./is-within.ts";
import type { ServiceManager } from "./service-manager.ts";

/** Maximum milliseconds to wait for the gateway. The start of a gateway with a large database takes less time. */
const startMs = 60_000;
const pollMs = 100;

interface StartedService {
	readonly name: string;
	readonly data: string;
	readonly manager: ServiceManager;
}

/**
 * Waits for the gateway of a started service. Resolves with the gateway when it answers. Resolves with undefined if
 * the service ends or does not answer in time.
 */
export async function waitForService(
	{ name, data, manager }: StartedService,
	io: Io,
): Promise<RunningGateway | undefined> {
	const progress = progressLine(io);
	progress.show(serviceTexts.waiting);
	const end = systemClock.monotonic() + startMs;
	try {
		while (systemClock.monotonic() < end) {
			const { condition, pid } = await manager.state(name);
			const gateway = await findRunningGateway(data);
			if (gateway && pid !== undefined && (await isWithin(gateway.pid, pid))) return gateway;
			if (condition === "failed" || condition === "stopped") return undefined;
			await delay(systemClock, pollMs);
		}
		return undefined;
	} finally {
		progress.end();
	}
}

/** Returns the state of a service that does not answer, and the reason if its service manager reports one. */
export async function explainSilence({ name, manager }: Omit<StartedService, "data">): Promise<string> {
	const { reason, condition } = await manager.state(name);
	return reason === undefined ? condition : `${condition}: ${reason}`;
}
