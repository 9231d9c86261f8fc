import { join } from "node:path";
import { fixedSource, type McpServerSettings, operator } from "@parley/core";
import {
	calls,
	EventLog,
	ScriptedModel,
	type ScriptedReply,
	says,
	TestRuntime,
	type TestRuntimeOptions,
	unkeyed,
} from "@parley/core/testing";

const program = join(import.meta.dirname, "scripted-server.ts");

/** Returns the settings of the scripted server with these `faults`. */
export function scripted(
	faults: readonly string[] = [],
	more: Partial<McpServerSettings> = {},
): McpServerSettings {
	return settingsOf("scripted", [program, ...faults], more);
}

/** Returns the settings of a server program that Node runs. */
export function settingsOf(
	name: string,
	args: readonly string[],
	more: Partial<McpServerSettings> = {},
): McpServerSettings {
	const nothing = { environment: {}, secrets: [], read: [], write: [], hosts: [] };
	return { name, command: process.execPath, args, ...nothing, timeoutMs: 30_000, ...more };
}

export interface McpScene extends AsyncDisposable {
	readonly t: TestRuntime;
	readonly model: ScriptedModel;
	readonly session: string;
	readonly log: EventLog;
}

export async function openScene(
	servers: readonly McpServerSettings[],
	replies: readonly ScriptedReply[],
	options: Partial<TestRuntimeOptions> = {},
): Promise<McpScene> {
	const model = new ScriptedModel(...replies);
	const t = await TestRuntime.open({
		model,
		mcp: { source: fixedSource(servers), version: "1" },
		...options,
	});
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	return { t, model, session, log, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

/** Returns model replies that call one tool, and then end. */
export function callsOnce(name: string, args: unknown): readonly ScriptedReply[] {
	return [[calls("c1", name, args)], [says("done")]];
}

/** Returns the tool results in the last message of the last model request. */
export function resultsIn({ requests }: ScriptedModel): string[] {
	const last = requests.at(-1)?.messages.at(-1);
	return last?.role === "tool"
		? last.content.map(({ text, failed }) => (failed ? `failed: ${text}` : text))
		: [];
}

/** Answers the next prompt, by default with an approval. Returns the prompt. */
export async function answer({ t, log }: McpScene, value: unknown = true) {
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, { value });
	return prompt;
}

/** Trusts all tools, and sends a message. Returns the tool results in the last model request. */
export async function outcomeOf(s: McpScene): Promise<string> {
	await s.t.runtime.acceptAll(unkeyed(operator), s.session);
	await s.t.send(s.session, "go");
	await s.log.next("assistant.message");
	return resultsIn(s.model).join("\n");
}
