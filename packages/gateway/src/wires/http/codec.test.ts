import { expect, test } from "vitest";
import { encodePassing, encodeRecorded } from "./codec.ts";

const prompt = {
	token: "prompt_secret",
	kind: "text",
	label: "Who?",
	runId: "run_1",
	callId: "c1",
	expiresAt: 0,
} as const;

test("no event shows the token of a prompt or task, also not that of a call that a vote has changed", () => {
	const place = { id: "evt_1", sessionId: "sess_1", seq: 1, at: 0 };
	const voted = { type: "prompt.voted", token: prompt.token, by: "ada", votes: 1, of: 2, changed: prompt };
	const shown = [
		encodeRecorded({ ...place, event: { type: "prompt.requested", prompt } } as never),
		encodeRecorded({ ...place, event: voted } as never),
		encodeRecorded({
			...place,
			event: { type: "task.suspended", taskId: "task_1", token: prompt.token },
		} as never),
		encodePassing({ sessionId: "sess_1", seq: 1, event: { type: "prompt.shown", prompt } } as never),
	];
	expect(JSON.stringify(shown)).not.toContain("prompt_secret");
	expect(shown[1]).toMatchObject({ type: "prompt.vote", payload: { changed: { label: "Who?" } } });
});
