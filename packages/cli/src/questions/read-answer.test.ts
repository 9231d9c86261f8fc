import { expect, test } from "vitest";
import { askQuestion, offer } from "../testing/questions.ts";
import { readAnswer } from "./read-answer.ts";

const approval = askQuestion({ type: "confirm", context: { allow_session: true } });
const drinks = [offer("tea", { label: "Tea" }), offer("beer", { disabled: true }), offer("milk")];
const select = askQuestion({ type: "select", options: drinks });
const multi = askQuestion({ type: "multi", options: drinks });

test.each([
	["y", { value: "yes" }],
	["YES", { value: "yes" }],
	["n", { cancelled: true }],
	["no, use tabs", undefined],
	["no use tabs", { cancelled: true, reason: "use tabs" }],
	["s", { value: "session" }],
	["session", { value: "session" }],
	["yes please", undefined],
	["", undefined],
	["yep", undefined],
])("reads an approval: %j", (line, response) => {
	const reading = readAnswer(approval, line);
	expect(reading.kind === "answer" ? reading.response : undefined).toEqual(response);
});

test("asks again if the approval applies once and the answer is session", () => {
	const once = askQuestion({ type: "confirm", context: { allow_session: false } });
	expect(readAnswer(once, "s")).toEqual({
		kind: "again",
		hint: "this call cannot be approved for the session: answer y or n",
	});
	expect(readAnswer(once, "y")).toMatchObject({ response: { value: "yes" } });
});

test.each([
	["1", { value: "tea" }],
	["3", { value: "milk" }],
	["Tea", { value: "tea" }],
	["milk", { value: "milk" }],
	["2", undefined],
	["4", undefined],
	["", undefined],
])("reads a choice: %j", (line, response) => {
	const reading = readAnswer(select, line);
	expect(reading.kind === "answer" ? reading.response : undefined).toEqual(response);
});

test.each([
	["1,3", { values: ["tea", "milk"] }],
	[" 3 , Tea ,", { values: ["milk", "tea"] }],
	["1,1", { values: ["tea"] }],
	["1,2", undefined],
	["", undefined],
])("reads several choices: %j", (line, response) => {
	const reading = readAnswer(multi, line);
	expect(reading.kind === "answer" ? reading.response : undefined).toEqual(response);
});

test("accepts an empty answer to an optional question", () => {
	expect(readAnswer({ ...select, required: false }, "")).toMatchObject({ response: { value: "" } });
	expect(readAnswer({ ...multi, required: false }, "")).toMatchObject({ response: { values: [] } });
	expect(readAnswer(askQuestion({ required: false }), "")).toMatchObject({ response: { text: "" } });
	expect(readAnswer(askQuestion({}), "")).toEqual({
		kind: "again",
		hint: "an answer is required: type an answer",
	});
});

test("sends text unchanged", () => {
	expect(readAnswer(askQuestion({}), "  y ")).toMatchObject({ response: { text: "  y " } });
});

test("hides a password in the confirmation", () => {
	const reading = readAnswer(askQuestion({ type: "password" }), "hunter2");
	expect(reading).toEqual({ kind: "answer", response: { text: "hunter2" }, shown: "(hidden)" });
});
