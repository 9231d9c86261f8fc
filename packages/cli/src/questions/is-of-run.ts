import type { PromptRequestPayload } from "@parley/protocol";

/**
 * Whether a run of the session itself waits for the answer. Tasks ask beside it, and so does who wants a channel to be
 * trusted.
 */
export function isOfRun({ type, context }: PromptRequestPayload): boolean {
	return context.task_id === undefined && (type !== "confirm" || context.call_id !== undefined);
}
