import { globSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ManualClock, seededIds } from "@parley/base/testing";
import {
	builtinTools,
	createOfflineModel,
	createSearchProvider,
	createWebFetch,
	createWebSearch,
	offlineHelp,
} from "@parley/core";
import { EventLog, ScriptedModel, says, TestRuntime, unkeyed } from "@parley/core/testing";
import { expect, test } from "vitest";
import { definedTools } from "./defined-tools.ts";

/** The request that `model-request.test.ts` writes, for a session without skills. */
const plain = readFileSync(
	new URL("../../packages/core/src/agent/model-request.golden.md", import.meta.url),
	"utf8",
);

const reviewHint =
	"review the change of the request, then run " +
	"`vitest run test/context/tool-requests.test.ts packages/core/src/agent/model-request.test.ts --update`";

function toolsOfModels(): string[] {
	// Only the operator's `/undo` calls `undo_changes`, without a model.
	return definedTools().filter((name) => name !== "undo_changes");
}

function namesIn(golden: string): string[] {
	return [...golden.matchAll(/^# tool (\S+)$/gm)].map(([, name = ""]) => name);
}

async function toolsSent() {
	const clock = new ManualClock();
	const model = new ScriptedModel([says("done")], [says("done")]);
	const provider = createSearchProvider({ provider: "searxng", url: "http://127.0.0.1:9" }, clock);
	const ids = seededIds(1);
	const web = [createWebFetch({ clock, ids }), createWebSearch({ provider, ids })];
	const tools = [...builtinTools(), ...web];
	await using t = await TestRuntime.open({ model, tools, clock });
	await mkdir(join(t.directory, "data", "skills"), { recursive: true });
	await writeFile(join(t.directory, "data", "skills", "dig.md"), "---\ndescription: Digs\n---\nDig.");
	await t.runtime.start();
	const home = await t.create();
	const log = await EventLog.join(t.runtime, home, { afterSeq: 0 });
	await t.send(home, "dig");
	await log.next("assistant.message");
	await t.runtime.tasks.submit(unkeyed(), home, { title: "Dig", description: "go" });
	await log.next("task.completed");
	return model.requests.flatMap(({ tools }) => tools);
}

test("tools that a plain session lacks are sent as reviewed, and together these are all tools", async () => {
	const known = namesIn(plain);
	const others = (await toolsSent()).filter(({ name }) => !known.includes(name));
	const golden = others
		.map(({ name, description, parameters }) =>
			[`# tool ${name}`, description, JSON.stringify(parameters, null, 2)].join("\n\n"),
		)
		.join("\n\n");
	await expect(`${golden}\n`, reviewHint).toMatchFileSnapshot("./tool-requests.golden.md");
	expect([...known, ...others.map(({ name }) => name)].sort(), reviewHint).toEqual(toolsOfModels().sort());
});

async function calledFor(example: string): Promise<string | undefined> {
	const model = createOfflineModel({ clock: new ManualClock() });
	const tools = [{ name: "any", description: "Any.", parameters: {} }];
	const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: example }] }];
	const request = { model: "offline", system: "", messages, tools, maxTokens: 1_000 };
	for await (const event of model.stream(request, new AbortController().signal))
		if (event.type === "call") return event.name;
	return undefined;
}

test("the help of the offline model has an example that calls each tool", async () => {
	const examples = [...offlineHelp.matchAll(/^ {2}((?!fail|long)[a-z]+: .*?) {2,}\S/gm)];
	const called = await Promise.all(examples.map(([, example = ""]) => calledFor(example)));
	const missing = toolsOfModels().filter((name) => !called.includes(name));
	expect(missing, "add a word to packages/core/src/models/offline/grammar.ts and texts.ts").toEqual([]);
});

test("each tool has a test that names it", () => {
	const root = new URL("../../", import.meta.url);
	const sources = globSync("packages/core/src/**/*.test.ts", { cwd: root }).map((path) =>
		readFileSync(new URL(path, root), "utf8"),
	);
	const isTested = (name: string): boolean => {
		const variable = name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
		// A name of one word, for example `skill`, is also a common word. Such a name must follow `name:` or be an
		// argument of a call.
		const quoted = name.includes("_") ? `"${name}"` : `(?:prepare|call|plan|run|name:)\\(? ?"${name}"`;
		const mention = new RegExp(`${quoted}|\\b${variable}\\.(?:plan|run)\\b|\\(${variable}[,)]`);
		return sources.some((source) => mention.test(source));
	};
	const missing = definedTools().filter((name) => !isTested(name));
	expect(missing, "test the plan, the run and the limits of the tool beside its source").toEqual([]);
	expect(isTested("no_such_tool")).toBe(false);
});
