import { ParleyError, parseJson } from "@parley/base";
import { verdictInstructions } from "../instructions/auxiliary-prompts.ts";
import type { Model, ModelEvent, ModelRequest } from "../vocabulary/model.ts";
import { ScriptedModel, type ScriptedReply } from "./scripted-model.ts";

/**
 * Scripted model of a workflow. The title of a step selects the script for the step's work. The prompt of a step selects
 * the script for the verdicts about that work.
 */
export class WorkflowScript implements Model {
	readonly provider = "scripted";
	readonly defaultModel = "scripted";
	readonly verdicts: ModelRequest[] = [];
	readonly #steps: TaskScript;
	readonly #judges: ReadonlyMap<string, ScriptedModel>;
	readonly #requested = new Map<string, PromiseWithResolvers<void>>();

	constructor(
		steps: Readonly<Record<string, readonly ScriptedReply[]>>,
		verdicts: Readonly<Record<string, readonly ScriptedReply[]>> = {},
	) {
		this.#steps = new TaskScript(steps);
		this.#judges = new Map(
			Object.entries(verdicts).map(([prompt, replies]) => [prompt, new ScriptedModel(...replies)] as const),
		);
	}

	requests(title: string): readonly ModelRequest[] {
		return this.#steps.requests(title);
	}

	/** Returns the text of the first message in a request of a step. `attempt` is the index of the request, from 0. */
	question(title: string, attempt: number): string {
		return textOf(this.requests(title)[attempt]);
	}

	/** Resolves when the step with this title first calls its model. */
	requested(title: string): Promise<void> {
		const requested = this.#requested.get(title) ?? Promise.withResolvers<void>();
		this.#requested.set(title, requested);
		return requested.promise;
	}

	stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
		const text = textOf(request);
		if (request.system !== verdictInstructions) {
			const [title = ""] = text.split("\n", 1);
			void this.requested(title);
			this.#requested.get(title)?.resolve();
			return this.#steps.stream(request, signal);
		}
		this.verdicts.push(request);
		// The cast is safe because `judge` writes this text.
		const { task } = parseJson(text) as { task: string };
		return (this.#judges.get(task) ?? new ScriptedModel()).stream(request, signal);
	}
}

function textOf(request: ModelRequest | undefined): string {
	return request?.messages[0]?.content.find((block) => block.type === "text")?.text ?? "";
}

/**
 * Model with a script for each task. The first line of the first message, the task's title, selects the
 * script.
 */
export class TaskScript implements Model {
	readonly provider = "scripted";
	readonly defaultModel = "scripted";
	readonly #scripts: ReadonlyMap<string, ScriptedModel>;

	constructor(scripts: Readonly<Record<string, readonly ScriptedReply[]>>) {
		const models = Object.entries(scripts).map(
			([title, replies]) => [title, new ScriptedModel(...replies)] as const,
		);
		this.#scripts = new Map(models);
	}

	requests(title: string): readonly ModelRequest[] {
		return this.#of(title).requests;
	}

	stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
		const first = request.messages[0]?.content.find((block) => block.type === "text")?.text ?? "";
		return this.#of(first.split("\n", 1)[0] ?? "").stream(request, signal);
	}

	#of(title: string): ScriptedModel {
		const script = this.#scripts.get(title);
		if (script) return script;
		throw new ParleyError(`there is no script for ${JSON.stringify(title)}`, { code: "failed_precondition" });
	}
}
