import type { SkillEvent } from "../vocabulary/skill.ts";

type Fault = string | undefined;

/** Order of the events of skills and their steps in a session. */
export class SkillOrder {
	/** Open skills, with the open tries of their steps. */
	readonly #open = new Map<string, Set<string>>();
	/** Tries of each step that have ended, by run, call and step; a step that succeeded has no further one. */
	readonly #tries = new Map<string, number>();

	unfinished(): string[] {
		return [...this.#open.keys()];
	}

	take(event: SkillEvent): Fault {
		const name = `${event.skill} in ${event.runId} ${event.callId}`.trim();
		const open = this.#open.get(name);
		if (event.type === "skill.started") {
			this.#open.set(name, new Set());
			return open ? `${name} was there already` : undefined;
		}
		if (!open) return `${name} is not open`;
		if (event.type === "skill.completed") {
			this.#open.delete(name);
			return open.size > 0 ? `steps without an end: ${[...open].join(", ")}` : undefined;
		}
		const { stepId, attempt } = event;
		if (event.type === "skill.step.started") {
			const ended = this.#tries.get(`${name} ${stepId}`) ?? 0;
			if (open.has(stepId)) return `${stepId} is open already`;
			open.add(stepId);
			return attempt === ended + 1 ? undefined : `${stepId} has the try ${attempt} instead of ${ended + 1}`;
		}
		this.#tries.set(`${name} ${stepId}`, event.willRetry ? attempt : Number.POSITIVE_INFINITY);
		return open.delete(stepId) ? undefined : `${stepId} is not open`;
	}
}
