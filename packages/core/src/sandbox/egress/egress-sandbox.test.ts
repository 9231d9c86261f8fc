import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, silentLogger, systemClock } from "@parley/base";
import { paced } from "@parley/base/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Command, ProgramInput, Sandbox } from "../../vocabulary/sandbox.ts";
import { createSandboxes } from "../sandboxes.ts";
import { Egress } from "./egress.ts";
import type { EgressEntry } from "./egress-proxy.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "parley-way-out-")));
const root = join(base, "root");
const data = join(root, "data");
const reported: EgressEntry[] = [];

/** Server in place of the public internet. */
const server = createServer((socket) => socket.on("error", () => undefined).end("welcome\n"));

const egress = new Egress({
	allow: ["example.com"],
	clock: systemClock,
	log: silentLogger,
	lookup: async () => ["93.184.215.14"],
	connect: async () => {
		// `address()` returns an address and a port, because the server listens on TCP.
		const { port } = server.address() as AddressInfo;
		const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
		await once(socket, "connect");
		return socket;
	},
});
egress.audit = async (entry) => void reported.push(entry);
const sandboxes = createSandboxes({
	mode: "required",
	environment: process.env,
	hidden: [data],
	egress,
	clock: systemClock,
	ids: createIds(),
	log: silentLogger,
});

beforeAll(async () => {
	mkdirSync(data, { recursive: true });
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
});
beforeEach(async ({ skip }) => {
	const { state, reason } = await sandboxes.check();
	skip(state !== "ready", `there is no sandbox here: ${reason}`);
	reported.length = 0;
});
afterAll(() => {
	server.close();
	rmSync(base, { recursive: true });
});

function run(sandbox: Sandbox | undefined, script: string, more: Partial<Command> = {}) {
	return sandbox?.run({
		executable: "/bin/sh",
		args: ["-c", script],
		cwd: root,
		timeoutMs: paced(30_000),
		maxOutputBytes: 64 * 1024,
		callId: "call_9",
		signal: new AbortController().signal,
		...more,
	});
}

function asking(host: string): string {
	const request = `CONNECT ${host}:443 HTTP/1.1\\r\\n\\r\\n`;
	return `exec "$(command -v node || echo /dev/parley/node)" -e '
		const socket = require("node:net").connect(3128, "127.0.0.1", () => socket.write("${request}"));
		socket.on("error", ({ code }) => console.log(code)).pipe(process.stdout);
	'`;
}

test("sessions have a sandbox with access to the named hosts in addition to one without, also for chat", async () => {
	for (const chat of [false, true]) {
		const sandbox = await sandboxes.of({ chat, roots: [root] });
		expect(sandbox.hosts).toBeUndefined();
		expect(sandbox.egress).toMatchObject({ mode: "bubblewrap", hosts: ["example.com"] });
		expect(sandbox.egress?.profile).not.toBe(sandbox.profile);
		const outcome = await run(sandbox.egress, asking("example.com"));
		expect(outcome).toMatchObject({
			code: 0,
			output: "HTTP/1.1 200 Connection established\r\n\r\nwelcome\n",
		});
	}
	await expect
		.poll(() => reported.map(({ command, decision }) => `${command} ${decision}`))
		.toEqual([...["call_9 allowed", "call_9 ended", "call_9 allowed", "call_9 ended"]]);
});

test("a program in a sandbox for other hosts reaches only these, also if it reads its input", async () => {
	const sandbox = await sandboxes.of({ chat: true, roots: [root], hosts: ["api.example.org"] });
	expect(sandbox).toMatchObject({ mode: "bubblewrap", hosts: ["api.example.org"] });
	expect(sandbox.egress).toBeUndefined();
	const script = `read line; echo "$line"; (${asking("example.com")}); ${asking("api.example.org")}`;
	const dialogue = {
		started: (input: ProgramInput) => void input.write(Buffer.from("hello\n")),
		onErrors: () => undefined,
	};
	const outcome = await run(sandbox, script, { dialogue });
	expect(outcome?.output).toMatch(/^hello\nHTTP\/1\.1 403 .*HTTP\/1\.1 200 .*welcome\n/s);
	await expect
		.poll(() => reported.map(({ target, decision }) => `${target} ${decision}`))
		.toEqual(["example.com:443 refused", "api.example.org allowed", "api.example.org ended"]);
});

test("refusals are at the end of the output", async () => {
	const { egress: sandbox } = await sandboxes.of({ chat: false, roots: [root] });
	const outcome = await run(sandbox, asking("example.net"));
	expect(outcome?.output).toMatch(
		/^HTTP\/1\.1 403 .*\[the egress proxy refused example\.net:443: .*only port 443 of example\.com\]\n$/s,
	);
});

test("the sandbox without access has no proxy, and the command with access has only the proxy", async () => {
	const sandbox = await sandboxes.of({ chat: false, roots: [root] });
	const closed = await run(sandbox, `ls /dev/parley; ${asking("example.com")}`);
	expect(closed?.output).toContain("ECONNREFUSED");
	expect(closed?.output).toContain("/dev/parley");
	const open = await run(
		sandbox.egress,
		"ls /dev/parley; ls /proc/self/fd | wc -l; ls /proc >/tmp/processes; grep -c '^[0-9]' /tmp/processes",
	);
	// `ls` has descriptors 0 to 2 and a descriptor for the directory that `ls` reads. The processes are bwrap, the shell
	// and ls.
	expect(open?.output).toBe("node\n4\n3\n");
	expect(reported).toEqual([]);
});

test("a command with network access cannot create a Unix socket either", async () => {
	const { egress: sandbox } = await sandboxes.of({ chat: false, roots: [root] });
	const code =
		'require("node:net").createServer().on("error", ({ code }) => console.log(code)).listen("x.sock")';
	const outcome = await run(sandbox, `"$(command -v node || echo /dev/parley/node)" -e '${code}'`);
	expect(outcome?.output).toBe("EACCES\n");
});

test("the proxy is closed with the command, also after a cancellation", async () => {
	const { egress: sandbox } = await sandboxes.of({ chat: false, roots: [root] });
	const cancel = new AbortController();
	const script = `exec "$(command -v node || echo /dev/parley/node)" -e '
		const socket = require("node:net").connect({ port: 3128, host: "127.0.0.1", allowHalfOpen: true });
		socket.write("CONNECT example.com:443 HTTP/1.1\\r\\n\\r\\n");
		setInterval(() => socket.resume(), 1_000);
	'`;
	const ended = run(sandbox, script, { signal: cancel.signal });
	await expect
		.poll(() => reported.map(({ decision }) => decision), { timeout: paced(20_000) })
		.toEqual(["allowed"]);
	cancel.abort();
	await ended;
	await expect.poll(() => reported.map(({ decision }) => decision)).toEqual(["allowed", "ended"]);
});
