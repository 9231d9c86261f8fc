import { ParleyError } from "@parley/base";
import type { Prompt, SessionEvent } from "@parley/core";
import { kindOf, type RunResult } from "../codec.ts";

/** Result of showing an approval to a person: whether it is decided, by them or by another person. */
export type ShowApproval = (prompt: Prompt, settled: AbortSignal) => Promise<"decided" | "open">;

export interface Waiting {
	/** Ends the wait. The run continues. */
	readonly stop: AbortSignal;
	/** Shows an approval to a person; undefined if that is not possible. */
	readonly show?: ((prompt: Prompt) => ShowApproval | undefined) | undefined;
	/** Whether open approvals and passwords do not end the wait, because the client knows them already. */
	readonly patient?: boolean;
	/** Called with the present work of the run, for people. */
	readonly progress: (words: string) => void;
}

/** The state of one run, from the events of its session. Pass all events from before its message was sent. */
export class RunWait {
	readonly #sessionId: string;
	#runId: string | undefined;
	#early: SessionEvent[] = [];
	readonly #open = new Map<string, Prompt>();
	readonly #settled = new Map<string, AbortController>();
	readonly #steps = new Set<string>();
	#end: { readonly text: string; readonly error: string } | undefined;
	#isDeleted = false;
	#words = "working";
	#changed = Promise.withResolvers<void>();

	constructor(sessionId: string) {
		this.#sessionId = sessionId;
	}

	/** Sets the run. Events before are applied. */
	begin(runId: string): void {
		this.#runId = runId;
		const early = this.#early;
		this.#early = [];
		for (const event of early) this.receive(event);
	}

	/** Ends the wait with the recorded end of the run. */
	ended(text: string, error: string): void {
		this.#end = { text, error };
		this.#change();
	}

	/** Adds the questions of a step of the run. */
	addStep(taskId: string): void {
		this.#steps.add(taskId);
	}

	/** Present work of the run, for people. */
	get words(): string {
		return this.#words;
	}

	receive(happened: SessionEvent): void {
		const { event } = happened;
		if (this.#runId === undefined) {
			if (isRelevant(event)) this.#early.push(happened);
			return;
		}
		switch (event.type) {
			case "prompt.requested":
			case "prompt.shown":
				if (this.#isOurs(event.prompt)) this.#open.set(event.prompt.token, event.prompt);
				break;
			case "prompt.answered":
			case "prompt.closed":
				this.#open.delete(event.token);
				this.#settled.get(event.token)?.abort();
				break;
			case "skill.step.started":
				if (event.runId === this.#runId) this.#steps.add(event.taskId);
				break;
			case "tool.started":
				if (event.runId === this.#runId) this.#words = `tool ${event.name}`;
				break;
			case "assistant.message":
				if (event.runId === this.#runId) this.#end = { text: event.content, error: event.error };
				break;
			case "session.deleted":
				this.#isDeleted = true;
				break;
			default:
				return;
		}
		this.#change();
	}

	/**
	 * Resolves when the run has ended, when it waits for a person, or when the wait is stopped. Throws `not_found` if the
	 * session was deleted.
	 */
	async result(waiting: Waiting): Promise<RunResult> {
		const left = new Set<string>();
		const onStop = (): void => this.#change();
		waiting.stop.addEventListener("abort", onStop);
		try {
			for (;;) {
				const status = this.#status(waiting.stop.aborted);
				if (status) return this.#state(status);
				const next = this.#next(waiting, left);
				if (next === "return") return this.#state("waiting");
				// Not before a result: some clients handle a report after the result that follows it.
				waiting.progress(this.#words);
				if (next) await this.#showTo(next.show, next.prompt, left);
				else await this.#changed.promise;
			}
		} finally {
			waiting.stop.removeEventListener("abort", onStop);
		}
	}

	/** The status that ends a wait. */
	#status(isStopped: boolean): RunResult["status"] | undefined {
		if (this.#isDeleted) {
			throw new ParleyError(`session not found: ${this.#sessionId}`, { code: "not_found" });
		}
		if (this.#end) return statusOf(this.#end.error);
		if (!isStopped) return undefined;
		return this.#open.size > 0 ? "waiting" : "running";
	}

	/** The next step for the open questions: to return them to the client, or to show one to a person. */
	#next(
		{ show, patient = false }: Waiting,
		left: ReadonlySet<string>,
	): "return" | { readonly prompt: Prompt; readonly show: ShowApproval } | undefined {
		const open = [...this.#open.values()];
		if (open.some((prompt) => kindOf(prompt) === "question")) return "return";
		for (const prompt of open) {
			const shown = left.has(prompt.token) ? undefined : show?.(prompt);
			if (shown) return { prompt, show: shown };
		}
		return open.length > 0 && !patient ? "return" : undefined;
	}

	async #showTo(show: ShowApproval, prompt: Prompt, left: Set<string>): Promise<void> {
		const settled = new AbortController();
		this.#settled.set(prompt.token, settled);
		try {
			const outcome = await show(prompt, settled.signal);
			if (outcome === "open") left.add(prompt.token);
			else this.#open.delete(prompt.token);
		} finally {
			this.#settled.delete(prompt.token);
		}
	}

	#isOurs({ runId, taskId }: Prompt): boolean {
		return runId === this.#runId || (taskId !== undefined && this.#steps.has(taskId));
	}

	#state(status: RunResult["status"]): RunResult {
		const { text = "", error = "" } = this.#end ?? {};
		const open = this.#end ? [] : [...this.#open.values()];
		return { status, sessionId: this.#sessionId, runId: this.#runId ?? "", text, error, open };
	}

	#change(): void {
		this.#changed.resolve();
		this.#changed = Promise.withResolvers();
	}
}

function statusOf(error: string): RunResult["status"] {
	if (error === "") return "completed";
	return error === "cancelled" ? "cancelled" : "failed";
}

const relevant: ReadonlySet<string> = new Set([
	"prompt.requested",
	"prompt.shown",
	"prompt.answered",
	"prompt.closed",
	"skill.step.started",
	"tool.started",
	"assistant.message",
	"session.deleted",
]);

function isRelevant({ type }: { readonly type: string }): boolean {
	return relevant.has(type);
}
