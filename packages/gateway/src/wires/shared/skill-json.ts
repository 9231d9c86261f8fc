import type { SessionEvent, SkillEvent } from "@parley/core";
import type { EventName } from "@parley/protocol";
import type { EncodedEvent } from "./wire-event.ts";

const nanosecondsPerMs = 1_000_000;

export const skillEventNames = {
	"skill.started": "skill.started",
	"skill.step.started": "skill.step.started",
	"skill.step.completed": "skill.step.completed",
	"skill.completed": "skill.completed",
} as const satisfies Record<SkillEvent["type"], EventName>;

export function isSkillEvent(event: SessionEvent["event"]): event is SkillEvent {
	return Object.hasOwn(skillEventNames, event.type);
}

export function encodeSkillEvent(event: SkillEvent): EncodedEvent {
	const skill = { skill_name: event.skill, run_id: event.runId, call_id: event.callId };
	switch (event.type) {
		case "skill.started":
			return { event: event.type, payload: { ...skill, type: event.kind, vars: { ...event.vars } } };
		case "skill.step.started":
			return { event: event.type, payload: { ...skill, ...encodeStep(event) } };
		case "skill.step.completed": {
			const { output, error, reason, willRetry, durationMs } = event;
			const ended = { output, error, reason, will_retry: willRetry, duration: nanoseconds(durationMs) };
			return { event: event.type, payload: { ...skill, ...encodeStep(event), ...ended } };
		}
		case "skill.completed": {
			const { output, error, durationMs } = event;
			return {
				event: event.type,
				payload: { ...skill, output, error, duration: nanoseconds(durationMs) },
			};
		}
	}
}

function encodeStep({
	stepId,
	title,
	model,
	taskId,
	attempt,
}: Extract<SkillEvent, { readonly type: `skill.step.${string}` }>) {
	return { step_id: stepId, step_title: title, model, task_id: taskId, attempt };
}

function nanoseconds(ms: number): number {
	return Math.round(ms * nanosecondsPerMs);
}
