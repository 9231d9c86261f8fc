import type { Clock, Logger } from "@parley/base";
import type { Model, ModelEvent, ModelTable } from "@parley/core";
import { type ModelServer, readList } from "./discover-model.ts";

/** Time until a list that could not be read is requested again. */
const pauseMs = 10 * 60 * 1000;

interface ListedWindowsDeps {
	readonly server: ModelServer;
	readonly table: ModelTable;
	readonly clock: Clock;
	readonly log: Logger;
}

/** The same model with the context windows of its server's list. The list is read before a request to an unknown model. */
export function withListedWindows(model: Model, deps: ListedWindowsDeps): Model {
	return new ListedWindows(model, deps);
}

class ListedWindows implements Model {
	readonly provider: string;
	readonly defaultModel: string;
	readonly #model: Model;
	readonly #deps: ListedWindowsDeps;
	#windows: ReadonlyMap<string, number | undefined> = new Map();
	#reading: Promise<void> | undefined;
	/** Monotonic time of the next request for the list. Infinite after a list was read. */
	#next = Number.NEGATIVE_INFINITY;

	constructor(model: Model, deps: ListedWindowsDeps) {
		this.provider = model.provider;
		this.defaultModel = model.defaultModel;
		this.#model = model;
		this.#deps = deps;
	}

	stream(...args: Parameters<Model["stream"]>): AsyncIterable<ModelEvent> {
		return this.#model.stream(...args);
	}

	windowOf(name: string): number | undefined {
		return this.#windows.get(name);
	}

	async settled(signal: AbortSignal, name: string): Promise<void> {
		const { table, clock } = this.#deps;
		if (table.find(name, this.provider) || clock.monotonic() < this.#next) return;
		this.#reading ??= this.#read();
		const { promise: aborted, resolve } = Promise.withResolvers<void>();
		const stop = (): void => resolve();
		signal.addEventListener("abort", stop, { once: true });
		try {
			if (!signal.aborted) await Promise.race([this.#reading, aborted]);
		} finally {
			signal.removeEventListener("abort", stop);
		}
	}

	/** Never rejects: a model without a window has the assumed one. */
	async #read(): Promise<void> {
		const { server, clock, log } = this.#deps;
		try {
			const list = await readList(server);
			this.#windows = new Map(list.map(({ id, window }) => [id, window]));
			this.#next = Number.POSITIVE_INFINITY;
		} catch (error) {
			this.#next = clock.monotonic() + pauseMs;
			log.info("the provider does not list its models: unknown models have assumed limits", {
				provider: this.provider,
				error,
			});
		} finally {
			this.#reading = undefined;
		}
	}
}
