import type { Registry } from "prom-client";

/** What Node and the system know of the process, under the names that dashboards expect (`process_…`, `nodejs_…`). */
export class ProcessMetrics {
	#registry: Promise<Registry> | undefined;

	/** As text. The library is loaded, and the event loop watched, from the first time on: a start has no time for it. */
	async render(): Promise<string> {
		this.#registry ??= openRegistry();
		return (await this.#registry).metrics();
	}
}

async function openRegistry(): Promise<Registry> {
	const { collectDefaultMetrics, Registry } = await import("prom-client");
	const register = new Registry();
	// Every measurement of the event loop wakes an idle process.
	collectDefaultMetrics({ register, eventLoopMonitoringPrecision: 50 });
	return register;
}
