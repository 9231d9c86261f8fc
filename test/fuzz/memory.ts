import { setTimeout as rest } from "node:timers/promises";
import { paced } from "@parley/base/testing";
import type { GatewayProcess } from "../gateway-process.ts";
import { patienceMs } from "../gateway-process.ts";

/** What a gateway holds after a collection of garbage. Bytes, and counts. */
export interface Holdings {
	readonly rss: number;
	readonly heapUsed: number;
	readonly timers: number;
	readonly descriptors: number;
}

/** For Node: loads what answers `probe`. */
export const probeArgs = ["--expose-gc", "--import", new URL("memory-probe.ts", import.meta.url).href];

/** Makes glibc give back at once what was freed, so that what is resident is what is held: mallopt(3). */
export const frugalMemory = { MALLOC_TRIM_THRESHOLD_: "131072", MALLOC_MMAP_THRESHOLD_: "16384" };

/** Asks the gateway what it holds. */
export async function probe(gateway: GatewayProcess): Promise<Holdings> {
	const from = gateway.stderr.length;
	gateway.kill("SIGUSR2");
	const line = await gateway.line("probe {", from);
	if (line === undefined) throw new Error(`the gateway is gone:\n${gateway.stderr.slice(-20).join("\n")}`);
	// True of what memory-probe.ts writes.
	return JSON.parse(line.slice(line.indexOf("{"))) as Holdings;
}

const restMs = 200;

/** Tokens, grants and samples of the audit that were made meanwhile wait for their next end, with one timer each. */
export const timersOfUse = 4;

/** Asks again until no more is open than was before, or it has taken too long: much is closed a little later. */
export async function probeSettled(gateway: GatewayProcess, before: Holdings): Promise<Holdings> {
	const deadline = performance.now() + paced(patienceMs / 3);
	for (;;) {
		const held = await probe(gateway);
		const isSettled = held.descriptors <= before.descriptors && held.timers <= before.timers + timersOfUse;
		if (isSettled || performance.now() > deadline) return held;
		// A collection keeps the gateway from closing anything.
		await rest(restMs);
	}
}

export function mebibytes(bytes: number): string {
	return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
