import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, symlink, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import { createIds, systemClock } from "@parley/base";
import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { readProjectNotes } from "../agent/system-prompt/project-notes.ts";
import { copyToWorkspace } from "../files/workspace-copy.ts";
import { openRegular } from "../filesystem/regular-file.ts";
import { findProfileFile, readText } from "../policy/profiles/open-profiles.ts";
import { createUnsandboxed } from "../sandbox/commands/unsandboxed.ts";
import { createToolContext, createWorkplace } from "../testing/tool-context.ts";
import type { Tool, ToolContext } from "../vocabulary/tool.ts";
import { executeCall, prepareCall } from "./calls/tool-call.ts";
import { editFile } from "./files/edit-file.ts";
import { listFiles } from "./files/list-files.ts";
import { readFile as readFileTool } from "./files/read-file.ts";
import { searchFiles } from "./files/search-files.ts";
import { sendFile } from "./files/send-file.ts";
import { writeFile } from "./files/write-file.ts";

/** Text in all files outside the root, which identifies results from there. */
const SECRET = "outside-secret";

/** Python script that exchanges two names in a loop. The pauses give longer operations time to end. */
const swapper = `
import ctypes, random, sys, time
libc = ctypes.CDLL(None, use_errno=True)
a, b = (name.encode() for name in sys.argv[1:3])
print("ready", flush=True)
while True:
    if libc.renameat2(-100, a, -100, b, 2) != 0:
        sys.exit("renameat2 failed: errno %d" % ctypes.get_errno())
    time.sleep(random.random() * 0.001)
`;

/** Returns the text for a person or a model, or rejects if the operation is refused. */
type Operation = (race: Race) => Promise<string>;

/** A root in which `dir` alternates between a directory and a link to a directory outside. */
interface Race {
	readonly root: string;
	readonly outside: string;
	readonly context: ToolContext;
	round: number;
}

const operations: Readonly<Record<string, Operation>> = {
	"write a new file": ({ context, round }) =>
		call(writeFile, { path: `dir/new-${round % 7}.txt`, content: `round ${round}` }, context),
	"make directories": ({ context, round }) =>
		call(writeFile, { path: `dir/made-${round}/deep/file.txt`, content: "x" }, context),
	"replace a file": ({ context, round }) =>
		call(writeFile, { path: "dir/file.txt", content: `round ${round}` }, context),
	"edit a file": ({ context, round }) =>
		call(
			editFile,
			{ path: "dir/edited.txt", old_text: "a", new_text: `a${round % 10}`, occurrence: 1 },
			context,
		),
	"read a file": ({ context }) => call(readFileTool, { path: "dir/file.txt" }, context),
	"list files": ({ context }) => call(listFiles, { path: "dir" }, context),
	"search files": ({ context }) => call(searchFiles, { path: "dir", pattern: "." }, context),
	"send a file": ({ context }) => call(sendFile, { path: "dir/file.txt" }, context),
	"copy an attachment": ({ root, round }) =>
		copyToWorkspace(join(root, "dir"), { id: `f${round}`, name: "copy.txt" }, pieces(`round ${round % 3}`)),
	"read project notes": async ({ root }) => {
		const notes = await readProjectNotes(join(root, "dir"), [root]);
		if (/is not used/.test(notes)) throw new Error(notes);
		return notes;
	},
	"read an agent profile": async ({ root }) => {
		const file = await findProfileFile(root, "dir/file.txt", "file.txt");
		return file ? await readText(file, 10_000) : "";
	},
};

async function* pieces(text: string): AsyncGenerator<Buffer> {
	yield Buffer.from(text);
}

/**
 * Returns the text of the call's result. Rejects if the call is refused, or if it needs approval because the
 * path is outside the root.
 */
async function call(tool: Tool, args: object, context: ToolContext): Promise<string> {
	const prepared = await prepareCall([tool], { name: tool.name, arguments: args }, context);
	if (prepared.kind === "refused") throw new Error(prepared.text);
	if (prepared.plan.classes.some((name) => name.startsWith("outside"))) throw new Error("it leads outside");
	const { text, failed } = await executeCall(prepared, context);
	if (failed) throw new Error(text);
	return text;
}

interface Outcome {
	readonly done: number;
	readonly refused: number;
	/** Text from outside the root that was shown, and changes outside. Empty if the operation is safe. */
	readonly escapes: readonly string[];
}

/**
 * Repeats the operation while `dir` alternates. Ends after `durationMs` if the operation was both completed
 * and refused, otherwise after 30 s.
 */
async function race(operation: Operation, durationMs: number): Promise<Outcome> {
	await using place = await createWorkplace();
	const outside = join(place.path, "outside");
	const dir = join(place.cwd, "dir");
	await mkdir(dir);
	for (const name of ["file.txt", "edited.txt", "AGENTS.md"]) {
		await write(join(dir, name), "abc");
		await write(join(outside, name), `abc ${SECRET}`);
	}
	await write(join(outside, `${SECRET}.txt`), SECRET);
	await symlink(outside, join(place.cwd, "link"));
	const before = await contentsOf(outside);
	const shared: string[] = [];
	const context = createToolContext(place.cwd, {
		sandbox: createUnsandboxed({ environment: process.env, clock: systemClock, ids: createIds() }),
		share: async (path, name) => {
			await using file = await openRegular(path, path);
			shared.push((await file.readFile()).toString());
			return { id: "f", name, mediaType: "text/plain", bytes: 1, sha256: "", createdAt: 0 };
		},
	});
	const setting: Race = { root: place.cwd, outside, context, round: 0 };
	const { done, refused, shown } = await repeat(operation, setting, durationMs);
	const escapes = [...new Set([...shown, ...shared])].filter((text) => text.includes(SECRET));
	const after = await contentsOf(outside);
	if (after !== before) escapes.push(`changed outside: ${after}`);
	return { done, refused, escapes };
}

async function repeat(operation: Operation, setting: Race, durationMs: number) {
	const child = spawn("python3", ["-c", swapper, join(setting.root, "dir"), join(setting.root, "link")], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	await Promise.race([once(child.stdout, "data"), failed(child)]);
	const counts = { done: 0, refused: 0, shown: [] as string[] };
	const start = systemClock.monotonic();
	const isOver = (): boolean => {
		const elapsedMs = systemClock.monotonic() - start;
		// Both outcomes must occur, so that a race without exchanges does not pass.
		return elapsedMs > (counts.done > 0 && counts.refused > 0 ? durationMs : paced(30_000));
	};
	for (; !isOver(); setting.round++) {
		try {
			counts.shown.push(await operation(setting));
			counts.done += 1;
		} catch {
			counts.refused += 1;
		}
	}
	const isAlive = child.exitCode === null;
	child.kill("SIGKILL");
	if (!isAlive) throw new Error("the process that exchanges the names ended early: see its output");
	return counts;
}

async function failed(child: ChildProcess): Promise<never> {
	const [code] = await once(child, "exit");
	throw new Error(`the process that exchanges the names ended with ${code}`);
}

async function contentsOf(directory: string): Promise<string> {
	const names = (await readdir(directory, { recursive: true })).sort();
	const texts = names.map(
		async (name) => `${name}: ${await readFile(join(directory, name), "utf8").catch(() => "a directory")}`,
	);
	return (await Promise.all(texts)).join("\\n");
}

const isLarge = process.env["PARLEY_TEST_SCALE"] !== undefined;
const durationMs = isLarge ? 10_000 : 700;

// Only Linux has renameat2. Each test has its own directories and its own process, so the tests can run
// concurrently.
test.runIf(process.platform === "linux").for(Object.entries(operations))(
	"a directory that is replaced by a link leads no operation outside: %s",
	{ concurrent: true },
	async ([what, operation]) => {
		const { done, refused, escapes } = await race(operation, durationMs);
		if (isLarge)
			process.stdout.write(`${what}: ${done} done, ${refused} refused in ${durationMs / 1000} s\n`);
		expect(escapes).toEqual([]);
		expect(done).toBeGreaterThan(0);
		expect(refused).toBeGreaterThan(0);
	},
);
