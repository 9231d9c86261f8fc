import { parseJson } from "@parley/base";
import type { RuntimeFile } from "@parley/gateway";
import { readRuntimeFile } from "@parley/gateway/data";

import { getFromGateway, type HttpAddress } from "./gateway-http.ts";

/** A gateway that is running on a data directory. */
export interface RunningGateway extends RuntimeFile {
	readonly health: "ok" | "degraded" | "draining";
}

const patienceMs = 3_000;

/**
 * Resolves with the gateway of a data directory, or undefined if no gateway answers. The runtime file is not
 * sufficient, because a killed gateway leaves its file behind.
 */
export async function findRunningGateway(data: string): Promise<RunningGateway | undefined> {
	const runtime = await readRuntimeFile(data);
	const url = runtime?.local ?? runtime?.urls[0];
	if (runtime === undefined || url === undefined || !isAlive(runtime.pid)) return undefined;
	const health = await readHealth({ url, certificate: runtime.certificate });
	return health && { ...runtime, health };
}

/** Whether the process exists. The process may belong to another user. */
export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}

async function readHealth(address: HttpAddress): Promise<RunningGateway["health"] | undefined> {
	try {
		const response = await getFromGateway(address, "/api/health", AbortSignal.timeout(patienceMs));
		const { status }: { status?: unknown } = Object(parseJson(response.text));
		return status === "ok" || status === "degraded" || status === "draining" ? status : undefined;
	} catch {
		// No gateway answers: the connection fails, the time limit is exceeded, or the response is not JSON.
		return undefined;
	}
}
