import { ParleyError } from "@parley/base";
import type { Prompt, SessionEvent } from "@parley/core";
import { mcpErrorTexts } from "../../../texts/wires/mcp.ts";
import { kindOf, type RunResult } from "../codec.ts";

/**
 * Shows an approval to a person. Resolves with `decided` if the approval has been decided or closed, otherwise with
 * `open`.
 */
export type ShowApproval = (prompt: Prompt, settled: AbortSignal) => Promise<"decided" | "open">;

export interface RunWaitOptions {
	/** Signal that ends the wait. The run continues. */
	readonly stop: AbortSignal;
	/** Returns the function that shows an approval to a person; undefined if no form can show the approval. */
	readonly show?: ((prompt: Prompt) => ShowApproval | undefined) | undefined;
	/** Whether the wait continues while approvals and passwords are open, because the client already knows them. */
	readonly patient?: boolean;
	/** Receives a human-readable description of the current step of the run. */
	readonly progress: (words: string) => void;
}

/** State of one run, according to the events of its session. Keeps the relevant events that arrive before `begin`. */
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

	/** Sets the run, and applies the events that arrived earlier. */
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

	/** Adds the task of a step of the run. Prompts of this task then belong to the run. */
	addStep(taskId: string): void {
		this.#steps.add(taskId);
	}

	/** Returns a human-readable description of the current step of the run. */
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
				if (this.#belongsToRun(event.prompt)) this.#open.set(event.prompt.token, event.prompt);
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
	 * Resolves when the run has ended, when it waits for a person (see `patient`), or when the wait is stopped. Rejects with
	 * `not_found` if the session was deleted.
	 */
	async result(waiting: RunWaitOptions): Promise<RunResult> {
		const left = new Set<string>();
		const onStop = (): void => this.#change();
		waiting.stop.addEventListener("abort", onStop);
		try {
			for (;;) {
				const status = this.#status(waiting.stop.aborted);
				if (status) return this.#state(status);
				const next = this.#next(waiting, left);
				if (next === "return") return this.#state("waiting");
				// A report is sent only if the wait continues, because some clients handle a report after the result.
				waiting.progress(this.#words);
				if (next) await this.#showTo(next.show, next.prompt, left);
				else await this.#changed.promise;
			}
		} finally {
			waiting.stop.removeEventListener("abort", onStop);
		}
	}

	/**
	 * Returns the status of the run at the end of the wait, or undefined while the wait continues. Throws `not_found`
	 * if the session was deleted.
	 */
	#status(isStopped: boolean): RunResult["status"] | undefined {
		if (this.#isDeleted) {
			throw new ParleyError(mcpErrorTexts.sessionDeleted({ id: this.#sessionId }), { code: "not_found" });
		}
		if (this.#end) return statusOf(this.#end.error);
		if (!isStopped) return undefined;
		return this.#open.size > 0 ? "waiting" : "running";
	}

	/** Returns `return` to end the wait with all prompts, an approval to show, or undefined to continue the wait. */
	#next(
		{ show, patient = false }: RunWaitOptions,
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

	#belongsToRun({ runId, taskId }: Prompt): boolean {
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
