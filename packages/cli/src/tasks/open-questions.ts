import { setImmediate } from "node:timers/promises";
import { type Client, isOzzieEvent, type OpenSession, type PromptRequestPayload } from "@parley/protocol";

/** Questions of a session that tasks ask and that nobody has answered yet. */
export async function readOpenQuestions(client: Client, sessionId: string): Promise<PromptRequestPayload[]> {
	const session = await client.open({ session_id: sessionId });
	const questions = new Map<string, PromptRequestPayload>();
	const reading = gather(session, questions);
	try {
		// The gateway shows what is open to whoever joins, before it answers what is asked behind that.
		await client.request("list_tasks", {}, { sessionId });
		await setImmediate();
	} finally {
		session.close();
		await reading;
	}
	return [...questions.values()].filter(({ context }) => context.task_id !== undefined);
}

async function gather(session: OpenSession, questions: Map<string, PromptRequestPayload>): Promise<void> {
	for await (const frame of session.events()) {
		if (!isOzzieEvent(frame)) continue;
		if (frame.event === "prompt.request") questions.set(frame.payload.token, frame.payload);
		if (frame.event === "prompt.response" || frame.event === "prompt.closed") {
			questions.delete(frame.payload.token);
		}
	}
}
