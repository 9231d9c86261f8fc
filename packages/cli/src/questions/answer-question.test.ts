import type { OpenPromptPayload } from "@parley/protocol";
import { expect, test } from "vitest";
import { CapturedIo } from "../testing/captured-io.ts";
import { FakeClient } from "../testing/fake-session.ts";
import { askQuestion } from "../testing/questions.ts";
import { type AnswerFlags, answerQuestion } from "./answer-question.ts";

const where = { session_id: "sess_1", session_title: "Ships", created_at: "2026-01-01T00:00:00Z" };

function waiting(changes: Partial<OpenPromptPayload> = {}): OpenPromptPayload {
	return { ...askQuestion({ token: "prompt_abcdef123456" }), ...where, always_ask: false, ...changes };
}

async function sent(flags: AnswerFlags, id = "123456", questions: OpenPromptPayload[] = [waiting()]) {
	const client = new FakeClient();
	const answered = answerQuestion(client, id, flags, new CapturedIo());
	const settled = answered.catch(() => undefined);
	for (const prompts of [questions, questions.slice(0, 1)]) {
		const requestCount = client.requests.length;
		if (client.requests.at(-1)?.method === "list_prompts") client.last("list_prompts").answer({ prompts });
		while (client.requests.length === requestCount && !(await isOver(settled))) await Promise.resolve();
	}
	if (client.requests.at(-1)?.method !== "prompt_response")
		return { answered: await answered, params: undefined };
	client.last("prompt_response").answer({ status: "sent" });
	return { answered: await answered, params: client.last("prompt_response").params };
}

async function isOver(settled: Promise<unknown>): Promise<boolean> {
	const pending = Symbol("pending");
	return (await Promise.race([settled, Promise.resolve(pending)])) !== pending;
}

const approval = waiting({ type: "confirm" });
const grave = waiting({ type: "confirm", always_ask: true });

test.each<[string, AnswerFlags, OpenPromptPayload, object]>([
	["a text", { value: "blue" }, waiting(), { text: "blue" }],
	["an approval", { value: "y" }, approval, { value: "yes" }],
	["what is always asked about, with the whole word", { value: "yes" }, grave, { value: "yes" }],
	[
		"a denial with its reason",
		{ deny: true, reason: "not now" },
		grave,
		{ cancelled: true, reason: "not now" },
	],
	["a denial in words", { value: "no" }, grave, { cancelled: true }],
	["no password", { deny: true }, waiting({ type: "password" }), { cancelled: true }],
])("sends %s", async (_what, flags, question, params) => {
	const { answered, params: given } = await sent(flags, "123456", [question]);
	expect(given).toEqual({ token: question.token, ...params });
	expect(answered).toMatchObject({
		exitCode: 0,
		result: { status: "sent", session_id: "sess_1", token: question.token },
	});
});

test.each<[string, AnswerFlags, OpenPromptPayload[], RegExp]>([
	[
		"less than the whole word for what is always asked about",
		{ value: "y" },
		[grave],
		/use the complete word, --value yes/,
	],
	[
		"a password in the command line",
		{ value: "hunter2" },
		[waiting({ type: "password" })],
		/^--value is not allowed for a password/,
	],
	[
		"what is no answer",
		{ value: "perhaps" },
		[approval],
		/^invalid value "perhaps" for --value: answer y or n/,
	],
	["two answers", { value: "x", deny: true }, [waiting()], /^--deny and --value cannot be used together/],
	["a reason for nothing", { reason: "x" }, [waiting()], /^--reason requires --deny/],
	["nobody to ask", {}, [waiting()], /^cannot ask without a terminal; use --value/],
	["no such question", { value: "x" }, [], /^no open question has the id 123456/],
	[
		"two that end so",
		{ value: "x" },
		[waiting(), waiting({ token: "prompt_zzzzzz123456" })],
		/^several questions end with 123456; use one of these ids: prompt_abcdef123456, prompt_zzzzzz123456/,
	],
])("rejects %s", async (_what, flags, questions, message) => {
	await expect(sent(flags, "123456", questions)).rejects.toThrow(message);
});
