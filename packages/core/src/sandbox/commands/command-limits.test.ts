import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createIds, silentLogger, systemClock } from "@parley/base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDirectory } from "../../testing/tool-context.ts";
import {
	cgroupLimiter,
	delegatedCgroup,
	findLimiter,
	limitsOfProcess,
	scopeArguments,
} from "./command-limits.ts";
import { createUnsandboxed } from "./unsandboxed.ts";

const [systemdRun] = ["systemd-run"] as const;
let directory: Awaited<ReturnType<typeof createDirectory>>;
beforeEach(async () => {
	directory = await createDirectory();
});
afterEach(() => directory[Symbol.asyncDispose]());

function putCgroup(path: string, processes: readonly number[], controllers = "cpu memory pids"): string {
	const cgroup = join(directory.path, path);
	mkdirSync(cgroup, { recursive: true });
	writeFileSync(join(cgroup, "cgroup.controllers"), `${controllers}\n`);
	writeFileSync(join(cgroup, "cgroup.procs"), processes.map((pid) => `${pid}\n`).join(""));
	writeFileSync(join(cgroup, "cgroup.subtree_control"), "");
	return cgroup;
}

const textOf = (...path: string[]): string => readFileSync(join(...path), "utf8");

test("the address space of a process is limited by the number of processors, and less with a cgroup", () => {
	const gib = (...[kind, processors]: Parameters<typeof limitsOfProcess>): number =>
		limitsOfProcess(kind, processors).v / 1024 ** 2;
	expect([1, 2, 8, 64].map((processors) => gib("address-space", processors))).toEqual([5, 6, 12, 16]);
	expect(gib("systemd", 2)).toBe(16);
});

test("the parent cgroup of the gateway contains commands if it has no process", async () => {
	const service = putCgroup("parley.service", []);
	const own = putCgroup("parley.service/gateway", [7, 8]);
	expect(await delegatedCgroup(own, 7)).toBe(service);
	expect(textOf(service, "cgroup.subtree_control")).toBe("+memory +pids");
	expect(textOf(own, "cgroup.procs")).toBe("7\n8\n");
});

test("a gateway that is alone in its cgroup moves into one below it", async () => {
	putCgroup("system.slice", [1]);
	const own = putCgroup("system.slice/parley.service", [7]);
	expect(await delegatedCgroup(own, 7)).toBe(own);
	expect(textOf(own, "parley-gateway/cgroup.procs")).toBe("7");
	expect(textOf(own, "cgroup.subtree_control")).toBe("+memory +pids");
});

test.each([
	["with other processes in it", [7, 8], "memory pids"],
	["without the controller of processes", [7], "cpu memory"],
])("a cgroup %s is left unchanged", async (_, processes, controllers) => {
	putCgroup("user.slice", [1]);
	const own = putCgroup("user.slice/session", processes, controllers);
	expect(await delegatedCgroup(own, 7)).toBeUndefined();
	expect(readdirSync(own).sort()).toEqual(["cgroup.controllers", "cgroup.procs", "cgroup.subtree_control"]);
	expect(textOf(own, "cgroup.subtree_control")).toBe("");
});

test("a command enters a cgroup with limits of memory, swap and processes before it starts", () => {
	const base = putCgroup("parley.service", []);
	const { argv, environment } = cgroupLimiter(base).apply("one");
	const [program = "", ...args] = [...argv, "/bin/sh", "-c", 'env; echo "$0 $1"; pwd', "a", "$HOME b"];
	const { stdout, status } = spawnSync(program, args, { env: { ...environment, KEY: "x" }, cwd: "/" });
	expect([status, String(stdout).replace(/^(?:PWD|_|SHLVL)=.*\n/gm, "")]).toEqual([0, "a $HOME b\n/\n"]);
	const files = ["memory.max", "memory.swap.max", "pids.max", "memory.oom.group", "cgroup.procs"];
	expect(files.map((name) => textOf(base, "one", name).trim())).toEqual(["4294967296", "0", "256", "1", "0"]);
});

test("a command does not start if its cgroup cannot be made", () => {
	const { argv } = cgroupLimiter(join(directory.path, "nowhere")).apply("one");
	const [program = "", ...args] = [...argv, "/bin/echo", "it runs"];
	const { stdout, stderr, status } = spawnSync(program, args);
	expect([status, String(stdout)]).toEqual([1, ""]);
	expect(String(stderr)).toContain(`parley: no cgroup ${directory.path}`);
});

test("systemd gets limits of memory, swap and processes, and no environment of the command", () => {
	const program = "/usr/bin/systemd-run";
	expect(scopeArguments({ program, uid: 1000, options: [] }).join(" ")).toBe(
		`${program} --user --scope --quiet --collect --property=MemoryMax=4294967296 --property=MemorySwapMax=0 ` +
			"--property=TasksMax=256 -- /usr/bin/env -i",
	);
	expect(scopeArguments({ program, uid: 0, options: ["--expand-environment=no"] }).slice(1, 5)).toEqual([
		...["--scope", "--quiet", "--collect", "--expand-environment=no"],
	]);
});

test("systemd-run knows these options", async ({ skip }) => {
	const { error, stdout } = spawnSync(systemdRun, ["--help"]);
	skip(error !== undefined, "systemd-run is not installed");
	for (const option of ["--user", "--scope", "--quiet", "--collect", "--property="]) {
		expect(String(stdout)).toContain(option);
	}
});

test("a cgroup of systemd or of the gateway works here", async ({ skip }) => {
	const common = { clock: systemClock, ids: createIds(), log: silentLogger, environment: process.env };
	const limiter = await findLimiter(createUnsandboxed(common));
	skip(limiter.kind === "address-space", "NOT RUN: neither systemd nor a delegated cgroup v2 is here");
	expect(["systemd", "cgroup"]).toContain(limiter.kind);
});
