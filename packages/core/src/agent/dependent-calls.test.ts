import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import type { ModelEvent } from "../vocabulary/model.ts";

const edit = (id: string, old_text: string, new_text: string, path = "e.txt"): ModelEvent =>
	calls(id, "edit_file", { path, old_text, new_text });
const write = (id: string, content: string, path = "e.txt"): ModelEvent =>
	calls(id, "write_file", { path, content });

async function working(stack: AsyncDisposableStack, reply: readonly ModelEvent[]) {
	const model = new ScriptedModel([...reply], [says("done")]);
	const t = stack.use(await TestRuntime.open({ model }));
	const path = join(t.directory, "work", "e.txt");
	await writeFile(path, "one\ntwo\n");
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const results = (): unknown => model.requests[1]?.messages.at(-1)?.content;
	return { t, model, session, log, results, content: () => readFile(path, "utf8") };
}

test.for<[what: string, reply: readonly ModelEvent[], content: string]>([
	["two edits", [edit("a", "one", "1"), edit("b", "two", "2")], "1\n2\n"],
	[
		"an edit of the text that the previous edit wrote",
		[edit("a", "one", "ONE"), edit("b", "ONE", "1")],
		"1\ntwo\n",
	],
	["three edits", [edit("a", "one", "1"), edit("b", "1", "2"), edit("c", "2\n", "3\n")], "3\ntwo\n"],
	["two writes", [write("a", "x"), write("b", "y")], "y"],
	[
		"a command, then an edit",
		[calls("a", "run_command", { cmd: "echo 9 > e.txt" }), edit("b", "9", "8")],
		"8\n",
	],
	[
		"an edit after a read-only call",
		[edit("a", "one", "1"), calls("b", "read_file", { path: "e.txt" }), edit("c", "1", "2")],
		"2\ntwo\n",
	],
])("without approvals a call uses the results of the calls before it: %s", async ([, reply, content]) => {
	await using stack = new AsyncDisposableStack();
	const w = await working(stack, reply);
	await w.t.runtime.acceptAll(unkeyed(), w.session);
	await w.t.send(w.session, "go");
	await w.log.next("assistant.message");
	expect(w.results()).toMatchObject(reply.map((call) => ({ callId: Object(call).id, failed: false })));
	expect(await w.content()).toBe(content);
	w.log.check();
});

test("a file that a call of the same reply creates can be edited and read in it, and failures occur in order", async () => {
	await using stack = new AsyncDisposableStack();
	const reply = [
		write("a", "fresh\n", "new.txt"),
		edit("b", "fresh", "better", "new.txt"),
		calls("c", "read_file", { path: "new.txt" }),
		edit("d", "nowhere", "x", "new.txt"),
		calls("e", "read_file", { path: "missing.txt" }),
	];
	const w = await working(stack, reply);
	await w.t.runtime.acceptAll(unkeyed(), w.session);
	await w.t.send(w.session, "go");
	await w.log.next("assistant.message");
	expect(w.results()).toMatchObject([
		{ callId: "a", failed: false },
		{ callId: "b", failed: false },
		{ callId: "c", failed: false, text: expect.stringContaining("better") },
		{ callId: "d", failed: true },
		{ callId: "e", failed: true, text: expect.stringContaining("missing.txt") },
	]);
	w.log.check();
});

test("the second of two changes to one file needs approval after the first has run, and its preview shows that", async () => {
	await using stack = new AsyncDisposableStack();
	const reply = [
		write("a", "x", "other.txt"),
		edit("b", "one", "1"),
		edit("c", "two", "2"),
		write("d", "y", "last.txt"),
	];
	const w = await working(stack, reply);
	await w.t.send(w.session, "go");
	const contents: string[] = [];
	const previews: (string | undefined)[] = [];
	for (const call of reply) {
		const { prompt } = await w.log.next("prompt.requested");
		expect(prompt.approval?.callId).toBe(Object(call).id);
		contents.push(await w.content());
		previews.push(prompt.approval?.preview);
		await w.t.runtime.answer(unkeyed(), prompt.token, { value: true });
	}
	await w.log.next("assistant.message");
	expect(contents.slice(0, 3)).toEqual(["one\ntwo\n", "one\ntwo\n", "1\ntwo\n"]);
	expect(previews[2]).toContain(" 1\n-two\n+2");
	expect(w.results()).toMatchObject(reply.map((call) => ({ callId: Object(call).id, failed: false })));
	w.log.check();
});

test("a command needs its approval after the calls before it have changed its bound files", async () => {
	await using stack = new AsyncDisposableStack();
	const reply = [
		calls("a", "run_command", { cmd: "echo 'cat e.txt' > run.sh" }),
		edit("b", "one", "1"),
		calls("c", "run_command", { cmd: "sh run.sh" }),
	];
	const w = await working(stack, reply);
	await w.t.send(w.session, "go");
	const contents: string[] = [];
	for (const call of reply) {
		const { prompt } = await w.log.next("prompt.requested");
		expect(prompt.approval?.callId).toBe(Object(call).id);
		contents.push(await w.content());
		await w.t.runtime.answer(unkeyed(), prompt.token, { value: true });
	}
	await w.log.next("assistant.message");
	expect(contents).toEqual(["one\ntwo\n", "one\ntwo\n", "1\ntwo\n"]);
	expect(w.results()).toMatchObject([
		{ failed: false },
		{ failed: false },
		{ failed: false, text: "1\ntwo\n" },
	]);
	w.log.check();
});

test("a file that another process changed after the approval is not overwritten", async () => {
	await using stack = new AsyncDisposableStack();
	const w = await working(stack, [edit("a", "one", "1")]);
	await w.t.send(w.session, "go");
	const { prompt } = await w.log.next("prompt.requested");
	await writeFile(join(w.t.directory, "work", "e.txt"), "one\nthree\n");
	await w.t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await w.log.next("assistant.message");
	expect(w.results()).toMatchObject([
		{ failed: true, text: expect.stringContaining("changed since it was approved") },
	]);
	expect(await w.content()).toBe("one\nthree\n");
});

test("invalid arguments are refused before any call runs", async () => {
	let ran = 0;
	const binding = () => ({ path: "/the/same" });
	const tool = probeTool("act", { classes: ["write"], binding, run: async () => `${++ran}` });
	const model = new ScriptedModel(
		[calls("a", "act"), calls("b", "act"), calls("c", "nothing")],
		[says("done")],
	);
	await using t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const first = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), first.prompt.token, { value: true });
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await log.next("assistant.message");
	const ends = log.recorded.filter((type) => type === "tool.failed" || type === "tool.completed");
	expect(ends).toEqual(["tool.failed", "tool.completed", "tool.completed"]);
	expect(ran).toBe(2);
	log.check();
});
