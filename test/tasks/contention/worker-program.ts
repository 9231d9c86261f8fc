import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createIds, createLogger, noFailpoints, Redactor } from "@parley/base";
import { openPostgresStore } from "@parley/base/testing";
import {
	defineTool,
	type Model,
	type ModelEvent,
	migrations,
	operator,
	Runtime,
	SecretBox,
	type Tables,
} from "@parley/core";
import { noSandboxes } from "@parley/core/testing";
import * as z from "zod";
import { fastClock } from "./fast-clock.ts";

/**
 * Program of a `WorkerProcess`: a runtime that shares its database with other processes. Each task except a parent
 * calls the tool `mark` once. This tool writes a line into a file. If the title of a task starts with `hold`, the
 * model of the task prints a line and then waits for a line on stdin.
 */
const [connection = "", directory = "", epoch = ""] = process.argv.slice(2);
const writeLine = (...words: readonly string[]): boolean => process.stdout.write(`${words.join(" ")}\n`);
const lines = createInterface(process.stdin)[Symbol.asyncIterator]();

const mark = defineTool({
	name: "mark",
	description: "Writes a line.",
	parameters: () => z.strictObject({ title: z.string() }),
	effect: "effectful",
	plan: async () => ({ label: "mark", classes: ["read"], preview: "", binding: {}, notes: [] }),
	async run({ title }) {
		appendFileSync(join(directory, "marks"), `${title}\n`);
		return { text: "marked", failed: false };
	},
});

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

const model: Model = {
	provider: "marking",
	defaultModel: "marking",
	async *stream({ messages }): AsyncGenerator<ModelEvent> {
		const end = { type: "end", usage, model: "marking" } as const;
		const [first] = messages;
		const [block] = first?.content ?? [];
		const [title = ""] = (block?.type === "text" ? block.text : "").split("\n");
		const replies = messages.filter(({ role }) => role === "assistant").length;
		const next = title.startsWith("parent") ? callsOfParent(title, replies) : [];
		if (next.length > 0) {
			for (const [index, { name, args }] of next.entries())
				yield { type: "call", id: `call-${replies}-${index}`, name, arguments: args };
			yield { ...end, stop: "tool_use" };
			return;
		}
		if (messages.at(-1)?.role === "tool") {
			yield { type: "text", text: "done" };
			yield { ...end, stop: "end_turn" };
			return;
		}
		writeLine("asked", title);
		if (title.startsWith("hold")) await lines.next();
		yield { type: "call", id: "mark-1", name: "mark", arguments: { title } };
		yield { ...end, stop: "tool_use" };
	},
};

function callsOfParent(
	title: string,
	replies: number,
): readonly { readonly name: string; readonly args: object }[] {
	const worker = (which: string) => ({
		name: "spawn_worker",
		args: { title: `${which} of ${title}`, description: "mark it", tools: ["mark"] },
	});
	if (replies === 0) return [worker("left"), worker("right")];
	return replies === 1 ? [{ name: "wait_for_workers", args: {} }] : [];
}

const clock = fastClock(Number(epoch));
const dataDir = join(directory, `data-${process.pid}`);
mkdirSync(dataDir);
const redactor = new Redactor();
const log = createLogger({
	level: "warn",
	redactor,
	destination: { write: (line: string) => writeLine("log", line.trim()) },
});
const runtime = new Runtime({
	...{ clock, redactor, model, tools: [mark], failpoints: noFailpoints, ids: createIds(), shared: true },
	store: await openPostgresStore<Tables>({ connection, migrations, log }),
	log,
	sandbox: noSandboxes(clock),
	secrets: new SecretBox(Buffer.alloc(32, 1)),
	roots: { given: [], current: directory, dataDir },
});
runtime.observe(operator, ({ event }) => {
	if (event.type === "task.completed" || event.type === "task.started") writeLine(event.type, event.taskId);
});
await runtime.start();
writeLine("ready");
