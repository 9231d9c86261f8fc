import { setTimeout as rest } from "node:timers/promises";
import { paced } from "@parley/base/testing";
import type { GatewayProcess } from "../gateway-process.ts";
import { patienceMs } from "../gateway-process.ts";

/** Bytes of memory, and numbers of timers and file descriptors, of a gateway after garbage collection. */
export interface Holdings {
	readonly rss: number;
	readonly heapUsed: number;
	readonly timers: number;
	readonly descriptors: number;
}

/** Node arguments that preload memory-probe.ts. */
export const probeArgs = ["--expose-gc", "--import", new URL("memory-probe.ts", import.meta.url).href];

/**
 * Environment that makes glibc return freed memory early, so that the resident memory stays close to the used memory:
 * mallopt(3).
 */
export const frugalMemory = { MALLOC_TRIM_THRESHOLD_: "131072", MALLOC_MMAP_THRESHOLD_: "16384" };

export async function probe(gateway: GatewayProcess): Promise<Holdings> {
	const from = gateway.stderr.length;
	gateway.kill("SIGUSR2");
	const line = await gateway.line("probe {", from);
	if (line === undefined) throw new Error(`the gateway is gone:\n${gateway.stderr.slice(-20).join("\n")}`);
	// The cast is safe because memory-probe.ts writes an object of this type.
	return JSON.parse(line.slice(line.indexOf("{"))) as Holdings;
}

const restMs = 200;

/** Maximum number of additional timers after an attack, for example for the expiry of tokens and grants. */
export const timersOfUse = 4;

/**
 * Probes until the numbers of descriptors and timers have fallen to the earlier level, and the resident memory to
 * `maxRss` bytes, or until a deadline. The gateway closes many descriptors with a small delay. V8 returns free pages to
 * the system in threads, which are late on a busy machine.
 */
export async function probeSettled(
	gateway: GatewayProcess,
	before: Holdings,
	maxRss = Number.POSITIVE_INFINITY,
): Promise<Holdings> {
	const deadline = performance.now() + paced(patienceMs / 3);
	for (;;) {
		const memory = await probe(gateway);
		const isSettled =
			memory.rss <= maxRss &&
			memory.descriptors <= before.descriptors &&
			memory.timers <= before.timers + timersOfUse;
		if (isSettled || performance.now() > deadline) return memory;
		// A collection blocks the gateway, which needs a pause to close connections.
		await rest(restMs);
	}
}

export function mebibytes(bytes: number): string {
	return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
