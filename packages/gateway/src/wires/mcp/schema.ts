import { z } from "zod";
import { mcpErrorTexts, mcpParameterTexts } from "../../texts/wires/mcp.ts";

/** Maximum number of characters of a message or a task description. */
const longestMessage = 400_000;
/** Maximum seconds of a wait. */
export const longestWaitSeconds = 1_800;

const id = z.string().regex(/^[\w-]{1,128}$/, mcpErrorTexts.noId);
const name = z.string().min(1).max(200);

const sessionId = id.describe(mcpParameterTexts.sessionId);
const agent = name.describe(mcpParameterTexts.agent);
const model = name.describe(mcpParameterTexts.model);
const directory = z.string().min(1).max(4_096).describe(mcpParameterTexts.directory);

export const askInput = z.strictObject({
	message: z.string().min(1).max(longestMessage).describe(mcpParameterTexts.message),
	session_id: sessionId.optional(),
	agent: agent.optional(),
	model: model.optional(),
	directory: directory.optional(),
	wait_seconds: z.int().min(0).max(longestWaitSeconds).optional().describe(mcpParameterTexts.askWait),
});

export const startTaskInput = z.strictObject({
	title: z.string().min(1).max(200).describe(mcpParameterTexts.taskTitle),
	description: z.string().min(1).max(longestMessage).describe(mcpParameterTexts.taskPrompt),
	session_id: sessionId.optional(),
	agent: agent.optional(),
	model: model.optional(),
	directory: directory.optional(),
});

export const taskStatusInput = z.strictObject({
	task_id: id.optional().describe(mcpParameterTexts.taskId),
	session_id: id.optional().describe(mcpParameterTexts.statusSession),
	run_id: id.optional().describe(mcpParameterTexts.statusRun),
	wait_seconds: z.int().min(0).max(longestWaitSeconds).optional().describe(mcpParameterTexts.statusWait),
});

export const answerInput = z.strictObject({
	question_id: id.describe(mcpParameterTexts.questionId),
	answer: z
		.union([z.string().max(65_536), z.array(z.string().max(1_000)).max(100)])
		.optional()
		.describe(mcpParameterTexts.answer),
	decline: z.boolean().optional().describe(mcpParameterTexts.decline),
	wait_seconds: askInput.shape.wait_seconds,
});

export type AskInput = Readonly<z.infer<typeof askInput>>;
export type StartTaskInput = Readonly<z.infer<typeof startTaskInput>>;
export type TaskStatusInput = Readonly<z.infer<typeof taskStatusInput>>;
export type AnswerInput = Readonly<z.infer<typeof answerInput>>;

const waiting = z.object({
	kind: z.enum(["question", "approval", "password"]),
	question_id: z.string().optional(),
	type: z.string(),
	text: z.string(),
	options: z.array(z.object({ value: z.string(), label: z.string() })).optional(),
	required: z.boolean(),
	expires_at: z.string(),
	how: z.string(),
});

/** Schema of the state of a run: the result of `ask`, and of `answer` and `task_status` for a run. */
export const runOutput = z.object({
	status: z.enum(["completed", "failed", "cancelled", "waiting", "running"]),
	session_id: z.string(),
	run_id: z.string(),
	text: z.string(),
	error: z.string().optional(),
	waiting_for: z.array(waiting).optional(),
});

export const taskOutput = z.object({
	status: z.string(),
	session_id: z.string(),
	task_id: z.string(),
	title: z.string().optional(),
	text: z.string(),
	error: z.string().optional(),
	progress: z.string().optional(),
	notes: z.array(z.string()).optional(),
	waiting_for: z.array(waiting).optional(),
});

/** Schema of the result of `answer` and of `task_status`, for a task or a run. */
export const statusOutput = z.object({
	...taskOutput.partial().shape,
	status: z.string(),
	session_id: z.string(),
	run_id: z.string().optional(),
	text: z.string(),
});

export type WaitingPrompt = z.infer<typeof waiting>;
export type RunOutput = z.infer<typeof runOutput>;
export type TaskOutput = z.infer<typeof taskOutput>;

/** Schema of a person's answer to the form of an approval. After any other content, the approval stays open. */
export const approvalForm = z.object({ decision: z.enum(["approve", "deny"]) });

/**
 * Schema of a JSON-RPC message with the fields that are necessary to handle its HTTP request. The MCP SDK checks all
 * other fields.
 */
export const rpcMessage = z.looseObject({
	jsonrpc: z.literal("2.0"),
	method: z.string().max(200).optional(),
	id: z.union([z.string().max(200), z.number()]).optional(),
});

export type RpcMessage = Readonly<z.infer<typeof rpcMessage>>;

const sessionUri = /^parley:\/\/sessions\/([\w-]{1,128})(?:\?after=(\d{1,15}))?$/;

/** Returns the session and the position in the URI of a transcript, or undefined for another URI. */
export function decodeTranscriptUri(
	uri: string,
): { readonly sessionId: string; readonly after: number } | undefined {
	const [, sessionId, after = "0"] = sessionUri.exec(uri) ?? [];
	return sessionId === undefined ? undefined : { sessionId, after: Number(after) };
}
