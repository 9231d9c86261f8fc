import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { node20, npmSettings, systemPath } from "../packages/packed.ts";
import { markedBlocks } from "./blocks.ts";
import { freshCopy } from "./fresh-copy.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const blocks = markedBlocks(readFileSync(join(root, "README.md"), "utf8"));

const stage = mkdtempSync(join(tmpdir(), "parley-readme-"));
const clone = join(stage, "parley");
const home = join(stage, "home");
const programs = join(stage, "programs");

/** Environment of a new user's shell, with an empty home directory. */
const env = {
	PARLEY_SANDBOX: "off",
	// `npm start` installs the command in the first directory. The Node binary in this PATH is too old for the command
	// itself.
	PATH: [join(home, ".local/bin"), programs, ...systemPath].join(delimiter),
	HOME: home,
	TMPDIR: tmpdir(),
	PARLEY_LISTEN: "127.0.0.1:0",
	npm_config_update_notifier: "false",
};

type Gateway = ChildProcessByStdio<null, Readable, Readable> & { readonly ended: Promise<unknown[]> };
const gateways: Gateway[] = [];

beforeAll(async () => {
	for (const folder of [home, programs]) mkdirSync(folder);
	symlinkSync(await node20(stage), join(programs, "node"));
	freshCopy(root, clone);
});

afterAll(() => {
	for (const gateway of gateways) endGroup(gateway);
	rmSync(stage, { recursive: true, force: true });
});

test("the README marks the commands that this test runs, in this order", () => {
	expect(blocks.map(({ name }) => name)).toEqual(["start", "install", "ask", "claude", "token", "remove"]);
});

test("start: the gateway prints its address", async () => {
	expect(await listening(start("start"))).toMatch(/ http:\/\/127\.0\.0\.1:[1-9]\d*$/);
});

test("ask: `npm start` has made the command, which runs on the Node of the clone, and the agent's command prints", async () => {
	expect(realpathSync(join(home, ".local/bin/parley"))).toBe(
		realpathSync(join(clone, "packages/cli/bin/parley.mjs")),
	);
	const { stdout } = await promisify(execFile)("sh", ["-euc", "node --version; parley version"], { env });
	expect(stdout).toMatch(/^v20\..*Node(?:\.js)? v?24\./s);
	expect(await run("ask")).toMatch(/^hi$/m);
});

test("the gateway exits normally when it is stopped", async () => {
	const [gateway] = gateways;
	expect(gateway?.kill("SIGTERM")).toBe(true);
	expect(await gateway?.ended).toEqual([0, null]);
});

test("claude: with a key, the first line names Claude", async () => {
	const gateway = start("claude");
	const lines = await Promise.all([lineOf(gateway, /^model: .*$/m), listening(gateway)]);
	expect(lines[0]).toMatch(/^model: claude-\S+ \(anthropic\): ANTHROPIC_API_KEY is set$/);
});

test("token: the operator's token is printed", async () => {
	expect(await run("token")).toMatch(/^gw_\S{20,}$/m);
	const gateway = gateways.at(-1);
	gateway?.kill("SIGTERM");
	expect(await gateway?.ended).toEqual([0, null]);
});

test("remove: the gateway is stopped, and the home directory contains no file of Parley", async () => {
	const gateway = start("start");
	await listening(gateway);
	expect(traces()).not.toEqual([]);
	await run("remove");
	expect(await gateway.ended).toEqual([0, null]);
	expect(traces()).toEqual([]);
});

test("install: the package of the clone is installed for the user, and its command runs outside of the clone", async () => {
	const user = join(stage, "user");
	mkdirSync(user);
	const settings = { ...env, ...(await npmSettings()), HOME: user };
	const steps = `${script("install")}\ncd; parley --version`;
	const { stdout } = await promisify(execFile)("sh", ["-euc", steps], { cwd: clone, env: settings });
	const version = stdout.trim().split("\n").at(-1);
	expect(stdout).toContain(`${clone}/dist/parley-agent-${version}.tgz`);
	expect(realpathSync(join(user, ".local/bin/parley"))).toContain("/lib/node_modules/parley-agent/");
});

function script(name: string): string {
	const block = blocks.find((candidate) => candidate.name === name);
	if (block === undefined) throw new Error(`README.md has no block "${name}"`);
	return block.script;
}

async function run(name: string): Promise<string> {
	const { stdout } = await promisify(execFile)("sh", ["-euc", script(name)], { cwd: home, env });
	return stdout;
}

function start(name: string): Gateway {
	const commands = script(name).replace("YOUR-KEY", `sk-ant-api03-${"k".repeat(40)}`);
	// npm replaces the shell, so signals reach npm.
	const child = spawn("sh", ["-c", commands.replace(/^npm start$/m, "exec npm start")], {
		cwd: clone,
		env,
		stdio: ["ignore", "pipe", "pipe"],
		// With its own process group, all processes can be stopped together.
		detached: true,
	});
	const gateway = Object.assign(child, { ended: once(child, "exit") });
	gateways.push(gateway);
	return gateway;
}

function endGroup({ pid }: Gateway): void {
	if (pid === undefined) return;
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// The process group has no remaining processes, as expected.
	}
}

function listening(gateway: Gateway): Promise<string> {
	return lineOf(gateway, /^parley listening on .*$/m);
}

/**
 * Returns the first line of stdout that matches `form`. Rejects with the complete output if the process exits
 * without such a line.
 */
function lineOf(gateway: Gateway, form: RegExp): Promise<string> {
	const { promise, resolve, reject } = Promise.withResolvers<string>();
	let stdout = "";
	let stderr = "";
	gateway.stdout.setEncoding("utf8").on("data", (chunk: string) => {
		stdout += chunk;
		const [line] = form.exec(stdout.slice(0, stdout.lastIndexOf("\n") + 1)) ?? [];
		if (line !== undefined) resolve(line);
	});
	gateway.stderr.setEncoding("utf8").on("data", (chunk: string) => {
		stderr += chunk;
	});
	gateway.on("close", (code) => reject(new Error(`ended with ${code}:\n${stdout}${stderr}`)));
	return promise;
}

function traces(folder = home): string[] {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		// The directories of npm and pnpm contain links to the clone.
		if (/^(?:\.npm|pnpm)$/.test(entry.name)) return [];
		if (/parley/i.test(entry.name)) return [path];
		return entry.isDirectory() ? traces(path) : [];
	});
}
