import { defined, type Logger, ParleyError } from "@parley/base";
import type { ImageBlock, SessionEvent } from "@parley/core";
import { zotErrorTexts } from "../../../texts/wires/zot.ts";
import type { Agent } from "../agent.ts";
import { encodeQuestion, encodeTime, encodeZotError, failure, idOf, shortenText, success } from "../codec.ts";
import type { Command, Frame, Id, Notice } from "../schema.ts";
import { PromptLines, Tally } from "./prompt-lines.ts";

/** Maximum number of prompts and compactions that wait. */
const maxWaiting = 64;
/** Maximum total of characters in all waiting prompts. */
const maxWaitingLength = 64 * 1024 * 1024;
/** Maximum number of characters of a message in the response to `queue`. */
const maxShown = 200;

export type Job = Extract<Command, { type: "prompt" | "compact" }>;

interface Active {
	readonly job: Job;
	readonly abort: AbortController;
	readonly lines: PromptLines;
	/** Id of the run; undefined until the core has accepted the prompt. */
	runId: string | undefined;
	readonly done: () => void;
}

export interface PromptsOptions {
	readonly agent: Agent;
	readonly log: Logger;
	readonly send: (frame: Frame) => void;
	/**
	 * Resolves when the commands before a prompt are done, for example a `set_model`. Returns undefined if they are already
	 * done.
	 */
	readonly settled: () => Promise<void> | undefined;
}

/**
 * Queue of prompts and compactions. Each of these jobs gets its response when it starts, and `done` when it has
 * ended.
 */
export class Prompts {
	readonly #options: PromptsOptions;
	readonly #tally = new Tally();
	#waiting: Job[] = [];
	#active: Active | undefined;
	#working: Promise<void> | undefined;

	constructor(options: PromptsOptions) {
		this.#options = options;
	}

	get busy(): boolean {
		return this.#working !== undefined;
	}

	get usage(): Tally["counts"] {
		return this.#tally.counts;
	}

	/**
	 * Adds a prompt or a compaction. Throws `resource_exhausted` if too many jobs wait, or if the waiting prompts are too
	 * long in total.
	 */
	add(job: Job): void {
		if (this.#waiting.length >= maxWaiting) {
			throw new ParleyError(
				`busy: the command ${job.type} was not queued, because ${maxWaiting} commands are already waiting; try again later`,
				{ code: "resource_exhausted" },
			);
		}
		const length = [...this.#waiting, job].reduce((sum, one) => sum + lengthOf(one), 0);
		if (length > maxWaitingLength) {
			throw new ParleyError(
				`busy: the command ${job.type} was not queued, because the waiting commands would exceed 64 MiB; try again later`,
				{ code: "resource_exhausted" },
			);
		}
		this.#waiting.push(job);
		this.#working ??= this.#work();
	}

	list(): object {
		const active = this.#active && describe(this.#active.job);
		return { active: active ?? null, queued: this.#waiting.map(describe) };
	}

	/** Removes a waiting prompt or compaction. Throws `not_found` if no waiting prompt or compaction has the id. */
	cancelWaiting(id: Id): void {
		const job = this.#waiting.find((one) => one.id === id);
		if (!job)
			throw new ParleyError(zotErrorTexts.noWaitingPrompt({ id: JSON.stringify(id) }), { code: "not_found" });
		this.#drop([job]);
	}

	abort(): void {
		const active = this.#active;
		if (!active || active.abort.signal.aborted) return;
		active.abort.abort();
		if (active.runId !== undefined) this.#cancelRun(active.runId);
	}

	/** Aborts the active prompt or compaction, and removes all waiting ones. */
	abortAll(): void {
		this.#drop(this.#waiting);
		this.abort();
	}

	/** Resolves when no prompt and no compaction is running or waiting. */
	async idle(): Promise<void> {
		while (this.#working !== undefined) await this.#working;
	}

	notify(notice: Notice): void {
		if (this.#active) this.#send(this.#active.job, notice);
	}

	receive(event: SessionEvent): void {
		const active = this.#active;
		if (!active) return;
		const { job, lines } = active;
		const { event: inner } = event;
		// Deltas use the shortest path, because most events are deltas.
		if (inner.type === "text.delta" && lines.isInText) {
			this.#sendDelta(job, inner.text);
			return;
		}
		if (inner.type === "user.message" && job.type === "prompt" && !event.transient) {
			this.#send(job, questionOf(job, event.at));
		}
		for (const notice of lines.receive(event)) {
			this.#send(job, notice);
			if (notice.type === "done") active.done();
		}
	}

	async #work(): Promise<void> {
		for (let job = this.#waiting.shift(); job; job = this.#waiting.shift()) await this.#run(job);
		this.#working = undefined;
	}

	async #run(job: Job): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		const abort = new AbortController();
		const lines = new PromptLines(this.#tally, abort.signal);
		const active: Active = { job, abort, lines, runId: undefined, done: resolve };
		// From here on, an abort ends this job, even while the job waits for earlier commands.
		this.#active = active;
		const earlier = this.#options.settled();
		if (earlier !== undefined) await earlier;
		this.#options.send(success(job, { started: true }));
		try {
			if (job.type === "prompt") await this.#prompt(job, active, promise);
			else await this.#compact(job, abort.signal);
		} catch (reason) {
			this.#options.log.error("a prompt could not be carried out", { error: reason });
			this.#send(job, { type: "error", message: encodeZotError(reason) });
			this.#send(job, { type: "done" });
		} finally {
			this.#active = undefined;
		}
	}

	async #prompt(job: Extract<Job, { type: "prompt" }>, active: Active, done: Promise<void>): Promise<void> {
		const runId = await this.#options.agent.prompt(job.message ?? "", imagesOf(job.images));
		active.runId = runId;
		if (active.abort.signal.aborted) this.#cancelRun(runId);
		await done;
	}

	async #compact(job: Job, signal: AbortSignal): Promise<void> {
		try {
			const summary = await this.#options.agent.compact(signal);
			if (summary === undefined) this.#send(job, { type: "error", message: "nothing to compact" });
			else this.#send(job, { type: "compact_done", summary });
		} catch (reason) {
			if (!signal.aborted) this.#send(job, { type: "error", message: encodeZotError(reason) });
		}
		this.#send(job, { type: "done" });
	}

	/**
	 * Aborts the run `runId`. The id is necessary because the next run may start before the core handles the
	 * cancellation.
	 */
	#cancelRun(runId: string): void {
		const { agent, log } = this.#options;
		agent.abort(runId).catch((error: unknown) => log.error("a prompt could not be aborted", { error }));
	}

	#drop(jobs: readonly Job[]): void {
		this.#waiting = this.#waiting.filter((job) => !jobs.includes(job));
		for (const job of jobs) this.#options.send(failure(job, "cancelled before it started"));
	}

	/** Sends a text delta. Builds the notice directly, because a delta is sent for each token. */
	#sendDelta({ id }: Job, delta: string): void {
		this.#options.send(
			idOf(id) ? { type: "text_delta", delta, request_id: id } : { type: "text_delta", delta },
		);
	}

	#send({ id }: Job, notice: Notice): void {
		this.#options.send(idOf(id) ? { ...notice, request_id: id } : notice);
	}
}

function questionOf({ message, images }: Extract<Job, { type: "prompt" }>, at: number): Notice {
	const content = encodeQuestion(message ?? "", imagesOf(images));
	return { type: "user_message", content, time: encodeTime(at) };
}

function imagesOf(images: Extract<Job, { type: "prompt" }>["images"]): ImageBlock[] {
	return (images ?? []).map(({ mime_type, data }) => ({ type: "image", mediaType: mime_type, data }));
}

function lengthOf(job: Job): number {
	if (job.type === "compact") return 0;
	const images = job.images ?? [];
	return images.reduce((sum, { data }) => sum + data.length, (job.message ?? "").length);
}

function describe(job: Job): object {
	const { id, type } = job;
	const named = defined({ id, type });
	if (job.type === "compact") return named;
	const message = job.message ?? "";
	return { ...named, message: shortenText(message, maxShown), images: job.images?.length ?? 0 };
}
