import type { CallToolResult } from "@modelcontextprotocol/server";
import { defined, definedItems } from "@parley/base";
import { authorize } from "@parley/core";
import { encodeMcpTask, encodeSubmitted } from "../codec.ts";
import type { StartTaskInput } from "../schema.ts";
import { type McpContext, unkeyedRequest } from "./context.ts";
import { removeEmpty, sessionFor } from "./sessions.ts";

/** Maximum number of open prompts that are read from a session to find the prompts of one task. */
const maxQuestions = 200;

/** Submits a task that runs in the background. */
export async function startTask(context: McpContext, input: StartTaskInput): Promise<CallToolResult> {
	const { title, description, agent, model } = input;
	authorize(context.principal, "task.submit");
	const { sessionId, isNew } = await sessionFor(context, input);
	try {
		const requested = { title, description, ...defined({ agent, model }) };
		const submitted = await context.runtime.tasks.submit(
			unkeyedRequest(context, "start_task"),
			sessionId,
			requested,
		);
		return encodeSubmitted(sessionId, submitted);
	} catch (reason) {
		if (isNew) await removeEmpty(context, sessionId);
		throw reason;
	}
}

/** Returns the state of a task, with its result, or with the open prompts of the task and its workers. */
export async function taskState(context: McpContext, taskId: string): Promise<CallToolResult> {
	const { runtime, principal } = context;
	const task = await runtime.tasks.check(principal, taskId);
	const { sessionId } = task;
	const open = await runtime.prompts.list(principal, { sessionId, limit: maxQuestions });
	const asking = new Set(definedItems(open.map(({ prompt }) => prompt.taskId)));
	const family = new Set<string>();
	for (const id of asking) if (await isBelow(context, id, taskId)) family.add(id);
	const familyPrompts = open.map(({ prompt }) => prompt).filter((prompt) => family.has(prompt.taskId ?? ""));
	return encodeMcpTask(task, familyPrompts, principal.kind === "observer");
}

async function isBelow(context: McpContext, id: string, taskId: string): Promise<boolean> {
	if (id === taskId) return true;
	const { parentId } = await context.runtime.tasks.check(context.principal, id);
	return parentId !== undefined && isBelow(context, parentId, taskId);
}

/**
 * Returns the run that has the task, or a task above it, as a step of its workflow. Returns undefined for work in the
 * background.
 */
export async function runAbove(context: McpContext, taskId: string): Promise<string | undefined> {
	const { parentId, stepOf } = await context.runtime.tasks.check(context.principal, taskId);
	return parentId === undefined ? stepOf : runAbove(context, parentId);
}
