import { statSync } from "node:fs";
import type { Clock, Store } from "@parley/base";
import { authorize, countOpenWork, operator, type Principal, type Runtime, type Tables } from "@parley/core";
import type { Admission } from "../transport/admission.ts";
import { Distribution } from "./distribution.ts";
import { EventFigures } from "./event-figures.ts";
import { type Family, renderFamilies, type Sample } from "./exposition.ts";
import { histogram } from "./families.ts";
import { ProcessMetrics } from "./process-metrics.ts";
import { StreamCounts } from "./stream-counts.ts";
import { UploadCounts } from "./upload-counts.ts";
import { WireCounts } from "./wire-counts.ts";

const commitBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const batchBounds = [1, 2, 5, 10, 20, 50, 100, 200];

export interface MetricsOptions {
	readonly clock: Clock;
	readonly version: string;
	/** Those there are. */
	readonly tools: readonly { readonly name: string }[];
}

/** What is looked at when somebody asks. */
export interface MetricsSources {
	readonly runtime: Runtime;
	readonly store: Store<Tables>;
	/** The database. */
	readonly file: string;
	readonly admission: Pick<Admission, "strangers">;
	readonly wires: readonly WireFigures[];
}

interface WireFigures {
	readonly wire: string;
	/** How many are connected. */
	readonly clients: number;
	/** What waits for those that do not keep up. */
	readonly waitingBytes: number;
}

/** All figures of a gateway. Counting costs a few additions an event, and nothing for the pieces of a reply. */
export class Metrics {
	readonly wire = new WireCounts();
	readonly streams = new StreamCounts();
	readonly uploads = new UploadCounts();
	readonly #options: MetricsOptions;
	readonly #events: EventFigures;
	readonly #commitSeconds = new Distribution(commitBounds);
	readonly #commitCommands = new Distribution(batchBounds);
	readonly #process = new ProcessMetrics();

	constructor(options: MetricsOptions) {
		this.#options = options;
		this.#events = new EventFigures(options.tools.map(({ name }) => name));
	}

	/** Counts what happens from now on. */
	watch(runtime: Runtime): void {
		runtime.observe(operator, (event) => this.#events.take(event));
	}

	/** For the store: a transaction of so many commands begins; what is returned is called at its end. */
	readonly transaction = (commands: number): (() => void) => {
		const { clock } = this.#options;
		const beganAt = clock.monotonic();
		this.#commitCommands.add(commands);
		return () => this.#commitSeconds.add((clock.monotonic() - beganAt) / 1000);
	};

	/** Everything, as text for Prometheus. Rejects with `permission_denied` for all but operators. */
	async render(principal: Principal, sources: MetricsSources): Promise<string> {
		authorize(principal, "metrics.read");
		const families = [
			gauge("parley_build_info", "1; the version is the label.", [
				{ labels: { version: this.#options.version }, value: 1 },
			]),
			...this.#events.families(),
			...(await gaugesOf(sources)),
			...this.wire.families(),
			...this.streams.families(),
			...this.uploads.families(),
			histogram(
				"parley_store_commit_duration_seconds",
				"How long transactions took until they were durable.",
				this.#commitSeconds,
			),
			histogram("parley_store_commit_commands", "Commands that shared a transaction.", this.#commitCommands),
		];
		return renderFamilies(families) + (await this.#process.render());
	}
}

async function gaugesOf(sources: MetricsSources): Promise<Family[]> {
	const { runtime, file, admission, wires } = sources;
	const open = await countOpenWork(sources.store);
	const each = (figure: (figures: WireFigures) => number): Sample[] =>
		wires.map((figures) => ({ labels: { wire: figures.wire }, value: figure(figures) }));
	const { served, waiting } = admission.strangers;
	return [
		gauge("parley_runs", "Runs that have not ended, by state.", [
			{ labels: { state: "active" }, value: open.active },
			{ labels: { state: "queued" }, value: open.queued },
		]),
		gauge(
			"parley_tasks",
			"Tasks that have not ended, by state.",
			Object.entries(open.tasks).map(([state, value]) => ({ labels: { state }, value })),
		),
		gauge("parley_prompts_open", "Questions that wait for somebody.", one(open.prompts)),
		gauge("parley_sessions_loaded", "Sessions in use.", one(runtime.loaded)),
		gauge(
			"parley_clients",
			"Clients that are connected.",
			each(({ clients }) => clients),
		),
		gauge(
			"parley_outgoing_bytes",
			"Bytes that wait for clients which do not keep up.",
			each(({ waitingBytes }) => waitingBytes),
		),
		gauge("parley_strangers", "Connections that have not said who they are.", [
			{ labels: { state: "served" }, value: served },
			{ labels: { state: "waiting" }, value: waiting },
		]),
		gauge("parley_model_estimate_error_ratio", "How far token estimates were off.", estimates(runtime)),
		gauge("parley_database_bytes", "Size of the database and of its log.", [
			{ labels: { file: "database" }, value: sizeOf(file) },
			{ labels: { file: "log" }, value: sizeOf(`${file}-wal`) },
		]),
	];
}

function estimates(runtime: Runtime): Sample[] {
	const compared = [...runtime.estimateErrors(operator)].filter(([, { replies }]) => replies > 0);
	return compared.map(([name, { mean }]) => {
		const [provider = "", ...model] = name.split("/");
		return { labels: { provider, model: model.join("/") }, value: mean };
	});
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
	return { name, help, type: "gauge", samples };
}

function one(value: number): Sample[] {
	return [{ labels: {}, value }];
}

function sizeOf(file: string): number {
	return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
