import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { silentLogger } from "@parley/base";
import { MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { connectPair } from "../testing/socket-pair.ts";
import { createLocalPeers } from "./local-peer.ts";
import type { ReadTable } from "./socket-tables.ts";

const uid = process.getuid?.() ?? -1;

const none = { log: silentLogger };

function toolsOf(pids: readonly number[], marker?: string) {
	return { started: pids.length, marker, processes: () => pids };
}

function from(remotePort: number) {
	return { remoteAddress: "127.0.0.1", remotePort, localAddress: "127.0.0.1", localPort: 7_777 };
}

function tables(text: string): ReadTable {
	return async function* (name) {
		if (name === "tcp") yield text;
	};
}

function row(remotePort: number, owner: number): string {
	const port = remotePort.toString(16).toUpperCase();
	return `  1: 0100007F:${port} 0100007F:1E61 01 00000000:00000000 00:00000000 00000000 ${owner} 0 4711 1 0\n`;
}

test("a process of this user is local, and one of another user or machine is not", async () => {
	const peers = createLocalPeers({
		...none,
		readTable: tables(row(50_000, uid) + row(50_001, uid + 1)),
	});
	expect(await peers.isLocal(from(50_000))).toBe(true);
	expect(await peers.isLocal(from(50_001))).toBe(false);
	expect(await peers.isLocal(from(50_002))).toBe(false);
});

test("all requests of one tick share a read of the tables, and requests during it share the next", async () => {
	const readings: PromiseWithResolvers<string>[] = [];
	const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const peers = createLocalPeers({
		...none,
		async *readTable(name) {
			if (name === "tcp6") return;
			begun[readings.length]?.resolve();
			const reading = Promise.withResolvers<string>();
			readings.push(reading);
			yield await reading.promise;
		},
	});
	const first = [from(50_000), from(50_001)].map((connection) => peers.isLocal(connection));
	await begun[0]?.promise;
	const second = [from(50_000), from(50_002)].map((connection) => peers.isLocal(connection));
	readings[0]?.resolve(row(50_000, uid));
	expect(await Promise.all(first)).toEqual([true, false]);
	await begun[1]?.promise;
	readings[1]?.resolve(row(50_002, uid));
	expect(await Promise.all(second)).toEqual([false, true]);
	expect(readings).toHaveLength(2);
});

test("all requests on one connection need one read of the tables, and each connection needs its own", async () => {
	let reads = 0;
	const peers = createLocalPeers({
		...none,
		async *readTable() {
			reads += 1;
			yield row(50_000, uid);
		},
	});
	const [one, other] = [from(50_000), from(50_000)];
	for (const connection of [one, one, one, other, other]) expect(await peers.isLocal(connection)).toBe(true);
	expect(reads).toBe(2);
	const strange = from(50_001);
	// A negative result is not cached, because the lookup may have been too early.
	for (let n = 0; n < 2; n++) expect(await peers.isLocal(strange)).toBe(false);
	expect(reads).toBe(6);
});

test("if the tables cannot be read no caller is local, and the log has the reason", async () => {
	const log = new MemoryLogger();
	const broken = new Error("no tables today");
	let isBroken = true;
	const peers = createLocalPeers({
		...none,
		log,
		async *readTable() {
			if (isBroken) throw broken;
			yield row(50_000, uid);
		},
	});
	expect(await peers.isLocal(from(50_000))).toBe(false);
	expect(log.records).toMatchObject([{ level: "warn", fields: { error: broken } }]);
	isBroken = false;
	expect(await peers.isLocal(from(50_000))).toBe(true);
});

test("without tables no caller is local", async () => {
	const peers = createLocalPeers({ ...none, readTable: tables("") });
	expect(await peers.isLocal(from(50_000))).toBe(false);
});

test.runIf(process.platform === "linux").each(["127.0.0.1", "::1", "::ffff:127.0.0.1"])(
	"the kernel knows a real connection over %s until its owner closes it",
	async (host) => {
		await using pair = await connectPair({ host });
		const peers = createLocalPeers(none);
		expect(await peers.isLocal(pair.accepted)).toBe(true);
		pair.accepted.resume();
		pair.client.destroy();
		await once(pair.accepted, "end");
		expect(await createLocalPeers(none).isLocal(pair.accepted)).toBe(false);
	},
);

/** Script of a tool that connects to the loopback port PORT and stays connected. */
const CONNECT = "exec 3<>/dev/tcp/127.0.0.1/PORT; read -r _ <&3";

interface Tool extends Disposable {
	readonly pid: number;
	readonly child: ChildProcess;
	readonly accepted: Socket;
}

/** Starts `script` in a shell with its own process group, like a tool, and waits for the script's connection. */
async function runTool(server: Server, script: string, env = process.env): Promise<Tool> {
	// The cast is safe because the server listens on a port, not on a path.
	const { port } = server.address() as AddressInfo;
	const child = spawn("bash", ["-c", script.replaceAll("PORT", String(port))], {
		detached: true,
		stdio: "ignore",
		env,
	});
	const [accepted]: Socket[] = await once(server, "connection");
	if (child.pid === undefined || accepted === undefined) throw new Error("the tool has not started");
	// When this socket closes, a shell that waits for a line at the other end ends.
	return { pid: child.pid, child, accepted, [Symbol.dispose]: () => void accepted.destroy() };
}

async function listen(): Promise<Server & AsyncDisposable> {
	const server = createServer();
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return server;
}

test.runIf(process.platform === "linux").each([
	["the tool itself", CONNECT],
	["its child", `bash -c '${CONNECT}'; true`],
	["its grandchild in a session of its own", `setsid --wait bash -c '${CONNECT}'; true`],
])("a connection of a running tool does not have the operator's rights: %s", async (_, script) => {
	await using server = await listen();
	using tool = await runTool(server, script);
	const unaware = createLocalPeers(none);
	expect(await unaware.isLocal(tool.accepted)).toBe(true);
	const aware = createLocalPeers({ ...none, tools: toolsOf([tool.pid]) });
	expect(await aware.isLocal(tool.accepted)).toBe(false);
});

test.runIf(process.platform === "linux")(
	"while a tool runs the operator's own connections stay local",
	async () => {
		await using server = await listen();
		using tool = await runTool(server, CONNECT);
		await using own = await connectPair();
		const peers = createLocalPeers({ ...none, tools: toolsOf([tool.pid, 2 ** 30]) });
		expect(await Promise.all([peers.isLocal(own.accepted), peers.isLocal(tool.accepted)])).toEqual([
			true,
			false,
		]);
	},
);

test.runIf(process.platform === "linux")(
	"processes that an ended tool leaves in its group do not have the operator's rights",
	async () => {
		await using server = await listen();
		using tool = await runTool(server, `bash -c '${CONNECT}' & read -r _`);
		if (tool.child.exitCode === null) await once(tool.child, "exit");
		const peers = createLocalPeers({ ...none, tools: toolsOf([tool.pid]) });
		expect(await peers.isLocal(tool.accepted)).toBe(false);
	},
);

test.runIf(process.platform === "linux")(
	"a process that a tool left in its own session is recognised by its environment",
	async () => {
		await using server = await listen();
		const env = { ...process.env, PARLEY_CALL: "commands_a.1" };
		using tool = await runTool(server, `setsid bash -c '${CONNECT}' & exit`, env);
		if (tool.child.exitCode === null) await once(tool.child, "exit");
		const marker = (text: string) => createLocalPeers({ ...none, tools: toolsOf([], text) });
		expect(await marker("commands_b").isLocal(tool.accepted)).toBe(true);
		expect(await marker("commands_a").isLocal(tool.accepted)).toBe(false);
		await using own = await connectPair();
		expect(await marker("commands_a").isLocal(own.accepted)).toBe(true);
	},
);

/**
 * Script that connects. After a line of input, it starts a child process that inherits the connection, and prints the id of
 * the child.
 */
const PASS_ON = "exec 3<>/dev/tcp/127.0.0.1/PORT; read -r _; sleep 600 & echo $!; wait; echo; read -r _ <&3";

test.runIf(process.platform === "linux")(
	"a keep-alive connection is not local while a tool has its descriptor, and is local again after that",
	async () => {
		await using server = await listen();
		// The cast is safe because the server listens on a port, not on a path.
		const { port } = server.address() as AddressInfo;
		const client = spawn("bash", ["-c", PASS_ON.replace("PORT", String(port))]);
		const [accepted]: Socket[] = await once(server, "connection");
		if (accepted === undefined) throw new Error("the client has not connected");
		const running: number[] = [];
		const tools = { started: 0, marker: undefined, processes: () => running };
		const peers = createLocalPeers({ ...none, tools });
		expect(await peers.isLocal(accepted)).toBe(true);
		client.stdin.write("\n");
		const tool = Number(String(await once(client.stdout, "data")));
		running.push(tool);
		tools.started = 1;
		expect(await peers.isLocal(accepted)).toBe(false);
		const ended = once(client.stdout, "data");
		process.kill(tool);
		await ended;
		expect(await peers.isLocal(accepted)).toBe(true);
		accepted.destroy();
		await once(client, "exit");
	},
);

test.runIf(process.platform === "linux")(
	"a keep-alive connection is checked again after a command has started and ended",
	async () => {
		await using server = await listen();
		const env = { ...process.env, PARLEY_CALL: "commands_a.1" };
		using tool = await runTool(server, CONNECT, env);
		let started = 0;
		const tools = {
			processes: () => [],
			get started() {
				return started;
			},
			get marker() {
				return started > 0 ? "commands_a" : undefined;
			},
		};
		const peers = createLocalPeers({ ...none, tools });
		expect(await peers.isLocal(tool.accepted)).toBe(true);
		started = 1;
		expect(await peers.isLocal(tool.accepted)).toBe(false);
	},
);
