import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { Egress, type EgressAudit, type EgressOptions } from "./egress.ts";
import type { EgressEntry } from "./egress-proxy.ts";

const publicAddress = "93.184.215.14";
const established = "HTTP/1.1 200 Connection established\r\n\r\n";

async function setUp({ audit, ...options }: Partial<EgressOptions> & { readonly audit?: EgressAudit } = {}) {
	const echo = createServer({ allowHalfOpen: true }, (socket) =>
		socket.pipe(socket).on("error", () => undefined),
	);
	echo.listen(0, "127.0.0.1");
	await once(echo, "listening");
	// `address()` returns an address and a port, because the server listens on TCP.
	const { port } = echo.address() as AddressInfo;
	const clock = new ManualClock();
	const log = new MemoryLogger();
	const entries: EgressEntry[] = [];
	const reached: (readonly string[])[] = [];
	const egress = new Egress({
		allow: ["example.com", "*.example.org"],
		clock,
		log,
		lookup: async () => [publicAddress],
		connect: async (addresses) => {
			reached.push(addresses);
			const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
			await once(socket, "connect");
			return socket;
		},
		...options,
	});
	egress.audit = audit ?? (async (entry) => void entries.push(entry));
	const proxy = egress.open("call_1");
	// Takes the place of the listening socket in a sandbox.
	const listener = await listen();
	const { port: proxyPort } = listener.address() as AddressInfo;
	proxy.serve(listener);
	onTestFinished(async () => {
		await proxy[Symbol.asyncDispose]();
		echo.close();
	});
	return { proxy, clock, log, entries, reached, proxyPort };
}

async function listen(): Promise<Server> {
	const listener = createServer().listen(0, "127.0.0.1");
	await once(listener, "listening");
	return listener;
}

function dial(proxyPort: number, firstBytes: string): Socket {
	const socket = connect({ port: proxyPort, host: "127.0.0.1", allowHalfOpen: true });
	socket.write(firstBytes);
	return socket;
}

function closed(socket: Socket): Promise<void> {
	return new Promise((resolve) => {
		socket
			.on("error", () => socket.destroy())
			.on("end", () => socket.destroy())
			.once("close", () => resolve())
			.resume();
	});
}

function ask(proxyPort: number, firstBytes: string): Promise<string> {
	return text(dial(proxyPort, firstBytes));
}

async function openTunnel(proxyPort: number): Promise<Socket> {
	const socket = dial(proxyPort, "CONNECT example.com:443 HTTP/1.1\r\n\r\n");
	expect(String((await once(socket, "data"))[0])).toBe(established);
	return socket;
}

test("the response of an allowed host arrives, each side can end first, and bytes are counted", async () => {
	const { proxyPort, entries, log } = await setUp();
	const socket = dial(
		proxyPort,
		"CONNECT Example.COM.:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\nat once ",
	);
	socket.end("and later");
	expect(await text(socket)).toBe(`${established}at once and later`);
	await expect.poll(() => entries.length).toBe(2);
	expect(entries).toEqual([
		{ command: "call_1", target: "example.com", decision: "allowed" },
		{ command: "call_1", target: "example.com", decision: "ended", sent: 17, received: 17 },
	]);
	expect(log.records.map(({ message, fields }) => [message, fields["target"]])).toEqual([
		["egress allowed", "example.com"],
		["egress ended", "example.com"],
	]);
});

test.each([
	["CONNECT example.com:80 HTTP/1.1", 403, "port 80 is not allowed"],
	["CONNECT example.com:22 HTTP/1.1", 403, "port 22 is not allowed"],
	["CONNECT example.net:443 HTTP/1.1", 403, "not on the list"],
	["CONNECT 127.0.0.1:443 HTTP/1.1", 403, "not IP addresses"],
	["CONNECT [::1]:443 HTTP/1.1", 403, "not IP addresses"],
	["CONNECT 0x7f000001:443 HTTP/1.1", 403, "not IP addresses"],
	["CONNECT example.com HTTP/1.1", 400, "does not name a host and a port"],
	["GET http://example.com/ HTTP/1.1\r\nHost: example.com", 403, "begins with https://"],
	["GET https://example.com/ HTTP/1.1\r\nHost: example.com", 403, "by CONNECT"],
	["POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 4\r\n\r\nbody", 403, "by CONNECT"],
	["GET / HTTP/1.1\r\nHost: example.com\r\nConnection: Upgrade\r\nUpgrade: websocket", 403, "by CONNECT"],
	["SSH-2.0-OpenSSH_9.9", 400, "the request is not valid HTTP"],
	["\x16\x03\x01\x02\x00", 400, "the request is not valid HTTP"],
	[
		`CONNECT example.com:443 HTTP/1.1\r\nX: ${"x".repeat(10_000)}`,
		431,
		"the headers of the request are larger than",
	],
])("%j gets the status %i with a reason and no connection", async (request, status, reason) => {
	const { proxyPort, reached, entries, proxy } = await setUp();
	const answer = await ask(proxyPort, `${request}\r\n\r\n`);
	expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*parley: .*${reason}`, "s"));
	expect(reached).toEqual([]);
	expect(entries).toEqual([expect.objectContaining({ decision: "refused", command: "call_1" })]);
	expect(proxy.note()).toContain(reason);
	expect(proxy.note()).toContain("only port 443 of example.com, *.example.org");
});

test.each([
	["CONNECT example.net:443 HTTP/1.1", "example.net:443: the host is not on the list"],
	["CONNECT example.com:80 HTTP/1.1", "example.com:80: port 80 is not allowed"],
	["CONNECT example.com HTTP/1.1", "example.com: the request does not name a host and a port"],
	["GET http://example.com/ HTTP/1.1\r\nHost: example.com", "http://example.com/: only https is allowed"],
])("the response to %j names the refused target", async (request, refusal) => {
	const { proxyPort } = await setUp();
	const answer = await ask(proxyPort, `${request}\r\n\r\n`);
	expect(answer).toContain(`\r\n\r\nparley: cannot connect to ${refusal}`);
});

test("the response to a failed connection names the host", async () => {
	const { proxyPort } = await setUp({ connect: () => Promise.reject(new Error("ECONNREFUSED 10.1.2.3")) });
	const answer = await ask(proxyPort, "CONNECT example.com:443 HTTP/1.1\r\n\r\n");
	expect(answer).toContain("parley: cannot connect to example.com:443: ");
});

test("no bytes are forwarded after a request that is not CONNECT", async () => {
	const { proxyPort, reached, entries } = await setUp();
	const plain = "GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n";
	const answer = await ask(proxyPort, `${plain.repeat(100)}CONNECT example.com:443 HTTP/1.1\r\n\r\n`);
	expect(answer.match(/HTTP\/1\.1 403/g)).toHaveLength(1);
	expect(answer).not.toContain("200");
	expect(entries.filter(({ decision }) => decision === "refused")).toHaveLength(1);
	expect(reached).toEqual([]);
});

test.each([
	...["127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "0.0.0.0"],
	...["::1", "::ffff:127.0.0.1", "::ffff:93.184.215.14", "fe80::1", "fd00::1", "ff02::1", "64:ff9b::7f00:1"],
])("a name with the address %s is refused, also if another address is public", async (address) => {
	for (const addresses of [[address], [publicAddress, address]]) {
		const { proxyPort, reached } = await setUp({ lookup: async () => addresses });
		const answer = await ask(proxyPort, "CONNECT example.com:443 HTTP/1.1\r\n\r\n");
		expect(answer).toContain("403 Forbidden");
		expect(answer).toContain("not on the public internet");
		expect(answer).not.toContain(address);
		expect(reached).toEqual([]);
	}
});

test("a name is looked up once for each connection, and the checked address is used", async () => {
	const answers = [[publicAddress], ["127.0.0.1"]];
	const { proxyPort, reached } = await setUp({ lookup: async () => answers.shift() ?? [] });
	const first = await openTunnel(proxyPort);
	expect(reached).toEqual([[publicAddress]]);
	expect(answers).toHaveLength(1);
	expect(await ask(proxyPort, "CONNECT example.com:443 HTTP/1.1\r\n\r\n")).toContain("403 Forbidden");
	expect(reached).toHaveLength(1);
	first.destroy();
});

test("the proxy reports a host without an address and a host that refuses connections", async () => {
	const unknown = await setUp({ lookup: async () => [] });
	const request = "CONNECT example.com:443 HTTP/1.1\r\n\r\n";
	expect(await ask(unknown.proxyPort, request)).toMatch(/502 Bad Gateway.*no address was found/s);
	const refused = await setUp({ connect: () => Promise.reject(new Error("ECONNREFUSED 10.1.2.3")) });
	const answer = await ask(refused.proxyPort, request);
	expect(answer).toContain("502 Bad Gateway");
	expect(answer).not.toContain("10.1.2.3");
});

test("no connection is opened if the audit cannot be written", async () => {
	const { proxyPort, reached, log } = await setUp({
		audit: () => Promise.reject(new Error("the disk is full")),
	});
	const answer = await ask(proxyPort, "CONNECT example.com:443 HTTP/1.1\r\n\r\n");
	expect(answer).toContain("502 Bad Gateway");
	expect(reached).toEqual([]);
	expect(log.records).toContainEqual(expect.objectContaining({ level: "error" }));
});

test("a client that sends no request, or sends it slowly, is disconnected after 10 seconds", async () => {
	const { proxyPort, clock } = await setUp();
	const sockets = ["", "CONNECT exam"].map((firstBytes) => dial(proxyPort, firstBytes));
	const ends = sockets.map(closed);
	await expect.poll(() => clock.pending).toBe(2);
	clock.advance(9_999);
	sockets[1]?.write("ple.com:443 HTTP/1.1\r\nX");
	clock.advance(1);
	await Promise.all(ends);
	expect(clock.pending).toBe(0);
});

test("a slow lookup or connection times out after 10 seconds", async () => {
	const requested = Promise.withResolvers<void>();
	const lookup = (): Promise<string[]> => {
		requested.resolve();
		return new Promise(() => undefined);
	};
	const { proxyPort, clock, reached } = await setUp({ lookup });
	const answer = ask(proxyPort, "CONNECT example.com:443 HTTP/1.1\r\n\r\n");
	await requested.promise;
	clock.advance(10_000);
	expect(await answer).toMatch(/504 Gateway Timeout.*connecting took longer than 10 s/s);
	expect(reached).toEqual([]);
});

test("an idle tunnel is ended, and one in use continues for 15 minutes", async () => {
	const { proxyPort, clock, entries } = await setUp();
	const socket = await openTunnel(proxyPort);
	for (let minutes = 0; minutes < 14; minutes += 2) {
		socket.write("x");
		await once(socket, "data");
		clock.advance(120_000);
	}
	expect(socket.destroyed).toBe(false);
	socket.write("x");
	await once(socket, "data");
	const end = closed(socket);
	clock.advance(120_000);
	await end;
	const idle = closed(await openTunnel(proxyPort));
	clock.advance(240_000);
	await idle;
	await expect
		.poll(() => entries.filter(({ decision }) => decision === "ended"))
		.toEqual([
			expect.objectContaining({
				reason: "the connection reached the limit of 15 minutes",
				sent: 8,
				received: 8,
			}),
			expect.objectContaining({
				reason: "the connection was idle for 2 minutes, which is the limit",
				sent: 0,
			}),
		]);
});

test("100 simultaneous tunnels work, and the 129th connection is dropped and logged", async () => {
	const { proxyPort, entries } = await setUp();
	const sockets = await Promise.all(Array.from({ length: 100 }, () => openTunnel(proxyPort)));
	const answers = sockets.map(async (socket, index) => {
		socket.end(`${index}`.repeat(50_000));
		return await text(socket);
	});
	expect(await Promise.all(answers)).toEqual(sockets.map((_, index) => `${index}`.repeat(50_000)));
	await expect.poll(() => entries.filter(({ decision }) => decision === "ended")).toHaveLength(100);
	const many = await Promise.all(Array.from({ length: 128 }, () => openTunnel(proxyPort)));
	await closed(connect(proxyPort, "127.0.0.1"));
	expect(entries.at(-1)).toMatchObject({
		decision: "refused",
		reason:
			"the command reached the maximum of 128 open connections, so open fewer connections at the same time",
	});
	for (const socket of many) socket.destroy();
});

test("a command has at most 5000 connections in an hour, and further ones are not reported separately", async () => {
	const { proxyPort, entries, clock } = await setUp();
	const request = "CONNECT example.net:443 HTTP/1.1\r\n\r\n";
	for (let opened = 0; opened < 5_050; opened += 50) {
		await Promise.allSettled(Array.from({ length: 50 }, () => ask(proxyPort, request)));
	}
	expect(
		entries.filter(
			({ reason }) =>
				reason === "the command reached the maximum of 5000 connections per hour, so use fewer connections",
		),
	).toHaveLength(1);
	expect(entries).toHaveLength(5_001);
	clock.advance(60 * 60_000);
	await ask(proxyPort, request);
	expect(entries).toHaveLength(5_002);
});

test("at the end of a command its connections end, and its socket is closed", async () => {
	const { proxy, proxyPort, entries } = await setUp();
	const socket = await openTunnel(proxyPort);
	const end = closed(socket);
	await proxy[Symbol.asyncDispose]();
	await end;
	await expect(once(connect(proxyPort, "127.0.0.1"), "connect")).rejects.toThrow("ECONNREFUSED");
	expect(entries.at(-1)).toMatchObject({ decision: "ended", reason: "the command has ended" });
	const late = await listen();
	proxy.serve(late);
	expect(late.listening).toBe(false);
});

test("a list with an invalid host is refused", () => {
	const options = { clock: new ManualClock(), log: new MemoryLogger() };
	expect(() => new Egress({ ...options, allow: ["*"] })).toThrow('invalid host "*"');
});
