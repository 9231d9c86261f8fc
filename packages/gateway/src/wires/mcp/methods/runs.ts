import type { CallToolResult } from "@modelcontextprotocol/server";
import { defined, ParleyError } from "@parley/base";
import { authorize } from "@parley/core";
import { mcpErrorTexts } from "../../../texts/wires/mcp.ts";
import { SessionView } from "../../view/session-view.ts";
import { encodeRun, kindOf, type RunResult } from "../codec.ts";
import { type AnswerInput, type AskInput, longestWaitSeconds } from "../schema.ts";
import { type McpContext, type ToolCall, unkeyedRequest } from "./context.ts";
import { RunWait } from "./run-wait.ts";
import { removeEmpty, sessionFor } from "./sessions.ts";
import { approvalForms } from "./show-approval.ts";
import { runAbove, taskState } from "./tasks.ts";

/** Default seconds of a wait without reports. Many clients end a request after 60 s, and would cancel the run. */
const silentSeconds = 45;
/** Milliseconds between two reports, which keep a request open. */
const reportMs = 10_000;

/**
 * Sends a message. Resolves with the answer, or with the state of the run when it waits for a person or the time
 * limit has passed. A cancelled call cancels the run.
 */
export async function ask(context: McpContext, input: AskInput, call: ToolCall): Promise<CallToolResult> {
	// This check comes first, so that a client without the right to write cannot find out whether the session exists.
	authorize(context.principal, "session.write");
	const { sessionId, isNew } = await sessionFor(context, input);
	const wait = new RunWait(sessionId);
	const view = await join(context, sessionId, wait);
	try {
		await view.begin();
		const runId = await send(context, view, input).catch(async (reason: unknown) => {
			if (isNew) await removeEmpty(context, sessionId);
			throw reason;
		});
		wait.begin(runId);
		const cancel = (): void => cancelRun(context, view, runId);
		if (call.cancelled.aborted) cancel();
		call.cancelled.addEventListener("abort", cancel, { once: true });
		try {
			return encodeRun(await settle(context, call, { wait, sessionId, seconds: input.wait_seconds }));
		} finally {
			call.cancelled.removeEventListener("abort", cancel);
		}
	} finally {
		await view.leave();
	}
}

/**
 * Answers a question, and waits for the run that asked the question. For a question of a task in the background,
 * returns the state of the task without a wait.
 */
export async function answer(
	context: McpContext,
	input: AnswerInput,
	call: ToolCall,
): Promise<CallToolResult> {
	const { runtime, principal } = context;
	const { question_id: token, answer: given, decline = false } = input;
	authorize(principal, "prompt.answer");
	const [open] = await runtime.prompts.list(principal, { token, limit: 1 });
	if (!open) {
		const message = mcpErrorTexts.noQuestion;
		throw new ParleyError(message, { code: "not_found" });
	}
	const { prompt, sessionId } = open;
	const kind = kindOf(prompt);
	if (kind !== "question") {
		const message = mcpErrorTexts.onlyByPerson({ isPassword: kind === "password" });
		throw new ParleyError(message, { code: "permission_denied" });
	}
	if ((given === undefined) !== decline) {
		const message = mcpErrorTexts.answerOrDecline;
		throw new ParleyError(message, { code: "invalid_argument" });
	}
	const response = Array.isArray(given)
		? { values: given }
		: defined({ value: given, cancelled: decline || undefined });
	if (!(await runtime.answer(unkeyedRequest(context, "answer"), token, response))) {
		const message = mcpErrorTexts.answeredBefore;
		throw new ParleyError(message, { code: "failed_precondition" });
	}
	const { taskId } = prompt;
	const above = taskId === undefined ? undefined : await runAbove(context, taskId);
	if (taskId !== undefined && above === undefined) return taskState(context, taskId);
	return runState(context, call, { sessionId, runId: above ?? prompt.runId, seconds: input.wait_seconds });
}

interface KnownRun {
	readonly sessionId: string;
	readonly runId: string;
	/** Maximum seconds of the wait. Default: as for `ask`. */
	readonly seconds?: number | undefined;
	/** Whether the client already knows the open approvals and passwords. */
	readonly patient?: boolean;
}

/** Waits for a run that an earlier request started, and returns the state of the run. */
export async function runState(context: McpContext, call: ToolCall, run: KnownRun): Promise<CallToolResult> {
	const { runtime, principal } = context;
	const { sessionId, runId, seconds, patient = false } = run;
	const wait = new RunWait(sessionId);
	wait.begin(runId);
	const view = await join(context, sessionId, wait);
	try {
		const steps = await runtime.history.newest(principal, {
			sessionId,
			types: ["skill.step.started"],
			limit: 100,
		});
		for (const { event } of steps) {
			if (event.type === "skill.step.started" && event.runId === runId) wait.addStep(event.taskId);
		}
		await view.begin();
		const { state, reply } = await runtime.explain(principal, sessionId, runId);
		if (state === "ended") wait.ended(reply?.content ?? "", reply?.error ?? "cancelled");
		const result = await settle(context, call, { wait, sessionId, seconds, patient });
		return encodeRun(result, principal.kind === "observer");
	} finally {
		await view.leave();
	}
}

interface Settling {
	readonly wait: RunWait;
	readonly sessionId: string;
	readonly seconds: number | undefined;
	readonly patient?: boolean;
}

/**
 * Resolves with the state of the run when it has ended or waits for a person, at the latest after the requested or
 * the default time. Reports the current step meanwhile.
 */
async function settle(context: McpContext, call: ToolCall, settling: Settling): Promise<RunResult> {
	const { clock } = context;
	const { wait, sessionId, patient = false } = settling;
	const { progress = () => undefined, cancelled, lost } = call;
	const usual = call.progress ? longestWaitSeconds : silentSeconds;
	const over = new AbortController();
	const timer = clock.after((settling.seconds ?? usual) * 1_000, () => over.abort());
	let report = clock.after(reportMs, repeat);
	function repeat(): void {
		progress(wait.words);
		report = clock.after(reportMs, repeat);
	}
	try {
		const stop = AbortSignal.any([over.signal, cancelled, lost]);
		const forms = await approvalForms(context, { ...call, lost: stop }, sessionId);
		return await wait.result({ stop, progress, show: forms, patient });
	} finally {
		timer.cancel();
		report.cancel();
	}
}

function join({ runtime, principal }: McpContext, sessionId: string, wait: RunWait): Promise<SessionView> {
	return SessionView.join(runtime, sessionId, {
		principal,
		deliver: (event) => wait.receive(event),
		drained: () => Promise.resolve(),
	});
}

async function send(
	context: McpContext,
	view: SessionView,
	{ message, agent, model }: AskInput,
): Promise<string> {
	const options = defined({ agent: agent === view.profile ? undefined : agent, model });
	return (await view.send(unkeyedRequest(context, "ask"), { content: message }, options)).runId;
}

function cancelRun(context: McpContext, view: SessionView, runId: string): void {
	view.cancel(unkeyedRequest(context, "cancel"), { runId }).catch((error: unknown) => {
		context.log.error("a run could not be cancelled", { runId, error });
	});
}
