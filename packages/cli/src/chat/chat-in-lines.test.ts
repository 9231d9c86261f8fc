import { setImmediate } from "node:timers/promises";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { CapturedIo } from "../testing/captured-io.ts";
import { FakeClient, FakeSession } from "../testing/fake-session.ts";
import { askQuestion } from "../testing/questions.ts";
import { Chat } from "./chat.ts";
import { chatInLines } from "./chat-command.ts";

test("answers several questions with lines, without waiting for the gateway", async () => {
	const io = new CapturedIo();
	const client = new FakeClient();
	const session = new FakeSession("sess_1");
	const talking = chatInLines(io, (display) => {
		const openNew = async (): Promise<FakeSession> => session;
		return new Chat({
			client,
			session,
			clock: new ManualClock(),
			openNew,
			openExisting: openNew,
			...display,
		});
	});
	session.happens("user.message", { content: "go", run_id: "run" });
	for (const token of ["one", "two", "three"]) {
		session.happens("prompt.request", askQuestion({ type: "confirm", token, label: `${token}?` }));
	}
	await setImmediate();
	io.stdin.write("y\nn\n");
	await setImmediate();
	await setImmediate();
	expect(client.requests.map(({ params }) => params)).toEqual([
		{ token: "one", value: "yes" },
		{ token: "two", cancelled: true },
	]);
	expect(io.drainOut()).toContain("three?");
	io.stdin.end("y\n");
	await setImmediate();
	await setImmediate();
	expect(client.last("prompt_response").params).toEqual({ token: "three", value: "yes" });
	for (const { answer } of client.requests) answer({ status: "sent" });
	for (const token of ["one", "two", "three"]) {
		session.happens("prompt.response", { token, value: token !== "two", cancelled: false, by: "operator" });
	}
	session.happens("assistant.message", { content: "done", error: "", context: {} });
	await expect(talking).resolves.toEqual([]);
});
