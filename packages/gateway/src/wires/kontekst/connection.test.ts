import { silentLogger } from "@parley/base";
import { operator } from "@parley/core";
import { calls, ScriptedModel, TestRuntime } from "@parley/core/testing";
import { expect, test } from "vitest";
import type { RunEvent } from "../../gen/kontekst.ts";
import { RunStream } from "./connection.ts";

/** Opens a stream. `seen` resolves with the next event of a kind. */
function openStream(t: TestRuntime) {
	const waiting = new Map<string, (event: RunEvent) => void>();
	const events: string[] = [];
	const stream = new RunStream({
		runtime: t.runtime,
		principal: operator,
		log: silentLogger,
		redactor: { redact: (text) => text },
		send: (event) => {
			const kind = event.event?.$case ?? "";
			events.push(kind);
			waiting.get(kind)?.(event);
		},
		finished: () => events.push("(finished)"),
	});
	const seen = (kind: string) => new Promise<RunEvent>((resolve) => waiting.set(kind, resolve));
	const start = { prompt: "write", sessionId: "", agentName: "", workingDir: "", skill: undefined };
	return { stream, events, seen, begin: () => stream.receive({ command: { $case: "start", value: start } }) };
}

const write = calls("call_a", "write_file", { path: "a.txt", content: "one" });

test("a muted stream ignores decisions and starts", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([write]) });
	const { stream, events, seen, begin } = openStream(t);
	const proposed = seen("toolsProposed");
	begin();
	await proposed;
	stream.stopOutput();
	stream.receive({ command: { $case: "approveTool", value: { callId: "call_a" } } });
	begin();
	const ended = seen("cancelled");
	stream.close();
	await ended;
	expect(events.slice(-2)).toEqual(["cancelled", "(finished)"]);
	expect(events).not.toContain("toolStarted");
	expect(events).not.toContain("failed");
});

test("a run is cancelled when its session is deleted", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([write]) });
	const { events, seen, begin } = openStream(t);
	const [started, proposed] = [seen("started"), seen("toolsProposed")];
	begin();
	const { event } = await started;
	await proposed;
	const session = event?.$case === "started" ? event.value.sessionId : "";
	const request = { principal: operator, key: undefined, method: "delete", params: undefined };
	const cancelled = seen("cancelled");
	await t.runtime.remove(request, session, true);
	await cancelled;
	expect(events.slice(-2)).toEqual(["toolsCompleted", "cancelled"]);
});
