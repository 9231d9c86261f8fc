import { type Keyed, ModelError, type ModelEvent, operator } from "@parley/core";
import { calls, says } from "@parley/core/testing";
import type { Action, Shared } from "./expected-state.ts";
import type { KillableRuntime } from "./killable-runtime.ts";
import { outOfOrder, type ScriptedReply } from "./puppet-model.ts";
import type { Sightings } from "./sightings.ts";

/** Task to which the actions of a sequence apply. */
export interface Cast {
	/** Unique title, which identifies the task in all observations. */
	readonly title: string;
	readonly home: string;
	/** Whether another task depends on this task. */
	readonly needed: boolean;
}

export function workerOf(title: string): string {
	return `worker of ${title}`;
}

export function dependentOf(title: string): string {
	return `needs ${title}`;
}

/** Returns the prefix of the call ids in the conversation of a task. */
export function idOf(title: string): string {
	return title.replaceAll(" ", "_");
}

type Own = Exclude<Action, Shared>;
type Decision = Extract<
	Own,
	"submit" | "approve" | "revise" | "approve worker" | "allow" | "deny" | "cancel"
>;

/** Model replies by action. `worker` is true if the worker's model sends the reply. */
const replies: Readonly<
	Record<Exclude<Own, Decision>, readonly [worker: boolean, reply: (id: string) => ScriptedReply]>
> = {
	finish: [false, () => [says("done")]],
	effect: [false, (id) => [calls(id, "effect")]],
	gate: [false, (id) => [calls(id, "gated")]],
	ask: [false, (id) => [calls(id, "request_review", { reason: "it is large", content: "1. do it" })]],
	spawn: [false, (id) => [calls(id, "spawn_worker", {})]],
	wait: [false, (id) => [calls(id, "wait_for_workers")]],
	fault: [false, outOfOrder],
	reject: [false, refusal],
	"worker finishes": [true, () => [says("done, too")]],
	"worker fails": [true, refusal],
	"worker asks": [true, (id) => [calls(id, "request_review", { reason: "it is odd", content: "Really?" })]],
	"worker faults": [true, outOfOrder],
	"worker effect": [true, (id) => [calls(id, "effect")]],
};

function refusal(): ModelError {
	return new ModelError("no such thing", { fault: "rejected" });
}

/** Performs actions on one task. User requests have an idempotency key, so a repeated request has no further effect. */
export class Player {
	readonly cast: Cast;
	readonly #seen: Sightings;
	#step = 0;

	constructor(cast: Cast, seen: Sightings) {
		this.cast = cast;
		this.#seen = seen;
	}

	/** Returns the title of the task whose provider fails in this action, or undefined. */
	faulty(action: Action): string | undefined {
		if (action === "fault") return this.cast.title;
		return action === "worker faults" ? workerOf(this.cast.title) : undefined;
	}

	/** Whether the action is a user request, which the runtime acknowledges. */
	isDecision(action: Own): action is Decision {
		return !(action in replies);
	}

	/**
	 * Performs an action. Resolves when its request, if any, is acknowledged. Does not wait for the effects. With
	 * `isRepeat`, repeats the last request with the same key.
	 */
	async play(action: Own, killable: KillableRuntime, isRepeat = false): Promise<void> {
		if (!isRepeat || !this.isDecision(action)) this.#step += 1;
		if (this.isDecision(action)) return this.#decide(action, killable);
		const { title } = this.cast;
		const [worker, reply] = replies[action];
		const owner = worker ? workerOf(title) : title;
		if (this.faulty(action) !== undefined) killable.model.breakDown(owner, true);
		const id = `${idOf(owner)}_${this.#step}`;
		killable.model.reply(owner, action === "spawn" ? [spawnCall(id, title)] : reply(id));
	}

	async #decide(action: Decision, killable: KillableRuntime): Promise<void> {
		const { title } = this.cast;
		const { tasks } = killable.t.runtime;
		switch (action) {
			case "submit":
				return this.#submit(killable);
			case "approve":
			case "revise":
				return this.#reply(killable, title, action === "approve");
			case "approve worker":
				return this.#reply(killable, workerOf(title), true);
			case "allow":
			case "deny": {
				const { prompt } = this.#seen.of(title);
				await killable.t.runtime.answer(this.#keyed("prompt_response"), prompt, {
					value: action === "allow",
				});
				return;
			}
			case "cancel":
				await tasks.cancel(this.#keyed("cancel_task"), this.#seen.of(title).taskId, "enough");
		}
	}

	async #submit(killable: KillableRuntime): Promise<void> {
		const { title, home, needed } = this.cast;
		const { tasks } = killable.t.runtime;
		const expected = { title, description: "as it is written", tools: ["effect", "gated"] };
		const { id } = await tasks.submit(this.#keyed("submit_task"), home, expected);
		if (!needed) return;
		const dependent = { title: dependentOf(title), description: "then", tools: [], dependsOn: [id] };
		await tasks.submit(this.#keyed("submit_task", "dependent"), home, dependent);
	}

	#reply(killable: KillableRuntime, title: string, approved: boolean): Promise<void> {
		const { taskId, token } = this.#seen.of(title);
		const feedback = `word ${this.#step} for ${title}`;
		return killable.t.runtime.tasks.reply(this.#keyed("reply_task"), taskId, { approved, feedback, token });
	}

	#keyed(method: string, suffix = ""): Keyed {
		const key = `${this.cast.title} ${this.#step} ${suffix}`;
		return { principal: operator, key, method, params: {} };
	}
}

function spawnCall(id: string, title: string): ModelEvent {
	return calls(id, "spawn_worker", { title: workerOf(title), description: "help" });
}
