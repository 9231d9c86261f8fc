import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);

test("the output of a call is reported between its start and its end, and the rest of a line just before the end", async () => {
	const secret = "correct-horse-battery";
	const redactor = new Redactor();
	redactor.add(secret);
	const probe = probeTool("probe", {
		run: async ({ progress }) => {
			progress(bytes(`one ${secret.slice(0, 9)}`));
			progress(bytes(`${secret.slice(9)}\ntwo`));
			return "done";
		},
	});
	const model = new ScriptedModel([calls("c1", "probe")], [says("ok")]);
	await using t = await TestRuntime.open({ model, redactor, tools: [probe] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const runId = await t.send(session, "go");
	await log.next("assistant.message");
	log.check();
	const ofCall = log.events.flatMap(({ event }) =>
		event.type.startsWith("tool.") && event.type !== "tool.running" ? [event] : [],
	);
	expect(ofCall).toMatchObject([
		{ type: "tool.started" },
		{ type: "tool.progress", runId, callId: "c1", text: "one [redacted]\ntwo" },
		{ type: "tool.completed", result: "done" },
	]);
});

test("output after the end of a tool is ignored", async () => {
	let later: ((chunk: Uint8Array) => void) | undefined;
	const probe = probeTool("probe", {
		run: async ({ progress }) => {
			later = progress;
			return "done";
		},
	});
	const model = new ScriptedModel([calls("c1", "probe")], [says("ok")]);
	await using t = await TestRuntime.open({ model, tools: [probe] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await log.next("assistant.message");
	later?.(bytes("late\n"));
	expect(log.events.map(({ event }) => event.type)).not.toContain("tool.progress");
	log.check();
});

test("the output of a command is reported while it runs", async () => {
	const cmd = "echo first; read -r line < gate; echo second";
	const model = new ScriptedModel([calls("c1", "run_command", { cmd: `mkfifo gate; ${cmd}` })], [says("ok")]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	await t.runtime.acceptAll(unkeyed(), session);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await expect(log.next("tool.progress")).resolves.toMatchObject({ callId: "c1", text: "first\n" });
	expect(log.recorded).not.toContain("tool.completed");
	t.clock.advance(1_000);
	await writeFile(join(t.directory, "work", "gate"), "go\n");
	await expect(log.next("tool.progress")).resolves.toMatchObject({ text: "second\n" });
	await expect(log.next("tool.completed")).resolves.toMatchObject({
		result: expect.stringContaining("first\nsecond\n"),
	});
	await log.next("assistant.message");
	log.check();
});
