import type { Clock, Logger } from "@parley/base";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import type { SkillEvent } from "../../vocabulary/skill.ts";
import type { Step } from "../../vocabulary/step.ts";
import type { TaskEvent, WorkerEvent } from "../../vocabulary/task.ts";
import { dollars } from "../../vocabulary/usage.ts";

/** A run as far as its log lines need it. */
interface LoggedRun {
	readonly log: Logger;
	readonly steps: readonly Step[];
	/** The start in this process, on the monotonic clock. */
	readonly beganAt: number;
	readonly deps: { readonly clock: Clock; readonly fingerprint: (text: string) => string };
}

/**
 * Logs a recorded event of a run: its kind, duration and usage, never its text. Model calls are logged where they are made.
 */
export function logEvent(run: LoggedRun, event: RecordedEvent): void {
	const { log } = run;
	switch (event.type) {
		case "run.retrying": {
			const { model, attempt, inMs, reason } = event;
			log.warn("a model call is made again", { model, attempt, inMs, reason });
			return;
		}
		case "tool.started":
			log.info("tool called", { tool: event.name, callId: event.callId });
			return;
		case "tool.completed":
		case "tool.failed": {
			const { name: tool, callId, durationMs } = event;
			const took = durationMs !== undefined && { durationMs };
			log.info("tool ended", { tool, callId, failed: event.type === "tool.failed", ...took });
			return;
		}
		case "prompt.requested": {
			const { token, type, approval, expiresAt } = event.prompt;
			const asks = approval
				? { kind: "approval", tool: approval.tool, callId: approval.callId }
				: { kind: type };
			log.info("question asked", { ...asks, question: questionId(run.deps.fingerprint, token), expiresAt });
			return;
		}
		case "prompt.closed":
			log.info("question closed", {
				question: questionId(run.deps.fingerprint, event.token),
				reason: event.reason,
			});
			return;
		case "context.compacted": {
			const { level, tokensBefore, tokensAfter } = event;
			log.info("context compacted", { level, tokensBefore, tokensAfter });
			return;
		}
		case "budget.reached": {
			const { scope, period, percent } = event;
			log.warn("a budget was reached", { scope, period, percent });
			return;
		}
		case "assistant.message":
			log.info("run ended", {
				outcome: outcomeOf(event.error),
				...reasonOf(event.error),
				...figuresOf(run, event),
			});
			return;
		// Logged at their source, or with the end of the run.
		case "session.created":
		case "session.closed":
		case "session.renamed":
		case "user.message":
		case "model.called":
		case "usage.updated":
		case "prompt.answered":
		case "prompt.reminded":
		case "file.created":
		case "todo.updated":
		case "grant.created":
		case "grant.ended":
		// Logged where a schedule fires, or by the audit.
		case "schedule.created":
		case "schedule.trigger":
		case "schedule.removed":
			return;
		default:
			if (isOfTask(event)) logTask(run, event);
			else logSkill(run, event);
	}
}

function isOfTask(event: RecordedEvent): event is TaskEvent | WorkerEvent {
	return event.type.startsWith("task.") || event.type.startsWith("worker.");
}

function logSkill({ log }: LoggedRun, event: SkillEvent): void {
	const { skill } = event;
	if (event.type === "skill.started") log.info("skill started", { skill, kind: event.kind });
	if (event.type === "skill.completed") {
		const { durationMs, error } = event;
		log.info("skill completed", { skill, durationMs, ...reasonOf(error) });
	}
	if (event.type !== "skill.step.completed" || event.error === "") return;
	const { stepId, attempt, willRetry, error } = event;
	log.warn("step of a skill failed", { skill, stepId, attempt, willRetry, ...reasonOf(error) });
}

/** Task facts that the log of an ordinary run does not have. */
function logTask({ log }: LoggedRun, event: TaskEvent | WorkerEvent): void {
	const { taskId } = event;
	if (event.type === "task.suspended")
		log.info("task suspended", { taskId, suspendCount: event.suspendCount });
	if (event.type === "task.completed") log.info("task completed", { taskId, durationMs: event.durationMs });
	if (event.type !== "task.failed") return;
	const { retryCount, willRetry, error } = event;
	log.warn("task failed", { taskId, retryCount, willRetry, ...reasonOf(error) });
}

/** Tells questions apart in the log without the token that answers them. */
export function questionId(fingerprint: (text: string) => string, token: string): string {
	return fingerprint(token).slice(0, 12);
}

function outcomeOf(error: string): "completed" | "cancelled" | "failed" {
	if (error === "") return "completed";
	return error === "cancelled" ? "cancelled" : "failed";
}

/** Empty after success. */
export function reasonOf(error: string): { readonly error?: string } {
	return error === "" ? {} : { error };
}

function figuresOf(run: LoggedRun, event: Extract<RecordedEvent, { type: "assistant.message" }>): object {
	const { clock } = run.deps;
	const count = (...kinds: readonly Step["kind"][]): number =>
		run.steps.filter(({ kind }) => kinds.includes(kind)).length;
	const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = event.usage;
	return {
		durationMs: Math.round(clock.monotonic() - run.beganAt),
		model: event.model,
		inputTokens,
		outputTokens,
		cacheReadTokens,
		cacheWriteTokens,
		costUsd: dollars(event.cost ?? 0),
		modelCalls: count("reply", "spent"),
		toolCalls: count("result"),
	};
}
