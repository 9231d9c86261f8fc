import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { createIds } from "@parley/base";
import { type ProbeFacts, probeScript, probes } from "@parley/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const onLinux = process.platform === "linux";
const isFiltered = onLinux && !readFileSync("/proc/self/status", "utf8").includes("Seccomp:\t0");
const isRoot = process.getuid?.() === 0;
const undo = new AsyncDisposableStack();
let root: string;
let facts: ProbeFacts;

beforeAll(async () => {
	if (!onLinux) return;
	const path = await mkdtemp(join(tmpdir(), "parley-probes-"));
	undo.defer(() => rm(path, { recursive: true, force: true }));
	const [beside, system, devices] = ["beside", "system", "devices"].map((name) => join(path, name));
	root = join(path, "root");
	await mkdir(join(root, ".git/hooks"), { recursive: true });
	for (const name of [beside, system, devices]) await mkdir(name ?? "");
	await writeFile(join(beside ?? "", "canary"), "canary\n");
	await writeFile(join(devices ?? "", "sda"), "");
	const socket = createIds().create("probe");
	const port = await listen({ host: "127.0.0.1", port: 0 });
	await listen({ path: `\0${socket}` });
	await listen({ path: join(root, "agent.sock") });
	const fields = readFileSync("/proc/self/stat", "utf8")
		.replace(/^.*\) /, "")
		.split(" ");
	facts = {
		...{
			beside: beside ?? "",
			data: beside ?? "",
			system: system ?? "",
			devices: devices ?? "",
			port,
			socket,
		},
		...{ pid: process.pid, started: fields[19] ?? "", namespaces: [readlinkSync("/proc/self/ns/net")] },
		variables: ["PATH"],
	};
});
afterAll(() => undo.disposeAsync());

async function listen(place: { path: string } | { host: string; port: number }): Promise<number> {
	const server = createServer((connection) => connection.destroy());
	await new Promise<void>((resolve) => void server.listen(place, resolve));
	undo.defer(() => new Promise<void>((resolve) => void server.close(() => resolve())));
	const address = server.address();
	return typeof address === "object" && address !== null ? address.port : 0;
}

const namespaced = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
const canUnshare = onLinux && spawnSync(namespaced[0] ?? "", [...namespaced.slice(1), "true"]).status === 0;

/** Reasons why a probe cannot succeed on this machine even without confinement. */
const unwalkable: Readonly<Record<string, string | false>> = {
	mount: !isRoot && "only root may mount outside of a sandbox",
	"kernel-switches": !isRoot && "only root may write these anywhere",
	signal: process.pid <= 1_000 && "this process has a number that may be used inside as well",
	interfaces:
		Object.keys(networkInterfaces()).every((name) => name === "lo") && "this machine has no network",
	"user-namespace": !canUnshare && "this system makes no user namespaces",
	"terminal-session": !canUnshare && "this system makes no user namespaces",
	"service-sockets": !existsSync("/run") && "no service runs here",
	connect: !existsSync("/bin/bash") && "only bash can connect",
	bpf: !isRoot && "only root may call it where it is restricted",
	userfaultfd: !isRoot && "only root may call it where it is restricted",
	"perf-events": !isRoot && "only root may call it where it is restricted",
	kexec: !isRoot && "only root may call these anywhere",
	modules: !isRoot && "only root may call these anywhere",
	filter: isFiltered && "a filter holds for these tests",
};

async function runProbe(name: string): Promise<string> {
	const script = probeScript(
		probes.filter((probe) => probe.name === name),
		facts,
	);
	const shell = [existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh", "-c", script];
	// The probe `terminal-session` runs in new namespaces.
	const [program = "", ...args] = name === "terminal-session" ? [...namespaced, ...shell] : shell;
	const child = spawn(program, args, {
		cwd: root,
		env: { PATH: process.env["PATH"], CANARY: "x" },
		stdio: ["ignore", "pipe", "inherit", "pipe"],
	});
	let output = "";
	child.stdout?.setEncoding("utf8").on("data", (text: string) => {
		output += text;
	});
	await new Promise((resolve) => child.once("close", resolve));
	return output.trim();
}

const walkable = probes.map(({ name }) => name).filter((name) => !unwalkable[name]);
for (const [name, why] of Object.entries(unwalkable)) {
	if (why) test.skip(`without confinement, ${name} escapes: ${why}`, () => undefined);
}
test.runIf(onLinux).each(walkable)("without confinement, %s escapes", async (name) => {
	expect(await runProbe(name)).toBe(`escaped ${name}`);
});

test("the tests have more than a dozen ways out of the sandbox, each with a different name", () => {
	expect(new Set(probes.map(({ name }) => name)).size).toBe(probes.length);
	expect(probes.length).toBeGreaterThan(12);
});
