import { describe, expect, test } from "vitest";
import {
	type ApprovalContext,
	type Prompt,
	type PromptResponse,
	type PromptType,
	readAnswer,
} from "./prompt.ts";

function promptOf(type: PromptType, fields: Partial<Prompt> = {}): Prompt {
	const bare = { required: true, options: [], validation: "", placeholder: "" };
	return { token: "prompt_1", runId: "run_1", type, label: "?", expiresAt: 0, ...bare, ...fields };
}

function approvalOf(allowSession: boolean): Prompt {
	const shown = { callId: "c", tool: "t", arguments: {}, preview: "", risk: "normal", notes: [] } as const;
	const approval: ApprovalContext = { ...shown, allowSession };
	return promptOf("confirm", { approval });
}

const option = (value: string, disabled = false) => ({ value, label: value, description: "", disabled });
const options = [option("tea"), option("coffee"), option("rum", true)];

const approved = { kind: "approved", remember: false };
const remembered = { kind: "approved", remember: true };
const denied = { kind: "denied", reason: "" };

describe("a confirm", () => {
	test.each<[PromptResponse]>([
		[{ value: true }],
		[{ value: "yes" }],
		[{ value: "y" }],
		[{ value: "allow" }],
		[{ value: "once" }],
		[{ text: "yes" }],
		[{ value: true, cancelled: false }],
		[{ cancelled: false }],
		[{ cancelled: false, value: null }],
	])("is approved by %j", (response) => {
		expect(readAnswer(approvalOf(false), false, response)).toEqual(approved);
		expect(readAnswer(approvalOf(true), false, response)).toEqual(approved);
	});

	test.each<[PromptResponse]>([
		[{}],
		[{ value: null }],
		[{ value: false }],
		[{ value: "no" }],
		[{ value: "deny" }],
		[{ value: "" }],
		[{ value: "Yes" }],
		[{ value: "YES" }],
		[{ value: " yes" }],
		[{ value: "true" }],
		[{ value: 1 }],
		[{ value: 0, cancelled: false }],
		[{ value: ["yes"] }],
		[{ value: { yes: true } }],
		[{ value: "no", cancelled: false }],
		[{ text: "", cancelled: false }],
		[{ values: ["no"], cancelled: false }],
		[{ cancelled: true }],
		[{ cancelled: true, value: true }],
		[{ cancelled: true, value: "session" }],
	])("is denied by %j", (response) => {
		for (const floor of [false, true]) {
			expect(readAnswer(approvalOf(true), floor, response)).toEqual(denied);
		}
	});

	test.each(["session", "always"])("is remembered by %s if that is offered, else denied", (value) => {
		expect(readAnswer(approvalOf(true), false, { value })).toEqual(remembered);
		expect(readAnswer(approvalOf(false), false, { value })).toEqual(denied);
		expect(readAnswer(approvalOf(false), true, { value })).toEqual(denied);
		expect(readAnswer(promptOf("confirm"), false, { value })).toEqual(denied);
	});

	test.each<[PromptResponse]>([[{ cancelled: false }], [{ cancelled: false, value: null }]])(
		"stays open for %j if the call always requires approval",
		(response) => {
			expect(() => readAnswer(approvalOf(false), true, response)).toThrow(
				"this call always requires approval",
			);
			expect(readAnswer(approvalOf(false), true, { ...response, value: "once" })).toEqual(approved);
		},
	);

	test.each<[PromptResponse, boolean]>([
		[{ value: "approve" }, true],
		[{ text: "approve", cancelled: false }, true],
		[{ value: true }, true],
		[{ value: "yes" }, true],
		[{ value: "deny" }, false],
		[{ value: false }, false],
		[{ value: "no" }, false],
		[{ value: "approve", cancelled: true }, false],
	])("that always requires approval and was shown as a choice is read from %j", (response, approves) => {
		const answer = readAnswer(approvalOf(false), true, { ...response, choice: true });
		expect(answer).toEqual(approves ? approved : denied);
	});

	test.each<[PromptResponse]>([
		[{}],
		[{ cancelled: false }],
		[{ value: null, cancelled: false }],
		[{ value: "" }],
		[{ value: "Approve" }],
		[{ value: "maybe" }],
		[{ value: 1 }],
		[{ value: ["approve"] }],
		[{ values: ["approve"] }],
		[{ value: "session" }],
	])("that always requires approval and was shown as a choice stays open for %j", (response) => {
		expect(() => readAnswer(approvalOf(false), true, { ...response, choice: true })).toThrow(
			'choose "deny" or "approve"',
		);
	});

	test("that does not always require approval offers no choice", () => {
		expect(readAnswer(approvalOf(false), false, { cancelled: false, choice: true })).toEqual(approved);
		expect(readAnswer(approvalOf(false), false, { value: "approve", choice: true })).toEqual(denied);
		expect(readAnswer(approvalOf(false), true, { value: "approve" })).toEqual(denied);
	});

	test("keeps the reason of a denial", () => {
		const response = { cancelled: true, reason: "not on a Friday" };
		expect(readAnswer(approvalOf(false), false, response)).toEqual({
			kind: "denied",
			reason: "not on a Friday",
		});
	});

	test("records that no person has denied it", () => {
		const response = { cancelled: true, reason: "nobody is here", unanswered: true };
		expect(readAnswer(approvalOf(false), false, response)).toEqual({
			kind: "denied",
			reason: "nobody is here",
			unanswered: true,
		});
	});
});

describe("a text", () => {
	test.each<[PromptResponse, string]>([
		[{ value: "Ada" }, "Ada"],
		[{ text: "Ada" }, "Ada"],
		[{ values: ["Ada"] }, "Ada"],
		[{ value: "a", text: "b", values: ["c"] }, "a"],
		[{ value: "  " }, "  "],
		[{ value: "Ada", cancelled: false }, "Ada"],
	])("is read from %j", (response, value) => {
		expect(readAnswer(promptOf("text"), false, response)).toEqual({ kind: "value", value });
		expect(readAnswer(promptOf("password"), false, response)).toEqual({ kind: "value", value });
	});

	test.each<[PromptResponse, string]>([
		[{}, "an answer is required"],
		[{ value: null }, "an answer is required"],
		[{ value: "" }, "an answer is required"],
		[{ cancelled: false }, "an answer is required"],
		[{ value: 5 }, "the answer must be a string"],
		[{ value: true }, "the answer must be a string"],
		[{ value: ["Ada"] }, "the answer must be a string"],
	])("stays open for %j", (response, message) => {
		expect(() => readAnswer(promptOf("text"), false, response)).toThrow(message);
	});

	test("may be empty if it is not required", () => {
		const prompt = promptOf("text", { required: false, validation: "[a-z]+" });
		for (const response of [{}, { value: "" }, { value: null }]) {
			expect(readAnswer(prompt, false, response)).toEqual({ kind: "value", value: "" });
		}
	});

	test("matches its complete pattern", () => {
		const prompt = promptOf("text", { validation: "[a-z]+|0" });
		expect(readAnswer(prompt, false, { value: "abc" })).toEqual({ kind: "value", value: "abc" });
		for (const value of ["abc1", "1abc", "a b", "0x", "x0"]) {
			expect(() => readAnswer(prompt, false, { value })).toThrow("does not match [a-z]+|0");
		}
	});

	test("a pattern that is slow in other engines is answered at once", () => {
		const prompt = promptOf("text", { validation: "(a+)+b" });
		expect(() => readAnswer(prompt, false, { value: "a".repeat(50_000) })).toThrow("does not match");
	});
});

describe("a select", () => {
	const prompt = promptOf("select", { options });

	test.each<[PromptResponse]>([[{ value: "tea" }], [{ text: "tea" }], [{ values: ["tea"] }]])(
		"is read from %j",
		(response) => {
			expect(readAnswer(prompt, false, response)).toEqual({ kind: "value", value: "tea" });
		},
	);

	test.each<[PromptResponse]>([
		[{ value: "rum" }],
		[{ value: "water" }],
		[{ value: "Tea" }],
		[{ value: ["tea"] }],
		[{ value: 0 }],
	])("stays open for %j and lists the options", (response) => {
		expect(() => readAnswer(prompt, false, response)).toThrow("choose one of tea, coffee");
	});

	test.each<[PromptResponse]>([[{}], [{ value: "" }], [{ value: null }], [{ cancelled: false }]])(
		"stays open for %j: a choice is required",
		(response) => {
			expect(() => readAnswer(prompt, false, response)).toThrow("a choice is required");
		},
	);

	test("may stay without a choice if none is required", () => {
		const free = promptOf("select", { options, required: false });
		expect(readAnswer(free, false, {})).toEqual({ kind: "value", value: "" });
		expect(() => readAnswer(free, false, { value: "water" })).toThrow("choose one of tea, coffee");
	});
});

describe("a multi", () => {
	const prompt = promptOf("multi", { options });

	test.each<[PromptResponse, string[]]>([
		[{ values: ["tea", "coffee"] }, ["tea", "coffee"]],
		[{ value: ["coffee", "tea"] }, ["coffee", "tea"]],
		[{ text: "tea" }, ["tea"]],
	])("is read from %j", (response, value) => {
		expect(readAnswer(prompt, false, response)).toEqual({ kind: "value", value });
	});

	test.each<[PromptResponse, string]>([
		[{ values: ["tea", "rum"] }, "choose among tea, coffee"],
		[{ value: ["tea", 5] }, "choose among tea, coffee"],
		[{ value: { tea: true } }, "send a list with choices among tea, coffee"],
		[{ value: "tea" }, "send a list with choices among tea, coffee"],
		[{ values: ["tea", "tea"] }, '"tea" is chosen twice: name each choice once'],
		[{ value: ["tea", "coffee", "tea"] }, '"tea" is chosen twice: name each choice once'],
		[{ values: [] }, "a choice is required"],
		[{}, "a choice is required"],
	])("stays open for %j", (response, message) => {
		expect(() => readAnswer(prompt, false, response)).toThrow(message);
	});

	test("may be empty if no choice is required", () => {
		const free = promptOf("multi", { options, required: false });
		expect(readAnswer(free, false, { values: [] })).toEqual({ kind: "value", value: [] });
	});
});

test.each<PromptType>(["text", "password", "select", "multi"])(
	"a %s is dismissed by `cancelled`, despite any other value",
	(type) => {
		const response = { cancelled: true, value: "tea", values: ["tea"] };
		expect(readAnswer(promptOf(type, { options }), false, response)).toEqual({ kind: "cancelled" });
	},
);

test("a question is dismissed with a reason", () => {
	const response = { cancelled: true, reason: "later" };
	expect(readAnswer(promptOf("text"), false, response)).toEqual({ kind: "cancelled", reason: "later" });
});

test("an answer that keeps a question open is an invalid argument", () => {
	expect(() => readAnswer(promptOf("text"), false, {})).toThrow(
		expect.objectContaining({ code: "invalid_argument" }),
	);
});

test("only the approval of a call accepts other arguments, and only once", () => {
	const changed = { arguments: { cmd: "ls" } };
	for (const type of ["text", "password", "select", "multi"] as const) {
		const prompt = promptOf(type, { options });
		expect(() => readAnswer(prompt, false, { value: "tea", ...changed })).toThrow("only the approval");
		expect(readAnswer(prompt, false, { cancelled: true, ...changed })).toEqual({ kind: "cancelled" });
	}
});

test.each([
	["text", 65_536],
	["password", 4_096],
] as const)("a %s has at most %i characters", (type, max) => {
	const prompt = promptOf(type);
	expect(readAnswer(prompt, false, { value: "x".repeat(max) }).kind).toBe("value");
	expect(() => readAnswer(prompt, false, { value: "x".repeat(max + 1) })).toThrow(`at most ${max}`);
});

test.each<PromptResponse>([
	{ value: 5 },
	{ value: true },
	{ value: ["Ada"] },
	{ value: { text: "Ada" } },
	{ value: Number.NaN },
])("a value that is not a string is not an answer to a text or a password: %j", (response) => {
	for (const type of ["text", "password"] as const) {
		expect(() => readAnswer(promptOf(type), false, response)).toThrow("must be a string");
	}
});
