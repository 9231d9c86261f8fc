import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ParleyError, silentLogger, systemClock } from "@parley/base";
import { prepareCall, type ReadyCall } from "../tools/calls/tool-call.ts";
import { checkMemory } from "../vocabulary/memory.ts";
import type { Sandbox } from "../vocabulary/sandbox.ts";
import { progressOf } from "../vocabulary/task.ts";
import type { Tool, ToolContext } from "../vocabulary/tool.ts";

/** Creates a directory and returns its real path. Disposing deletes the directory with its content. */
export async function createDirectory(
	parent = tmpdir(),
): Promise<{ readonly path: string } & AsyncDisposable> {
	const path = await realpath(await mkdtemp(join(parent, "parley-test-")));
	return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Creates a directory with `work`, the working directory of tools (`cwd`), and `outside`, which is not in a root. */
export async function createWorkplace(): Promise<
	{ readonly path: string; readonly cwd: string } & AsyncDisposable
> {
	const directory = await createDirectory();
	const cwd = join(directory.path, "work");
	for (const path of [cwd, join(directory.path, "outside")]) await mkdir(path);
	return { ...directory, cwd };
}

/** Prepares a tool call. If the call is refused, throws an error with the text for the model. */
export async function readyCall(tool: Tool, args: object, where: ToolContext): Promise<ReadyCall> {
	const prepared = await prepareCall([tool], { name: tool.name, arguments: args }, where);
	if (prepared.kind === "refused") throw new Error(prepared.text);
	return prepared;
}

const unimplemented = () =>
	Promise.reject(new ParleyError("no notes in this test", { code: "unimplemented" }));

const noSchedules = () =>
	Promise.reject(new ParleyError("no schedules in this test", { code: "unimplemented" }));

const noBackground = () =>
	Promise.reject(new ParleyError("no background in this test", { code: "unimplemented" }));

const noSandbox: Sandbox = {
	mode: "off",
	profile: "off",
	environment: {},
	network: undefined,
	run: () => Promise.reject(new ParleyError("no command runs in this test", { code: "unimplemented" })),
};

/** Returns the context of a tool call in `cwd`. By default, no person answers questions and no command runs. */
export function createToolContext(cwd: string, fields: Partial<ToolContext> = {}): ToolContext {
	return {
		sessionId: "sess_1",
		callId: "call_1",
		roots: [cwd],
		cwd,
		forbidden: [],
		sandbox: noSandbox,
		signal: new AbortController().signal,
		clock: systemClock,
		log: silentLogger,
		progress: () => undefined,
		ask: () => Promise.resolve({ outcome: "expired" }),
		redact: (text) => text,
		reply: () => Promise.reject(new ParleyError("no model in this test", { code: "unimplemented" })),
		openOutput: (name) => Promise.reject(new ParleyError(`no result ${name}`, { code: "not_found" })),
		share: () =>
			Promise.reject(new ParleyError("nobody takes files in this test", { code: "unimplemented" })),
		delegation: {
			check: () => Promise.resolve({ leavesProvider: false }),
			run: () => Promise.reject(new ParleyError("no sub-agents in this test", { code: "unimplemented" })),
		},
		background: {
			check: () => undefined,
			start: noBackground,
			output: noBackground,
			stop: noBackground,
		},
		changes: { begin: async () => undefined, end: async () => undefined },
		memories: {
			inChat: false,
			check: checkMemory,
			store: unimplemented,
			find: unimplemented,
			deletable: unimplemented,
			forget: unimplemented,
		},
		schedules: {
			check: async () => undefined,
			create: noSchedules,
			list: noSchedules,
			removable: noSchedules,
			remove: noSchedules,
		},
		todo: (steps) => Promise.resolve(progressOf("", steps, false)),
		workflow: () =>
			Promise.reject(new ParleyError("no workflow runs in this test", { code: "unimplemented" })),
		skill: ({ name }) => Promise.reject(new ParleyError(`no skill ${name}`, { code: "not_found" })),
		...fields,
	};
}
