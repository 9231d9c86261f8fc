import { setImmediate } from "node:timers/promises";
import type { OzzieEvent, PromptRequestPayload } from "@parley/protocol";
import { expect, test } from "vitest";
import { CapturedIo } from "../testing/captured-io.ts";
import { FakeClient } from "../testing/fake-session.ts";
import { askQuestion } from "../testing/questions.ts";
import { Questions } from "./questions.ts";

function promptEvent(question: PromptRequestPayload): OzzieEvent {
	return { type: "event", event: "prompt.request", payload: question, seq: 1 };
}

async function refuse(question: PromptRequestPayload, acceptsAll: boolean) {
	const io = new CapturedIo();
	const client = new FakeClient();
	const failures: unknown[] = [];
	const questions = new Questions({
		io,
		client,
		sessionId: "sess",
		acceptsAll,
		hasPerson: false,
		onInterrupt: () => undefined,
		onFailure: (reason) => failures.push(reason),
	});
	questions.receive(promptEvent(question));
	await setImmediate();
	return { client, failures, error: io.drainError(), unanswered: questions.unanswered };
}

const approval = askQuestion({ type: "confirm", label: "Allow run \u001bls?" });

test("denies an approval without a terminal, and names -y", async () => {
	const { client, error, unanswered } = await refuse(approval, false);
	expect(unanswered).toBe(1);
	expect(client.last("prompt_response").params).toMatchObject({ token: "token", cancelled: true });
	expect(error).toBe(
		"parley: denied: Allow run \\u{1b}ls? (no person can answer here; -y approves tool calls in advance)\n",
	);
});

test("denies calls that always require approval with -y, and explains why", async () => {
	const { client, error } = await refuse(approval, true);
	expect(client.last("prompt_response").params).toMatchObject({ cancelled: true });
	expect(error).toContain("this call always requires approval");
});

test("declines a question without a terminal", async () => {
	const { client, error } = await refuse(askQuestion({ label: "Name?" }), true);
	expect(client.last("prompt_response").params).toMatchObject({ cancelled: true });
	expect(error).toBe("parley: not answered: Name? (no person can answer here; use `parley chat`)\n");
});

test("fails if an answer cannot be sent", async () => {
	const { client, failures } = await refuse(approval, false);
	const lost = new Error("lost");
	// The cast is safe because the code under test accepts any error.
	client.last("prompt_response").refuse(lost as never);
	await setImmediate();
	expect(failures).toEqual([lost]);
});

test("does not answer questions of tasks", async () => {
	const { client, error } = await refuse({ ...approval, context: { task_id: "task_1" } }, false);
	expect(client.requests).toEqual([]);
	expect(error).toBe("");
});

test("asks the questions of one reply in order, with one answer for each", async () => {
	const io = new CapturedIo();
	Object.assign(io.stdin, { isTTY: true, setRawMode: () => io.stdin });
	const client = new FakeClient();
	const questions = new Questions({
		io,
		client,
		sessionId: "sess",
		acceptsAll: false,
		hasPerson: true,
		onInterrupt: () => undefined,
		onFailure: (reason) => expect(reason).toBeUndefined(),
	});
	const [first, second, third] = ["one", "two", "three"].map((token) => ({ ...approval, token }));
	if (!first || !second || !third) throw new Error("three questions are needed");
	for (const question of [first, second, third, first]) questions.receive(promptEvent(question));
	io.stdin.write("y\r");
	await setImmediate();
	expect(client.requests.map(({ params }) => Object(params).token)).toEqual(["one"]);
	const respond = (token: string): void =>
		questions.receive({
			type: "event",
			event: "prompt.response",
			seq: 2,
			payload: { token, value: true, cancelled: false },
		} as OzzieEvent);
	// The command shows the second question before the gateway confirms the first answer. Another client then answers the
	// second question.
	expect(io.drainError()).toContain("✓ yes");
	respond("two");
	respond("one");
	io.stdin.write("n\r");
	await setImmediate();
	expect(client.requests.map(({ params }) => Object(params).token)).toEqual(["one", "three"]);
	questions.close();
});

test("asks the next question without waiting for the gateway", async () => {
	const io = new CapturedIo();
	Object.assign(io.stdin, { isTTY: true, setRawMode: () => io.stdin });
	const client = new FakeClient();
	const questions = new Questions({
		io,
		client,
		sessionId: "sess",
		acceptsAll: false,
		hasPerson: true,
		onInterrupt: () => undefined,
		onFailure: (reason) => expect(reason).toBeUndefined(),
	});
	for (const token of ["one", "two", "three"]) questions.receive(promptEvent({ ...approval, token }));
	for (const answer of ["y\r", "n\r", "y\r"]) {
		io.stdin.write(answer);
		await setImmediate();
	}
	expect(client.requests.map(({ params }) => params)).toEqual([
		{ token: "one", value: "yes" },
		{ token: "two", cancelled: true },
		{ token: "three", value: "yes" },
	]);
	questions.close();
});
