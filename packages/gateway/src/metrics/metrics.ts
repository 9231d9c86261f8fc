import { statSync } from "node:fs";
import type { Clock, Logger, Store } from "@parley/base";
import { authorize, countOpenWork, operator, type Principal, type Runtime, type Tables } from "@parley/core";
import type { Registry } from "prom-client";
import { metricTexts } from "../texts/metrics.ts";
import { StreamCounts, UploadCounts, WireCounts } from "./client-metrics.ts";
import { countEvents } from "./event-metrics.ts";
import { type LoadedMetrics, MetricRecorder } from "./recorder.ts";

export interface MetricsOptions {
	readonly clock: Clock;
	readonly log: Logger;
	readonly version: string;
	readonly tools: readonly { readonly name: string }[];
}

/** Parts of the gateway. Each scrape reads values from them. */
export interface MetricsSources {
	readonly runtime: Runtime;
	readonly store: Store<Tables>;
	/** Path of the database. */
	readonly file: string;
	/** Returns the numbers of unauthenticated connections: served, and waiting. */
	readonly unauthenticated: () => { readonly served: number; readonly waiting: number };
	readonly wires: () => readonly WireState[];
}

interface WireState {
	readonly wire: string;
	readonly clients: number;
	/** Number of bytes that wait for slow clients. */
	readonly waitingBytes: number;
}

/** Text of all metrics, with the value of its `content-type` header. */
export interface Exposition {
	readonly contentType: string;
	readonly text: string;
}

export class Metrics {
	readonly wire: WireCounts;
	readonly streams: StreamCounts;
	readonly uploads: UploadCounts;
	readonly #options: MetricsOptions;
	readonly #recorder: MetricRecorder;

	constructor(options: MetricsOptions) {
		this.#options = options;
		this.#recorder = new MetricRecorder(options.log);
		this.wire = new WireCounts(this.#recorder);
		this.streams = new StreamCounts(this.#recorder);
		this.uploads = new UploadCounts(this.#recorder);
	}

	/** Counts all later events of the runtime. */
	watch(runtime: Runtime): void {
		const names = this.#options.tools.map(({ name }) => name);
		runtime.observe(operator, countEvents(this.#recorder, names));
	}

	/**
	 * Measures a transaction of the store. The store calls this function with the number of commands when the
	 * transaction begins, and the returned function when the transaction ends.
	 */
	readonly transaction = (commands: number): (() => void) => {
		const { clock } = this.#options;
		const beganAt = clock.monotonic();
		this.#recorder.observe("parley_store_commit_commands", {}, commands);
		return () =>
			this.#recorder.observe(
				"parley_store_commit_duration_seconds",
				{},
				(clock.monotonic() - beganAt) / 1000,
			);
	};

	/**
	 * Returns the function that answers a scrape. The function rejects with `permission_denied` unless the principal
	 * may read metrics.
	 */
	exposition(sources: MetricsSources): (principal: Principal) => Promise<Exposition> {
		let loading: Promise<Registry> | undefined;
		return async (principal) => {
			authorize(principal, "metrics.read");
			loading ??= this.#loadGauges(sources);
			const registry = await loading;
			return { contentType: registry.contentType, text: await registry.metrics() };
		};
	}

	async #loadGauges(sources: MetricsSources): Promise<Registry> {
		const loaded = await this.#recorder.load();
		const { library, registry } = loaded;
		const { version } = this.#options;
		for (const gauge of [
			{
				name: "parley_build_info",
				help: metricTexts.version,
				labels: ["version"],
				read: () => [{ labels: { version }, value: 1 }],
			},
			...workGauges(sources),
			...clientGauges(sources),
			{
				name: "parley_uploads",
				help: metricTexts.uploadsInProgress,
				labels: [],
				read: () => one(this.uploads.running),
			},
			...stateGauges(sources),
		]) {
			addGauge(loaded, gauge);
		}
		// Adds the metrics `process_…` and `nodejs_…`. The event loop is measured only every 50 ms, because each measurement
		// wakes an idle process.
		library.collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
		return registry;
	}
}

interface Sample {
	readonly labels: Readonly<Record<string, string>>;
	readonly value: number;
}

interface GaugeDefinition {
	readonly name: string;
	readonly help: string;
	readonly labels: readonly string[];
	readonly read: () => readonly Sample[] | Promise<readonly Sample[]>;
}

function addGauge({ library, registry }: LoadedMetrics, { name, help, labels, read }: GaugeDefinition): void {
	new library.Gauge<string>({
		name,
		help,
		labelNames: labels,
		registers: [registry],
		async collect() {
			const samples = await read();
			this.reset();
			for (const sample of samples) this.set(sample.labels, sample.value);
		},
	});
}

function workGauges({ runtime, store }: MetricsSources): GaugeDefinition[] {
	let counting: ReturnType<typeof countOpenWork> | undefined;
	const openWork = (): ReturnType<typeof countOpenWork> => {
		// A scrape reads the three gauges of open work at the same time, so they share one query.
		counting ??= countOpenWork(store).finally(() => {
			counting = undefined;
		});
		return counting;
	};
	return [
		{
			name: "parley_runs",
			help: metricTexts.openRuns,
			labels: ["state"],
			read: async () => {
				const { active, queued } = await openWork();
				return byLabel("state", { active, queued });
			},
		},
		{
			name: "parley_tasks",
			help: metricTexts.openTasks,
			labels: ["state"],
			read: async () => byLabel("state", (await openWork()).tasks),
		},
		{
			name: "parley_prompts_open",
			help: metricTexts.openPrompts,
			labels: [],
			read: async () => one((await openWork()).prompts),
		},
		{
			name: "parley_sessions_loaded",
			help: metricTexts.sessions,
			labels: [],
			read: () => one(runtime.loaded),
		},
	];
}

function clientGauges({ wires, unauthenticated }: MetricsSources): GaugeDefinition[] {
	return [
		{
			name: "parley_clients",
			help: metricTexts.clients,
			labels: ["wire"],
			read: () => wires().map(({ wire, clients }) => ({ labels: { wire }, value: clients })),
		},
		{
			name: "parley_outgoing_bytes",
			help: metricTexts.queuedBytes,
			labels: ["wire"],
			read: () => wires().map(({ wire, waitingBytes }) => ({ labels: { wire }, value: waitingBytes })),
		},
		{
			name: "parley_strangers",
			help: metricTexts.newConnections,
			labels: ["state"],
			read: () => {
				const { served, waiting } = unauthenticated();
				return byLabel("state", { served, waiting });
			},
		},
	];
}

function stateGauges({ runtime, file }: MetricsSources): GaugeDefinition[] {
	return [
		{
			name: "parley_model_estimate_error_ratio",
			help: metricTexts.tokenEstimateError,
			labels: ["provider", "model"],
			read: () => estimateErrors(runtime),
		},
		{
			name: "parley_database_bytes",
			help: metricTexts.databaseSize,
			labels: ["file"],
			read: () => byLabel("file", { database: sizeOf(file), log: sizeOf(`${file}-wal`) }),
		},
	];
}

function estimateErrors(runtime: Runtime): Sample[] {
	const compared = [...runtime.estimateErrors(operator)].filter(([, { replies }]) => replies > 0);
	return compared.map(([name, { mean }]) => {
		const [provider = "", ...model] = name.split("/");
		return { labels: { provider, model: model.join("/") }, value: mean };
	});
}

function one(value: number): Sample[] {
	return [{ labels: {}, value }];
}

function byLabel(label: string, values: Readonly<Record<string, number>>): Sample[] {
	return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

function sizeOf(file: string): number {
	return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
