import { type Clock, defined, type Logger } from "@parley/base";
import type { CommandEvent } from "../../vocabulary/commands/background-command.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import type { SkillEvent } from "../../vocabulary/skill.ts";
import type { Step } from "../../vocabulary/step.ts";
import type { TaskEvent, WorkerEvent } from "../../vocabulary/task.ts";
import { dollars } from "../../vocabulary/usage.ts";
import { runLogTexts } from "./texts.ts";

interface LoggedRun {
	readonly log: Logger;
	readonly steps: readonly Step[];
	/** Time at which this process started or continued the run, on the monotonic clock. */
	readonly beganAt: number;
}

interface LogServices {
	readonly clock: Clock;
	/** Returns a keyed hash: see `SecretBox.fingerprint`. */
	readonly fingerprint: (text: string) => string;
}

/**
 * Logs a recorded event without any text of the conversation. The switch is exhaustive, so that the compiler rejects a
 * new event without a case.
 */
export function logEvent(run: LoggedRun, event: RecordedEvent, services: LogServices): void {
	const { log } = run;
	switch (event.type) {
		case "run.retrying": {
			const { model, attempt, inMs, reason } = event;
			log.warn(runLogTexts.modelRetried, { model, attempt, inMs, reason });
			return;
		}
		case "tool.started":
			log.info(runLogTexts.toolCalled, { tool: event.name, callId: event.callId });
			return;
		case "tool.completed":
		case "tool.failed": {
			const { name: tool, callId, durationMs } = event;
			const failed = event.type === "tool.failed";
			log.info(runLogTexts.toolEnded, { tool, callId, failed, ...defined({ durationMs }) });
			return;
		}
		case "prompt.requested":
		case "prompt.closed":
			logQuestion(log, event, services.fingerprint);
			return;
		case "context.compacted": {
			const { level, tokensBefore, tokensAfter } = event;
			log.info(runLogTexts.contextCompacted, { level, tokensBefore, tokensAfter });
			return;
		}
		case "budget.reached": {
			const { scope, period, percent } = event;
			log.warn(runLogTexts.budgetReached, { scope, period, percent });
			return;
		}
		case "assistant.message":
			log.info(runLogTexts.runEnded, {
				outcome: outcomeOf(event.error),
				...reasonOf(event.error),
				...metricsOf(run, event, services.clock),
			});
			return;
		// The following events have no log line. The log line of their cause, or of the end of the run, covers them.
		case "session.created":
		case "session.closed":
		case "session.renamed":
		case "compaction.ended":
		case "user.message":
		case "model.called":
		case "usage.updated":
		case "prompt.answered":
		case "prompt.voted":
		case "prompt.reminded":
		case "file.created":
		case "todo.updated":
		case "grant.created":
		case "grant.ended":
		// A fired schedule is logged elsewhere, and changes of schedules are recorded in the audit log.
		case "schedule.created":
		case "schedule.trigger":
		case "schedule.removed":
			return;
		default:
			// A new event without a case does not have the parameter type of `logWork`, so the compiler rejects the event.
			logWork(log, event);
	}
}

function logQuestion(
	log: Logger,
	event: Extract<RecordedEvent, { readonly type: "prompt.requested" | "prompt.closed" }>,
	fingerprint: LogServices["fingerprint"],
): void {
	if (event.type === "prompt.closed") {
		log.info(runLogTexts.questionClosed, {
			question: questionId(fingerprint, event.token),
			reason: event.reason,
		});
		return;
	}
	const { token, type, approval, expiresAt } = event.prompt;
	const asks = approval ? { kind: "approval", tool: approval.tool, callId: approval.callId } : { kind: type };
	log.info(runLogTexts.questionOpened, { ...asks, question: questionId(fingerprint, token), expiresAt });
}

function logWork(log: Logger, event: CommandEvent | SkillEvent | TaskEvent | WorkerEvent): void {
	switch (event.type) {
		case "skill.started":
			log.info(runLogTexts.skillStarted, { skill: event.skill, kind: event.kind });
			return;
		case "skill.completed": {
			const { skill, durationMs, error } = event;
			log.info(runLogTexts.skillCompleted, { skill, durationMs, ...reasonOf(error) });
			return;
		}
		case "skill.step.completed": {
			const { skill, stepId, attempt, willRetry, error } = event;
			if (error !== "")
				log.warn(runLogTexts.stepFailed, { skill, stepId, attempt, willRetry, ...reasonOf(error) });
			return;
		}
		case "task.suspended":
			log.info(runLogTexts.taskSuspended, { taskId: event.taskId, suspendCount: event.suspendCount });
			return;
		case "task.completed":
			log.info(runLogTexts.taskCompleted, { taskId: event.taskId, durationMs: event.durationMs });
			return;
		case "task.failed": {
			const { taskId, retryCount, willRetry, error } = event;
			log.warn(runLogTexts.taskFailed, { taskId, retryCount, willRetry, ...reasonOf(error) });
			return;
		}
		// The code that starts and ends commands logs the following events.
		case "command.started":
		case "command.ended":
		// The following events are not logged, because the log lines of the task's run show the work of the task.
		case "skill.step.started":
		case "task.created":
		case "task.started":
		case "task.progress":
		case "task.resumed":
		case "task.cancelled":
		case "worker.started":
		case "worker.phased":
		case "worker.completed":
		case "worker.failed":
		case "worker.exited":
			return;
		default:
			event satisfies never;
	}
}

/**
 * Returns the id of a question for the log: the first 12 characters of the token's fingerprint. The token itself is not
 * logged, because a reader of the log could answer the question with the token.
 */
export function questionId(fingerprint: (text: string) => string, token: string): string {
	return fingerprint(token).slice(0, 12);
}

function outcomeOf(error: string): "completed" | "cancelled" | "failed" {
	if (error === "") return "completed";
	return error === "cancelled" ? "cancelled" : "failed";
}

/** Returns the log field `error`, or no field for "". */
export function reasonOf(error: string): { readonly error?: string } {
	return error === "" ? {} : { error };
}

type RunEnd = Extract<RecordedEvent, { type: "assistant.message" }>;

function metricsOf(run: LoggedRun, event: RunEnd, clock: Clock): object {
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
