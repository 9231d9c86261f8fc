import { readFile } from "node:fs/promises";
import { parseJson } from "@parley/base";
import { paced } from "@parley/base/testing";
import { gated, ScriptedModel, says, stuck } from "@parley/core/testing";
import { expect, test } from "vitest";
import { Desk } from "./desk.ts";

test("an agent asks, and continues the conversation by its session", async () => {
	await using desk = await Desk.open();
	const agent = await desk.client();
	const first = await agent.call("ask", { message: "say: good morning" });
	expect(first).toMatchObject({
		isError: false,
		texts: ["[offline] good morning", expect.stringContaining("session_id: sess_")],
	});
	expect(first.facts).toMatchObject({ status: "completed", text: "[offline] good morning" });
	const { session_id } = first.facts;
	const second = await agent.call("ask", { message: "say: and good night", session_id });
	expect(second.facts).toMatchObject({ status: "completed", text: "[offline] and good night", session_id });
});

test("the client lists four tools with schemas, and instructions", async () => {
	await using desk = await Desk.open();
	const { client } = await desk.client();
	const { tools } = await client.listTools();
	expect(tools.map(({ name }) => name).toSorted()).toEqual(["answer", "ask", "start_task", "task_status"]);
	for (const tool of tools)
		expect(tool).toMatchObject({ inputSchema: { type: "object" }, outputSchema: { type: "object" } });
	expect(client.getInstructions()).toContain("no approvals and no passwords");
});

test("a client that negotiates the newest revision uses a session, too", async () => {
	await using desk = await Desk.open();
	const agent = await desk.client({ versionNegotiation: { mode: "auto" } });
	expect((await agent.call("ask", { message: "say: hello" })).facts).toMatchObject({
		text: "[offline] hello",
	});
});

test("an agent gets progress reports while it waits, and the answer after a person approves the call in another client", async () => {
	await using desk = await Desk.open();
	const agent = await desk.client();
	const operator = await desk.operator();
	const result = await agent.call("ask", { message: "write: notes.txt <<< buy milk" });
	expect(result.facts).toMatchObject({
		status: "waiting",
		waiting_for: [
			{ kind: "approval", text: "Allow write notes.txt?", how: expect.stringContaining("only a person") },
		],
	});
	expect(JSON.stringify(result)).not.toContain("prompt_");
	const { session_id, run_id } = result.facts;
	const { prompts } = Object(await operator.call("list_prompts", {}));
	const { token } = prompts[0];
	// An MCP client cannot answer an approval, even with the id of the approval.
	for (const question_id of [token, "prompt_unknown"]) {
		expect(await agent.call("answer", { question_id, answer: "yes" })).toMatchObject({ isError: true });
	}
	const messages: (string | undefined)[] = [];
	const waited = agent.call(
		"task_status",
		{ session_id, run_id, wait_seconds: 60 },
		{ onprogress: (message) => messages.push(message) },
	);
	await operator.call("prompt_response", { token, value: true });
	expect((await waited).facts).toMatchObject({ status: "completed", run_id });
	expect(messages).not.toEqual([]);
	expect(await readFile(desk.gateway.path("work", "notes.txt"), "utf8")).toBe("buy milk");
});

test("an agent answers a question by its id, once, and gets the answer of the run", async () => {
	await using desk = await Desk.open();
	const agent = await desk.client();
	const result = await agent.call("ask", { message: "choose: tea | coffee" });
	const [question] = result.facts["waiting_for"] as { question_id: string }[];
	expect(question).toMatchObject({
		kind: "question",
		type: "select",
		options: [{ value: "tea" }, { value: "coffee" }],
	});
	const question_id = question?.question_id ?? "";
	expect((await agent.call("answer", { question_id, answer: "beer" })).texts[0]).toContain(
		"choose one of tea, coffee",
	);
	expect((await agent.call("answer", { question_id })).texts[0]).toContain(
		"send either an answer, or decline",
	);
	const done = await agent.call("answer", { question_id, answer: "tea" });
	expect(done.facts).toMatchObject({ status: "completed", text: expect.stringContaining("tea") });
	expect((await agent.call("answer", { question_id, answer: "tea" })).texts[0]).toContain(
		"no question with this id is open",
	);
});

test("a password is named, and cannot be answered by an agent", async () => {
	await using desk = await Desk.open();
	const agent = await desk.client();
	const operator = await desk.operator();
	const result = await agent.call("ask", { message: "secret: API key" });
	expect(result.facts).toMatchObject({
		status: "waiting",
		waiting_for: [{ kind: "password", text: "API key", how: expect.stringContaining("parley answer") }],
	});
	const { prompts } = Object(await operator.call("list_prompts", {}));
	const answer = await agent.call("answer", { question_id: prompts[0].token, answer: "hunter2" });
	expect(answer).toMatchObject({ isError: true, texts: [expect.stringContaining("no agent can answer")] });
});

test("a cancelled ask stops its run", async () => {
	await using desk = await Desk.open({ model: new ScriptedModel(stuck("thinking")) });
	const agent = await desk.client();
	const operator = await desk.operator();
	const { session_id } = Object(await operator.call("open_session", {}));
	const stop = new AbortController();
	const pending = agent.call("ask", { message: "think", session_id }, { signal: stop.signal });
	await operator.event("assistant.stream");
	stop.abort();
	await expect(pending).rejects.toThrow();
	expect((await operator.event("assistant.message")).payload).toMatchObject({ error: "cancelled" });
});

test("the run of a client that disconnects continues, and the session stays readable", async () => {
	const gate = Promise.withResolvers<void>();
	const model = new ScriptedModel(gated(gate.promise, " two", "one"));
	await using desk = await Desk.open({ model });
	const agent = await desk.client();
	const operator = await desk.operator();
	const { session_id } = Object(await operator.call("open_session", {}));
	const pending = agent.call("ask", { message: "count", session_id });
	await operator.event("assistant.stream");
	await agent.client.close();
	await expect(pending).rejects.toThrow();
	gate.resolve();
	expect((await operator.event("assistant.message")).payload).toMatchObject({
		error: "",
		content: "one two",
	});
	const other = await desk.client();
	const page = await other.client.readResource({ uri: `parley://sessions/${session_id}` });
	expect(JSON.stringify(page)).toContain("one two");
});

test("a wait ends with the state of the run, which continues", async () => {
	const gate = Promise.withResolvers<void>();
	const model = new ScriptedModel(gated(gate.promise, "done"));
	await using desk = await Desk.open({ model });
	const agent = await desk.client();
	const result = await agent.call("ask", { message: "work", wait_seconds: 0 });
	expect(result.facts).toMatchObject({ status: "running", text: "" });
	const { session_id, run_id } = result.facts;
	expect((await agent.call("task_status", { session_id, run_id })).facts).toMatchObject({
		status: "running",
	});
	gate.resolve();
	const { facts } = await agent.call("task_status", { session_id, run_id, wait_seconds: 60 });
	expect(facts).toMatchObject({ status: "completed", text: "done" });
});

test("an agent starts a task and reads its result", async () => {
	await using desk = await Desk.open();
	const agent = await desk.client();
	const operator = await desk.operator();
	const started = await agent.call("start_task", { title: "Greet", description: "say: hello from the task" });
	expect(started.facts).toMatchObject({ status: "pending", task_id: expect.stringMatching(/^task_/) });
	const { task_id, session_id } = started.facts;
	await operator.call("open_session", { session_id, after_seq: 0 });
	await operator.event("task.completed");
	expect((await agent.call("task_status", { task_id })).facts).toMatchObject({
		status: "completed",
		text: expect.stringContaining("hello from the task"),
	});
});

test("an answer to a sub-agent waits for the run that delegated", async () => {
	await using desk = await Desk.open();
	const agent = await desk.client();
	const first = await agent.call("ask", { message: "delegate: Meet <<< ask: What is your name?" });
	expect(first.facts).toMatchObject({ status: "waiting", waiting_for: [{ kind: "question" }] });
	const { run_id, waiting_for } = first.facts;
	const [{ question_id }] = waiting_for as [{ question_id: string }];
	const answered = await agent.call("answer", { question_id, answer: "Ada", wait_seconds: 20 });
	expect(answered.facts).toMatchObject({ status: "completed", run_id });
});

test("the state of a task has the approvals of its workers", async () => {
	await using desk = await Desk.open();
	const agent = await desk.client();
	const operator = await desk.operator();
	const description = "spawn: Copy <<< run: touch copy.txt\nwait: all";
	const started = await agent.call("start_task", { title: "Backup", description });
	const { task_id, session_id } = started.facts;
	await operator.call("open_session", { session_id, after_seq: 0 });
	const { token } = (await operator.event("prompt.request")).payload;
	const { facts } = await agent.call("task_status", { task_id });
	expect(facts).toMatchObject({
		waiting_for: [{ kind: "approval", text: expect.stringContaining("touch") }],
	});
	await operator.call("prompt_response", { token, value: true });
	const ended = async () => (await agent.call("task_status", { task_id })).facts;
	await expect.poll(ended, { timeout: paced(20_000) }).toMatchObject({ status: "completed" });
});

test("transcripts are resources in pages", async () => {
	const long = "x".repeat(40_000);
	const model = new ScriptedModel(...Array.from({ length: 30 }, (_, at) => [says(`${at} ${long}`)]));
	await using desk = await Desk.open({ model });
	const agent = await desk.client();
	const { session_id } = (await agent.call("ask", { message: "0" })).facts;
	for (let at = 1; at < 30; at++) await agent.call("ask", { message: `${at}`, session_id });
	const { resources } = await agent.client.listResources();
	expect(resources).toMatchObject([{ uri: `parley://sessions/${session_id}`, mimeType: "application/json" }]);
	const read: { role: string; text: string }[] = [];
	let uri: string | undefined = resources[0]?.uri;
	let pages = 0;
	while (uri !== undefined) {
		const { contents } = await agent.client.readResource({ uri });
		const text = String(Object(contents[0]).text);
		expect(text.length).toBeLessThan(300_000);
		const page = Object(parseJson(text));
		read.push(...page.messages);
		uri = page.next;
		pages++;
	}
	expect(pages).toBeGreaterThan(1);
	expect(read.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(
		Array.from({ length: 30 }, (_, at) => `${at}`),
	);
	expect(read.filter(({ role }) => role === "assistant").every(({ text }) => text.length < 17_000)).toBe(
		true,
	);
	for (const wrong of ["parley://sessions/sess_none", "parley://other", "file:///etc/passwd"]) {
		await expect(agent.client.readResource({ uri: wrong })).rejects.toThrow();
	}
});

test("an observer reads the sessions of its token, and other requests are refused with the reason", async () => {
	await using desk = await Desk.open();
	const operator = await desk.operator();
	const agent = await desk.client();
	const result = (await agent.call("ask", { message: "ask: What is your name?" })).facts;
	const hidden = (await agent.call("ask", { message: "say: secret plan" })).facts;
	const { session_id, run_id } = result;
	const created = await operator.call("create_token", {
		kind: "observer",
		name: "wall",
		sessions: [session_id],
	});
	const observer = await desk.client({ token: String(created["token"]) });
	for (const [tool, args] of [
		["ask", { message: "say: hi" }],
		["ask", { message: "say: hi", session_id }],
		["start_task", { title: "t", description: "say: hi" }],
	] as const) {
		const refused = await observer.call(tool, args);
		expect(refused).toMatchObject({
			isError: true,
			texts: [expect.stringContaining("an observer may only read")],
		});
	}
	const status = await observer.call("task_status", { session_id, run_id });
	expect(status.facts).toMatchObject({ status: "waiting", waiting_for: [{ kind: "question" }] });
	expect(JSON.stringify(status)).not.toContain("prompt_");
	const { resources } = await observer.client.listResources();
	expect(resources.map(({ uri }) => uri)).toEqual([`parley://sessions/${session_id}`]);
	await expect(
		observer.client.readResource({ uri: `parley://sessions/${hidden["session_id"]}` }),
	).rejects.toThrow("not found");
	const other = { session_id: hidden["session_id"], run_id: hidden["run_id"] };
	expect(await observer.call("task_status", other)).toMatchObject({ isError: true });
});
