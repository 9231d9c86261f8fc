import type { CallToolResult } from "@modelcontextprotocol/server";
import { defined } from "@parley/base";
import { authorize } from "@parley/core";
import { encodeSubmitted, encodeTask } from "../codec.ts";
import type { StartTaskInput } from "../schema.ts";
import { keyed, type McpContext } from "./context.ts";
import { removeEmpty, sessionFor } from "./sessions.ts";

/** Maximum open questions that are read to find those of a task. */
const maxQuestions = 200;

/** Submits a task, which works in the background. */
export async function startTask(context: McpContext, input: StartTaskInput): Promise<CallToolResult> {
	const { title, description, agent, model } = input;
	authorize(context.principal, "task.submit");
	const { sessionId, isNew } = await sessionFor(context, input);
	try {
		const requested = { title, description, ...defined({ agent, model }) };
		const submitted = await context.runtime.tasks.submit(keyed(context, "start_task"), sessionId, requested);
		return encodeSubmitted(sessionId, submitted);
	} catch (reason) {
		if (isNew) await removeEmpty(context, sessionId);
		throw reason;
	}
}

/** The state of a task, with its result or its open questions. */
export async function taskState({ runtime, principal }: McpContext, taskId: string): Promise<CallToolResult> {
	const task = await runtime.tasks.check(principal, taskId);
	const { sessionId } = task;
	const open = await runtime.prompts.list(principal, { sessionId, limit: maxQuestions });
	const own = open.map(({ prompt }) => prompt).filter((prompt) => prompt.taskId === taskId);
	return encodeTask(task, own, principal.kind === "observer");
}
