import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, silentLogger, systemClock } from "@parley/base";
import { paced } from "@parley/base/testing";
import { createSandboxes } from "@parley/core";
import { hasBubblewrap, shellCommand } from "@parley/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

let temporary: string;
let root: string;
beforeAll(async () => {
	temporary = await realpath(await mkdtemp(join(tmpdir(), "parley-runtimes-")));
	root = join(temporary, "root");
	await mkdir(root);
	const java = 'public class Main { public static void main(String[] a) { System.out.println("it runs"); } }';
	await writeFile(join(root, "Main.java"), java);
	await writeFile(join(root, "package.json"), '{ "scripts": { "say": "echo it runs" } }');
});
afterAll(() => rm(temporary, { recursive: true }));

const workers = `
const { Worker } = require("node:worker_threads");
const { fork } = require("node:child_process");
let left = 3;
const said = () => { if (--left === 0) { console.log("it runs"); process.exit(); } };
for (const _ of [1, 2]) new Worker('require("node:worker_threads").parentPort.postMessage(1)', { eval: true }).on("message", said);
if (process.argv[2] !== "child") fork("workers.js", ["child"]).on("message", said);
else process.send("ready", () => process.exit());
`;
const pool =
	"import multiprocessing as m; print('it runs' if m.get_context('fork').Pool(2).map(abs, [-1]) == [1] else '')";

/** Programs, each with a line that prints `it runs` if the program works. */
const runtimes: readonly (readonly [program: string, line: string])[] = [
	["node", `node workers.js`],
	["python3", `python3 -c "${pool}"`],
	["java", "java Main.java"],
	["go", "go version >/dev/null && echo it runs"],
	["cargo", "cargo --version >/dev/null && rustc --version >/dev/null && echo it runs"],
	["npm", "npm run --silent say"],
	["git", "git init -q repo && git -C repo status >/dev/null && echo it runs"],
	// Debuggers that start their target themselves.
	["strace", "strace -f -o trace sh -c 'echo it runs' && grep -q execve trace"],
	["gdb", "gdb -batch -ex run --args echo it runs"],
];

const environment = { PATH: process.env["PATH"], HOME: process.env["HOME"] };
/** Sandboxes that all tests share, because the capability checks run once. */
const sandboxes = createSandboxes({
	...{ mode: "required", environment, hidden: [] },
	...{ clock: systemClock, ids: createIds(), log: silentLogger },
});

for (const [program, line] of runtimes) {
	const isInstalled = spawnSync(program, ["--version"]).error === undefined;
	test.skipIf(!hasBubblewrap || !isInstalled)(
		`${program} works in the sandbox${isInstalled ? "" : " (it is not installed)"}`,
		async () => {
			if (program === "node") await writeFile(join(root, "workers.js"), workers);
			const where = await sandboxes.of({ chat: false, roots: [root] });
			const timeoutMs = paced(60_000);
			const { output, code } = await where.run(shellCommand(line, root, { timeoutMs }));
			expect(output).toContain("it runs");
			expect(code, output).toBe(0);
		},
		paced(70_000),
	);
}
