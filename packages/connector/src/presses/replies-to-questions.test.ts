import { expect, test } from "vitest";
import { behalf, QuestionContext } from "../testing/question-context.ts";
import { approval, elicitation, token } from "../testing/question-scene.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";

const sent: ScriptedAnswers = { prompt_response: () => ({ status: "sent" }) };

const replies: readonly (readonly [text: string, sends: object | undefined])[] = [
	["approve", { value: "once" }],
	["Yes", { value: "once" }],
	["session", { value: "session" }],
	["no", { cancelled: true }],
	["deny use tabs", { cancelled: true, reason: "use tabs" }],
	["no: use\ntabs", { cancelled: true, reason: "use\ntabs" }],
	["no idea what that does", undefined],
	["yes, but only the tests", undefined],
	["denying is hard", undefined],
	["", undefined],
];

test.each(replies)("a reply to an approval that says %j", async (text, sends) => {
	const t = new QuestionContext([approval({ allow_session: true })], sent);
	const reply = await t.says(text);
	expect(t.gateway.asked.map(({ params }) => params)).toEqual(
		sends === undefined ? [] : [{ token, key: "key", ...sends, ...behalf }],
	);
	expect(reply?.text.startsWith("Not decided") ?? false).toBe(sends === undefined);
});

test("an approval for the session is refused if it is not offered", async () => {
	const t = new QuestionContext([approval()], sent);
	expect((await t.says("session"))?.text).toContain("**approve** or **deny**");
	expect(t.gateway.asked).toEqual([]);
});

test("a password written in the chat is not sent to the gateway", async () => {
	const t = new QuestionContext([elicitation({ type: "password" })], sent);
	const reply = await t.says("hunter2");
	expect(t.gateway.asked).toEqual([]);
	expect(reply?.text).toContain("Delete your message");
	expect(reply?.text).not.toContain("hunter2");
});

test("a reply answers a question in words as a form does", async () => {
	const t = new QuestionContext([elicitation({})], sent);
	expect(await t.says("dark blue")).toBeUndefined();
	expect(t.gateway.asked[0]?.params).toEqual({ token, key: "key", text: "dark blue", ...behalf });
});
