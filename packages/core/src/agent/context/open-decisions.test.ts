import { expect, test } from "vitest";
import type { Message } from "../../vocabulary/message.ts";
import type { RunTranscript } from "../../vocabulary/transcript.ts";
import { type CallQuestion, openDecisions } from "./open-decisions.ts";

const end = { run: 100, message: 0 };

interface CallInTest {
	readonly name: string;
	readonly args: unknown;
	readonly text?: string;
	readonly failed?: boolean;
}

/** Returns a transcript with one call in each run. The id of a call is the number of its run. */
function transcriptOf(...calls: readonly CallInTest[]): RunTranscript[] {
	return calls.map(({ name, args, text = "done", failed = false }, index): RunTranscript => {
		const id = `${index + 1}`;
		const messages: Message[] = [
			{ role: "user", content: [{ type: "text", text: "go" }] },
			{ role: "assistant", content: [{ type: "call", id, name, arguments: args }] },
			{ role: "tool", content: [{ type: "result", callId: id, text, failed }] },
		];
		return { ordinal: index + 1, messages };
	});
}

const question = (label: string): CallInTest => ({ name: "ask_user", args: { type: "text", label } });
const runs = (command: string): CallInTest => ({ name: "run_command", args: { command } });
const silence = { text: "no answer: the approval expired", failed: true };
const refused = { text: "denied by the approver:\n not now", failed: true };
const unknown = { text: "interrupted, outcome unknown: the gateway stopped", failed: true };

const denied = (callId: string): CallQuestion => ({
	callId,
	state: "cancelled",
	answer: { kind: "denied", reason: "not now" },
});
const left = (callId: string, state: CallQuestion["state"]): CallQuestion => ({
	callId,
	state,
	answer: undefined,
});

test("questions and approvals without an answer, denials and unknown outcomes are open", () => {
	const transcript = transcriptOf(
		{ ...question("Which licence?"), ...silence },
		{ ...runs("npm publish"), text: "cancelled", failed: true },
		{ ...runs("rm -rf build"), ...refused },
		{ ...runs("git push"), ...unknown },
		{ ...question("What is your name?"), text: "the person declined to answer", failed: true },
	);
	const questions = [
		left("1", "expired"),
		left("2", "closed"),
		denied("3"),
		{ callId: "5", state: "cancelled", answer: { kind: "cancelled" } } as const,
	];
	expect(openDecisions(transcript, questions, end)).toEqual([
		'no answer: the question "Which licence?" (no answer: the approval expired)',
		'no answer: run_command {"command":"npm publish"} (cancelled)',
		'denied: run_command {"command":"rm -rf build"} (denied by the approver: not now)',
		'outcome unknown: run_command {"command":"git push"} (interrupted, outcome unknown: the gateway stopped)',
		'no answer: the question "What is your name?" (the person declined to answer)',
	]);
});

test("an answered, approved or completed call is not open", () => {
	const transcript = transcriptOf(question("Which licence?"), runs("npm publish"), {
		...runs("npm test"),
		text: "exit code 1",
		failed: true,
	});
	const questions: CallQuestion[] = [
		{ callId: "1", state: "answered", answer: { kind: "value", value: "MIT" } },
		{ callId: "2", state: "consumed", answer: { kind: "approved", remember: false } },
	];
	expect(openDecisions(transcript, questions, end)).toEqual([]);
});

test("a repeated question or call closes the entry, even in another spelling or after the end of the summary", () => {
	const transcript = transcriptOf(
		{ ...question("Which licence? "), ...silence },
		{ name: "write_file", args: { path: "a", content: "b" }, ...refused },
		{ ...runs("git push"), ...unknown },
		{ name: "ask_user", args: { label: "which licence?", type: "select" } },
		{ name: "write_file", args: { content: "b", path: "a" } },
		runs("git push"),
	);
	const questions = [left("1", "expired"), denied("2")];
	expect(openDecisions(transcript.slice(0, 3), questions, end)).toHaveLength(3);
	expect(openDecisions(transcript, questions, end)).toEqual([]);
	expect(openDecisions(transcript, questions, { run: 4, message: 0 })).toEqual([]);
});

test("another call does not close the entry, and two denials of one call give one line", () => {
	const transcript = transcriptOf({ ...runs("npm publish"), ...refused }, runs("npm publish --dry-run"), {
		...runs("npm publish"),
		...refused,
	});
	const questions = [denied("1"), denied("3")];
	expect(openDecisions(transcript, questions, end)).toEqual([
		'denied: run_command {"command":"npm publish"} (denied by the approver: not now)',
	]);
});

test("calls after the end of the summary are not in the list", () => {
	const transcript = transcriptOf({ ...runs("one"), ...unknown }, { ...runs("two"), ...unknown });
	expect(openDecisions(transcript, [], { run: 2, message: 0 })).toHaveLength(1);
});
