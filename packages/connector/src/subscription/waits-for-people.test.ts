import { expect, test } from "vitest";
import type { RunPart } from "../conversation/answers/run-parts.ts";
import type { OpenQuestion } from "../conversation/questions/question.ts";
import type { QuestionsSlice } from "../conversation/questions/questions.ts";
import { waitsForPeople } from "./waits-for-people.ts";

const text = { text: "", length: 0 };
const question = (token: string, more: object = {}): OpenQuestion => ({
	...{ token, kind: "text", label: text, required: true, options: [], unlisted: 0, hints: [], reminders: 0 },
	...more,
});
const approval = (token: string, id: string): OpenQuestion =>
	question(token, { kind: "approval", call: { id } });
const call = (id: string, waits?: string): RunPart => ({
	...{ type: "call", id, name: "x", from: 0 },
	...(waits === undefined ? {} : { waits }),
});

interface Case {
	readonly open: readonly OpenQuestion[];
	readonly parts?: readonly RunPart[];
	readonly running?: readonly string[];
}

test.each<[string, Case, boolean]>([
	["without a question", { open: [], parts: [call("a")], running: ["a"] }, false],
	["with an approval before its call", { open: [approval("q", "a")], parts: [], running: [] }, true],
	[
		"with an approval of the call that has started",
		{ open: [approval("q", "a")], parts: [call("a", "q")], running: ["a"] },
		true,
	],
	[
		"with an approval while another call runs",
		{ open: [approval("q", "a")], parts: [], running: ["a", "b"] },
		false,
	],
	[
		"with a question of the only call",
		{ open: [question("q")], parts: [call("a", "q")], running: ["a"] },
		true,
	],
	["with a question that names no call", { open: [question("q")], parts: [], running: ["a"] }, true],
	[
		"with a question of one of two calls",
		{ open: [question("q")], parts: [call("a", "q"), call("b")], running: ["a", "b"] },
		false,
	],
	["with a question of a task", { open: [question("q", { task: "t" })], parts: [], running: [] }, false],
	["with a trust request", { open: [question("q", { kind: "grant" })], parts: [], running: ["a"] }, false],
])("a run waits for people %s", (_, { open, parts = [], running = [] }, waits) => {
	const questions: QuestionsSlice = { open, closed: [] };
	expect(waitsForPeople(questions, { parts }, new Set(running))).toBe(waits);
});
