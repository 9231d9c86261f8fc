import { expect, test } from "vitest";
import { behalf, QuestionContext } from "../testing/question-context.ts";
import {
	answered,
	approval,
	elicitation,
	offer,
	read,
	token,
	tokenOf,
	writes,
} from "../testing/question-scene.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";

const sent: ScriptedAnswers = { prompt_response: () => ({ status: "sent" }) };

const phrases: readonly (readonly [text: string, sends: object])[] = [
	["approve", { value: "once" }],
	["yes", { value: "once" }],
	["  Yes. ", { value: "once" }],
	["APPROVE!", { value: "once" }],
	["approve for this conversation", { value: "session" }],
	["approve for this session", { value: "session" }],
	["deny", { cancelled: true }],
	["no", { cancelled: true }],
	["No!", { cancelled: true }],
	["deny: use tabs", { cancelled: true, reason: "use tabs" }],
	["Deny:use\ntabs", { cancelled: true, reason: "use\ntabs" }],
];

test.each(phrases)("a reply %j to an approval decides it", async (text, sends) => {
	const t = new QuestionContext([approval({ allow_session: true })], sent);
	expect(await t.says(text)).toBeUndefined();
	expect(t.gateway.requests.map(({ params }) => params)).toEqual([
		{ token, key: "key", typed: true, ...sends, ...behalf },
	]);
});

const otherTexts: readonly (readonly [what: string, text: string])[] = [
	["a word of another form", "session"],
	["a denial without a colon", "deny use tabs"],
	["a no with a reason", "no: use tabs"],
	["a denial with an empty reason", "deny:  "],
	["a sentence that begins with no", "no idea what that does"],
	["a condition", "yes, but only the tests"],
	["a longer word", "denying is hard"],
	["the phrase inside a longer text", "please approve"],
	["the phrase on one of two lines", "approve\nthe tests"],
	["the phrase twice", "approve approve"],
	["a quoted phrase", "> approve"],
	["a phrase with formatting", "**approve**"],
	["a phrase in quotation marks", "'approve'"],
	["two exclamation marks", "approve!!"],
	["a question", "approve?"],
	["a command", "/approve"],
	["a Cyrillic letter", "\u{430}pprove"],
	["a Greek letter", "n\u{3bf}"],
	["a long s, which is an s in other letter cases", "ye\u{17f}"],
	["a letter with a combining mark", "ye\u{301}s"],
	["full-width letters", "\u{ff59}\u{ff45}\u{ff53}"],
	["a character without a width", "app\u{200b}rove"],
	["a text from right to left", "\u{202e}sey"],
	["two spaces between words", "approve for  this session"],
	["no text", ""],
];

test.each(otherTexts)("a reply to an approval with %s decides nothing: %j", async (_what, text) => {
	const t = new QuestionContext([approval({ allow_session: true })], sent);
	expect((await t.says(text))?.text).toContain("Not decided");
	expect(t.gateway.requests).toEqual([]);
});

test("an approval for the session is refused if it is not offered", async () => {
	const t = new QuestionContext([approval()], sent);
	const help = (await t.says("approve for this conversation"))?.text;
	expect(help).toBe("Not decided. Reply **approve**, **deny** or **deny: your reason**, or press a button.");
	expect(t.gateway.requests).toEqual([]);
});

test.each([
	["a call that always requires approval", approval({ risk: "critical" })],
	["a trust request", elicitation({ type: "confirm" })],
])("no reply decides about %s", async (_what, question) => {
	const t = new QuestionContext([question], sent);
	for (const [text] of phrases) expect((await t.says(text))?.text).toContain("Press a button of the request");
	expect(t.gateway.requests).toEqual([]);
});

test.each(["approve", "deny", "approve 2", "Yes #2.", "deny 2: use another name", "approve all"])(
	"a reply to a post with several calls decides nothing: %j",
	async (text) => {
		const t = new QuestionContext(writes(["a", "b"]), sent);
		expect((await t.says(text))?.text).toBe(
			"Not decided, because this post shows 2 calls. Press the buttons of the post, or use `/approvals`.",
		);
		expect(t.gateway.requests).toEqual([]);
	},
);

test("a reply to a post whose calls are all decided names no buttons", async () => {
	const decided = [1, 2].map((place) => answered({ token: tokenOf(place), value: "once" }));
	const t = new QuestionContext([...writes(["a", "b"]), ...decided], sent);
	expect((await t.says("approve"))?.text).toMatch(/^These calls are no longer waiting/);
	expect(t.gateway.requests).toEqual([]);
});

test("a password written in the chat is not sent to the gateway", async () => {
	const t = new QuestionContext([elicitation({ type: "password" })], sent);
	const reply = await t.says("hunter2");
	expect(t.gateway.requests).toEqual([]);
	expect(reply?.text).toContain("Delete your message");
	expect(reply?.text).not.toContain("hunter2");
});

test("a text reply answers a question like a form", async () => {
	const t = new QuestionContext([elicitation({})], sent);
	expect(await t.says("dark blue")).toBeUndefined();
	expect(t.gateway.requests[0]?.params).toEqual({
		token,
		key: "key",
		typed: true,
		text: "dark blue",
		...behalf,
	});
});

const drinks = [
	offer("tea", { label: "Green tea" }),
	offer("milk", { disabled: true }),
	offer("3", { label: "Three" }),
	offer("ale"),
];

const chosen: readonly (readonly [type: "select" | "multi", text: string, sends: object])[] = [
	["select", "green TEA", { value: "tea" }],
	["select", "1", { value: "tea" }],
	["select", "2", { value: "3" }],
	["select", "3", { value: "3" }],
	["multi", "1, ale", { values: ["tea", "ale"] }],
	["multi", "1 2", { values: ["tea", "3"] }],
	["multi", "ale\n1;Three", { values: ["ale", "tea", "3"] }],
];

test.each(chosen)("a reply to a %s question names options by name or by number: %j", async (...row) => {
	const [type, text, sends] = row;
	const t = new QuestionContext([elicitation({ type, options: drinks })], sent);
	expect(await t.says(text)).toBeUndefined();
	expect(t.gateway.requests[0]?.params).toMatchObject(sends);
});

test.each([
	["select", "milk", "“milk” is not an option."],
	["select", "4", "“4” is not an option."],
	["multi", "ale, water, 9", "“water”, “9” are not options."],
] as const)("an unknown option of a %s question lists the options: %j", async (type, text, says) => {
	const t = new QuestionContext([elicitation({ type, options: drinks })], sent);
	const help = "Write the name or the number of an option. The question is still open.";
	expect(read((await t.says(text)) ?? { text: "none" })).toBe(
		`${says} ${help}\n\n1. Green tea\n2. Three\n3. ale\n[Answer again]`,
	);
	expect(t.gateway.requests).toEqual([]);
});
