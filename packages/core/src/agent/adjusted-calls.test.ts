import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { builtinTools } from "../tools/builtin.ts";
import { operator } from "../vocabulary/principal.ts";

test("approval, hash, events and audit contain the normal form of a call, and its result lists the adjustments", async () => {
	const written = { command: "echo hi", timeout: 30, description: "Greets" };
	const model = new ScriptedModel([calls("c1", "Bash", written)], [says("done")]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	const expected = { cmd: "echo hi", timeout_ms: 30_000 };
	expect(prompt.approval).toMatchObject({ tool: "run_command", arguments: expected });
	await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await log.next("assistant.message");
	log.check();
	const events = log.events.map(({ event }) => event);
	expect(events.find(({ type }) => type === "tool.started")).toMatchObject({
		name: "run_command",
		arguments: expected,
	});
	expect(events.find(({ type }) => type === "model.replied")).toMatchObject({
		content: [{ name: "run_command", arguments: expected }],
	});
	const note =
		'[the call was adjusted: the tool is "run_command", not "Bash"; "command" is read as "cmd"; ' +
		'"timeout_ms" 30 is read as 30000; "timeout" is read as "timeout_ms"; "description" has no effect]';
	expect(events.find(({ type }) => type === "tool.completed")).toMatchObject({ result: `hi\n${note}` });
	expect(model.requests[1]?.messages.slice(-2)).toMatchObject([
		{ content: [{ type: "call", name: "run_command", arguments: expected }] },
		{ content: [{ type: "result", text: `hi\n${note}` }] },
	]);
	const rows = await t.runtime.trust.auditLog.read(operator, { limit: 100 });
	const started = rows.find(({ action }) => action === "tool.start");
	expect(parseJson(started?.args ?? "")).toMatchObject({ tool: "run_command", arguments: expected });
});

test("a call is refused if the JSON text of an argument has a key twice, and the result names the key", async () => {
	const secrets = '{"TOKEN":"secret:one","TOKEN":"secret:two"}';
	const model = new ScriptedModel([calls("c1", "run_command", { cmd: "ls", secrets })], [says("done")]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await expect(log.next("tool.failed")).resolves.toMatchObject({
		name: "run_command",
		error: expect.stringContaining('the JSON text in "secrets" has the key "TOKEN" twice in one object'),
	});
	await log.next("assistant.message");
});

test("arguments from an approver are normalised too", async () => {
	const model = new ScriptedModel([calls("c1", "run_command", { cmd: "echo no" })], [says("done")]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, {
		value: true,
		arguments: { command: "echo yes", timeout: 5 },
	});
	await expect(log.next("tool.completed")).resolves.toMatchObject({
		result:
			'[the person who approved this changed the arguments to {"cmd":"echo yes","timeout_ms":5000}]\nyes\n',
	});
	await log.next("assistant.message");
});

test("an unknown tool name is refused, also if it resembles another name", async () => {
	const model = new ScriptedModel(
		[calls("c1", "Bash", { command: "touch made" }), calls("c2", "Read", { file_path: "a.txt" })],
		[says("done")],
	);
	const tools = builtinTools().filter(({ name }) => name === "read_file");
	await using t = await TestRuntime.open({ model, tools });
	await writeFile(join(t.directory, "work/a.txt"), "text\n");
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await expect(log.next("tool.failed")).resolves.toMatchObject({
		name: "Bash",
		error: 'the tool "Bash" does not exist or is not allowed here; available: read_file',
	});
	await expect(log.next("tool.completed")).resolves.toMatchObject({
		name: "read_file",
		result: expect.stringContaining("text\n"),
	});
	await log.next("assistant.message");
});

test("an ambiguous name or argument is refused with the valid names, and no tool runs", async () => {
	const model = new ScriptedModel(
		[
			calls("c1", "read_file", { path: "a", file_path: "b" }),
			calls("c2", "read_file", { where: "a" }),
			calls("c3", "run_command", { cmd: "true", timeout_ms: "soon" }),
		],
		[says("done")],
	);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await log.next("assistant.message");
	const errors = log.events.flatMap(({ event }) => (event.type === "tool.failed" ? [event.error] : []));
	expect(errors).toEqual([
		'invalid arguments of read_file: "path" and "file_path" are the same argument and have different values: give only "path"',
		'invalid arguments of read_file: path: expected string, received undefined; unknown argument "where"; allowed: path, offset, column, limit',
		"invalid arguments of run_command: timeout_ms: expected number, received string",
	]);
});
