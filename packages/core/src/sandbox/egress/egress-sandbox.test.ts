import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, silentLogger, systemClock } from "@parley/base";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Command, Sandbox } from "../../sandbox.ts";
import { createSandboxes } from "../sandboxes.ts";
import { Egress } from "./egress.ts";
import type { EgressEntry } from "./tunnel.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "parley-way-out-")));
const root = join(base, "root");
const data = join(root, "data");
const directory = join(data, "egress");
const told: EgressEntry[] = [];

/** Stands for the public internet; it sends one line and hears one. */
const server = createServer((socket) => socket.on("error", () => undefined).end("welcome\n"));

const egress = new Egress({
	...{ allow: ["example.com"], directory, clock: systemClock, log: silentLogger },
	lookup: async () => ["93.184.215.14"],
	connect: async () => {
		// An address and a port, since it listens on TCP.
		const { port } = server.address() as AddressInfo;
		const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
		await once(socket, "connect");
		return socket;
	},
});
egress.audit = async (entry) => void told.push(entry);
const sandboxes = createSandboxes({
	...{ mode: "required", environment: process.env, hidden: [data], egress },
	...{ clock: systemClock, ids: createIds(), log: silentLogger },
});

beforeAll(async () => {
	mkdirSync(data, { recursive: true });
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
});
beforeEach(async ({ skip }) => {
	const { state, reason } = await sandboxes.check();
	skip(state !== "ready", `there is no sandbox here: ${reason}`);
	told.length = 0;
});
afterAll(() => {
	server.close();
	rmSync(base, { recursive: true });
});

function run(sandbox: Sandbox | undefined, script: string, more: Partial<Command> = {}) {
	return sandbox?.run({
		...{
			executable: "/bin/sh",
			args: ["-c", script],
			cwd: root,
			timeoutMs: 30_000,
			maxOutputBytes: 64 * 1024,
		},
		...{ callId: "call_9", signal: new AbortController().signal, ...more },
	});
}

/** Asks the proxy for a host, and writes what is answered. */
function asking(host: string): string {
	const request = `CONNECT ${host}:443 HTTP/1.1\\r\\n\\r\\n`;
	return `exec "$(command -v node || echo /dev/parley/node)" -e '
		const socket = require("node:net").connect(3128, "127.0.0.1", () => socket.write("${request}"));
		socket.on("error", ({ code }) => console.log(code)).pipe(process.stdout);
	'`;
}

test("sessions have a sandbox with a way to the named hosts beside the one without, for chat too", async () => {
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
		.poll(() => told.map(({ command, decision }) => `${command} ${decision}`))
		.toEqual([...["call_9 allowed", "call_9 ended", "call_9 allowed", "call_9 ended"]]);
});

test("what was refused stands at the end of the output", async () => {
	const { egress: sandbox } = await sandboxes.of({ chat: false, roots: [root] });
	const outcome = await run(sandbox, asking("example.net"));
	expect(outcome?.output).toMatch(
		/^HTTP\/1\.1 403 .*\[the egress proxy refused example\.net:443: .*only port 443 of example\.com\]\n$/s,
	);
});

test("the sandbox without it has no proxy, and neither sees the socket of another command", async () => {
	const sandbox = await sandboxes.of({ chat: false, roots: [root] });
	const closed = await run(sandbox, `ls /dev/parley data; ${asking("example.com")}`);
	expect(closed?.output).toContain("ECONNREFUSED");
	expect(closed?.output).toContain("/dev/parley");
	await using other = await egress.open("call_10");
	expect(readdirSync(directory).length).toBeGreaterThan(0);
	const open = await run(sandbox.egress, "ls -A data; ls /dev/parley");
	expect(open?.output).toBe("egress.sock\nnode\n");
	expect(other.note()).toBe("");
	expect(told).toEqual([]);
});

test("the way is closed with the command, also where that is cancelled", async () => {
	const { egress: sandbox } = await sandboxes.of({ chat: false, roots: [root] });
	const cancel = new AbortController();
	const ended = run(sandbox, "touch up; sleep 60", { signal: cancel.signal });
	await expect.poll(() => existsSync(join(root, "up"))).toBe(true);
	expect(readdirSync(directory)).toHaveLength(1);
	cancel.abort();
	await ended;
	expect(readdirSync(directory)).toEqual([]);
});
