import type { Logger } from "@parley/base";
import type { Registry } from "prom-client";
import { type CounterName, counters, type HistogramName, histograms, type LabelsOf } from "./metric-table.ts";

/**
 * Maximum number of series per metric. The limit is necessary because the gateway does not control the values of some
 * labels, such as the names of models. Further combinations of values share one series, in which the value of each
 * label is `other`.
 */
const maxSeries = 500;

/** Number of waiting measurements at which prom-client is loaded without a scrape. */
const loadAfter = 1_000;

/** Maximum number of waiting measurements. Further measurements are dropped until prom-client is loaded. */
const maxWaiting = 10 * loadAfter;

type Labels = Readonly<Record<string, string>>;

interface Measurement {
	readonly name: string;
	readonly labels: Labels;
	readonly value: number;
}

type PromClient = typeof import("prom-client");

/** The prom-client library, and the registry with the counters and histograms of the gateway. */
export interface LoadedMetrics {
	readonly library: PromClient;
	readonly registry: Registry;
}

/**
 * Records values in the counters and histograms of prom-client. Loading the library would delay the start of a gateway,
 * so the library is loaded by the first scrape or after 1,000 measurements. Up to `maxWaiting` earlier measurements
 * wait, and are then recorded in order.
 */
export class MetricRecorder {
	readonly #log: Logger;
	readonly #series = new Map<string, Set<string>>();
	#waiting: Measurement[] = [];
	#record: ((measurement: Measurement) => void) | undefined;
	#loading: Promise<LoadedMetrics> | undefined;

	constructor(log: Logger) {
		this.#log = log;
	}

	/** Adds to a counter. `by` is finite and at least 0. */
	count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by = 1): void {
		this.#add({ name, labels, value: by });
	}

	observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, value: number): void {
		this.#add({ name, labels, value });
	}

	/** Loads prom-client once. Rejects if prom-client is not installed. */
	load(): Promise<LoadedMetrics> {
		this.#loading ??= this.#load();
		return this.#loading;
	}

	#add({ name, labels, value }: Measurement): void {
		const measurement = { name, labels: this.#limited(name, labels), value };
		if (this.#record) {
			this.#record(measurement);
			return;
		}
		if (this.#waiting.length >= maxWaiting) return;
		if (this.#waiting.push(measurement) === loadAfter) this.#loadInBackground();
	}

	#loadInBackground(): void {
		this.load().catch((error) => this.#log.error("metrics cannot be recorded", { error }));
	}

	#limited(name: string, labels: Labels): Labels {
		const names = Object.keys(labels);
		if (names.length === 0) return labels;
		const known = this.#series.get(name) ?? new Set();
		this.#series.set(name, known);
		const key = Object.values(labels).join("\0");
		if (known.has(key)) return labels;
		if (known.size >= maxSeries) return Object.fromEntries(names.map((label) => [label, "other"]));
		known.add(key);
		return labels;
	}

	async #load(): Promise<LoadedMetrics> {
		const library = await import("prom-client");
		const registry = new library.Registry();
		const record = register(library, registry);
		for (const measurement of this.#waiting) record(measurement);
		this.#waiting = [];
		this.#record = record;
		return { library, registry };
	}
}

function register(
	{ Counter, Histogram }: PromClient,
	registry: Registry,
): (measurement: Measurement) => void {
	const registers = [registry];
	const metrics = new Map<string, (labels: Labels, value: number) => void>();
	for (const [name, { help, labels: labelNames }] of Object.entries(counters)) {
		const counter = new Counter<string>({ name, help, labelNames, registers });
		metrics.set(name, (labels, value) => counter.inc(labels, value));
	}
	for (const [name, { help, labels: labelNames, buckets }] of Object.entries(histograms)) {
		const histogram = new Histogram<string>({ name, help, labelNames, registers, buckets: [...buckets] });
		metrics.set(name, (labels, value) => histogram.observe(labels, value));
	}
	return ({ name, labels, value }) => metrics.get(name)?.(labels, value);
}
