import type { Clock, Logger } from "@parley/base";
import type { Model, ModelEvent, ModelTable } from "@parley/core";
import { type ModelServer, readList } from "./discover-model.ts";

/**
 * Minimum milliseconds between two requests for a list of models, if the list could not be read or does not contain
 * the model.
 */
const pauseMs = 60 * 1000;
/** Age in milliseconds at which a list of models is requested again, because models and their windows change. */
const oldMs = 60 * 60 * 1000;

interface ListedWindowsDeps {
	readonly server: ModelServer;
	readonly table: ModelTable;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Returns `model` with context windows from the model list of its server. The list is requested only for models that
 * are not in `table`.
 */
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
	/** Time of the last request, in the clock's monotonic milliseconds. */
	#requestedAt = Number.NEGATIVE_INFINITY;

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
		if (this.#deps.table.find(name, this.provider)) return;
		const age = this.#deps.clock.monotonic() - this.#requestedAt;
		const isListed = this.#windows.has(name);
		if (age >= (isListed ? oldMs : pauseMs)) this.#reading ??= this.#read();
		// The known window is used until the new list arrives.
		if (isListed || !this.#reading) return;
		const { promise: aborted, resolve } = Promise.withResolvers<void>();
		const stop = (): void => resolve();
		signal.addEventListener("abort", stop, { once: true });
		try {
			if (!signal.aborted) await Promise.race([this.#reading, aborted]);
		} finally {
			signal.removeEventListener("abort", stop);
		}
	}

	/**
	 * Reads the windows from the provider's list of models. Never rejects: without the list, models without a known
	 * window have the assumed window.
	 */
	async #read(): Promise<void> {
		const { server, clock, log } = this.#deps;
		this.#requestedAt = clock.monotonic();
		try {
			const list = await readList(server);
			this.#windows = new Map(list.map(({ id, window }) => [id, window]));
		} catch (error) {
			log.info("the provider does not list its models: unknown models have assumed limits", {
				provider: this.provider,
				error,
			});
		} finally {
			this.#reading = undefined;
		}
	}
}
