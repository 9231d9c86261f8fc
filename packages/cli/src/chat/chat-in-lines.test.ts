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

test("a terminal hides a password before its prompt, and shows typed text before the next row", async () => {
	const io = new CapturedIo();
	const client = new FakeClient();
	const session = new FakeSession("sess_1");
	const changes: [isHidden: boolean, printed: string][] = [];
	Object.assign(io.stdin, {
		isTTY: true,
		setRawMode: (isHidden: boolean) => {
			changes.push([isHidden, io.drainOut()]);
		},
	});
	const openNew = async (): Promise<FakeSession> => session;
	const talking = chatInLines(
		io,
		(display) =>
			new Chat({ client, session, clock: new ManualClock(), openNew, openExisting: openNew, ...display }),
	);
	io.stdin.write("go\n");
	while (client.requests.length === 0) await setImmediate();
	client.last("send_message").answer({ message_id: "m", seq: 1, run_id: "run" });
	session.happens("user.message", { content: "go", run_id: "run" });
	session.happens("prompt.request", askQuestion({ type: "password", token: "one", label: "API key" }));
	while (changes.length < 1) await setImmediate();
	expect(changes).toEqual([[true, expect.not.stringContaining("(hidden)")]]);
	expect(io.drainOut()).toContain("password (hidden)");
	session.happens("prompt.response", { token: "one", value: null, cancelled: true, by: "operator" });
	while (changes.length < 2) await setImmediate();
	expect(changes[1]).toEqual([false, ""]);
	expect(io.drainOut()).toContain("no answer");
	io.stdin.end();
	session.happens("assistant.message", { content: "done", error: "", context: {} });
	await expect(talking).resolves.toEqual([]);
});

test("a line that is typed during a resumed run is sent when the run ends", async () => {
	const io = new CapturedIo();
	const client = new FakeClient();
	const session = new FakeSession("sess_1");
	const openNew = async (): Promise<FakeSession> => session;
	session.happens("user.message", { content: "go", run_id: "run" });
	const talking = chatInLines(io, (display) => {
		const chat = new Chat({
			client,
			session,
			clock: new ManualClock(),
			openNew,
			openExisting: openNew,
			...display,
		});
		chat.conversation.send("go");
		return chat;
	});
	io.stdin.end("next\n");
	await setImmediate();
	await setImmediate();
	expect(client.requests).toEqual([]);
	session.happens("assistant.message", { content: "done", error: "", context: {} });
	while (client.requests.length === 0) await setImmediate();
	const request = client.last("send_message");
	expect(request.params).toEqual({ content: "next" });
	request.answer({ message_id: "m", seq: 1, run_id: "run" });
	session.happens("user.message", { content: "next", run_id: "run" });
	session.happens("assistant.message", { content: "done", error: "", context: {} });
	await expect(talking).resolves.toEqual([]);
});
