import { writeFile } from "node:fs/promises";
import { machine, release, type } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { createOfflineModel } from "../models/offline/offline-model.ts";
import { EventLog } from "../testing/event-log.ts";
import { TestRuntime } from "../testing/test-runtime.ts";
import type { ModelRequest } from "../vocabulary/model.ts";

/** Returns the request as a text that is the same on every machine. */
function shown({ model, system, messages, tools }: ModelRequest, directory: string): string {
	const parts = [
		`# model\n\n${model}`,
		`# system\n\n${system}`,
		...tools.map((tool) => `# tool ${tool.name}\n\n${tool.description}\n\n${pretty(tool.parameters)}`),
		`# messages\n\n${pretty(messages)}`,
	];
	return `${parts.join("\n\n")}\n`
		.replaceAll(directory, "/home/ada")
		.replaceAll(`${type()} ${release()} (${machine()})`, "Linux 6.12.0 (x86_64)");
}

function pretty(value: unknown): string {
	return JSON.stringify(value, null, 2);
}

test("the request in the second run of a session equals the reviewed text, byte for byte", async () => {
	const offline = createOfflineModel({ clock: new ManualClock() });
	const requests: ModelRequest[] = [];
	const model = {
		...offline,
		stream(request: ModelRequest, signal: AbortSignal) {
			requests.push(request);
			return offline.stream(request, signal);
		},
	};
	await using t = await TestRuntime.open({ model, systemTemplate: "built-in" });
	await writeFile(join(t.directory, "work", "AGENTS.md"), "Water before noon.\n");
	await writeFile(join(t.directory, "work", "beans.txt"), "runner\nbroad\n");
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "think: first the beans\nsay: I look\nread: beans.txt\n& read: peas.txt");
	await log.next("assistant.message");
	await t.send(session, "thank you");
	await log.next("assistant.message");
	const [first, , last] = requests;
	expect(requests).toHaveLength(3);
	expect(first?.system).toBe(last?.system);
	expect(last?.tools).toBe(first?.tools);
	await expect(last ? shown(last, t.directory) : "").toMatchFileSnapshot("./model-request.golden.md");
});
