import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { systemClock } from "@parley/base";
import { MemoryLogger } from "@parley/base/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Admission } from "../transport/admission.ts";
import { createListener, type Listener } from "../transport/listener.ts";
import { createNetworks } from "../transport/networks.ts";
import type { ConnectionAddresses } from "./incoming-request.ts";
import { sendRefusal, sendUpgradeRefusal } from "./refusal.ts";
import { checkRequest, type RequestRules } from "./requests.ts";

const rules: RequestRules = { allowedHosts: ["Parley.Example", "proxied.example:80", "10.1.2.3"] };

let http: Server;
let listener: Listener;
let upgrades = 0;

beforeAll(async () => {
	http = createServer({ requireHostHeader: false }, (request, response) => {
		const refusal = checkRequest(request, rules);
		if (refusal) sendRefusal(response, refusal);
		else response.end();
	});
	http.on("upgrade", (request, socket) => {
		const refusal = checkRequest(request, rules);
		if (refusal) return sendUpgradeRefusal(socket, refusal);
		upgrades++;
		socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
	});
	listener = await createListener({
		host: "127.0.0.1",
		port: 0,
		clock: systemClock,
		log: new MemoryLogger(),
		admission: new Admission(),
		isOwn: async () => false,
		onHttp: (socket) => http.emit("connection", socket),
		onHttp2: (socket) => socket.destroy(),
	});
});

afterAll(() => listener.close(0));

/** Sends a request to the listener. PORT in the headers is replaced with the listener's port. */
async function send(target: string, headers: readonly string[]): Promise<{ status: number; body: string }> {
	const { port } = listener.address();
	const head = [`GET ${target} HTTP/1.1`, ...headers, "", ""].join("\r\n");
	const client = connect(port, "127.0.0.1");
	client.write(head.replaceAll("PORT", String(port)));
	const answer = await text(client);
	const [, body = ""] = answer.split("\r\n\r\n");
	return { status: Number(answer.split(" ")[1]), body };
}

const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
const routes = [
	{ path: "/api/health", extra: ["Connection: close"], passed: 200 },
	{ path: "/api/ws", extra: upgrade, passed: 101 },
	{ path: "/nowhere?limit=5", extra: ["Connection: close"], passed: 200 },
] as const;

const good = ["Host: 127.0.0.1:PORT"];

/** Placeholder for the `passed` status of a route. */
const PASS = 0;

const matrix: readonly [headers: readonly string[], status: number][] = [
	[good, PASS],
	[["Host: localhost:PORT"], PASS],
	[["Host: LocalHost:PORT"], PASS],
	[["Host: [::1]:PORT"], PASS],
	[["Host: [0:0:0:0:0:0:0:1]:PORT"], PASS],
	[["host:127.0.0.1:PORT"], PASS],
	[["Host: parley.example:PORT"], PASS],
	[["Host: proxied.example"], PASS],
	[["Host: proxied.example:80"], PASS],
	[["Host: 10.1.2.3:PORT"], PASS],
	[[], 421],
	[["Host:"], 421],
	[["Host: 127.0.0.1"], 421],
	[["Host: 127.0.0.1:"], 421],
	[["Host: 127.0.0.1:80"], 421],
	[["Host: 127.0.0.1:1PORT"], 421],
	[["Host: 127.0.0.1:0PORT"], 421],
	[["Host: 127.0.0.1:PORT:PORT"], 421],
	[["Host: 127.0.0.1:PORT/"], 421],
	[["Host: 127.0.0.1:PORT@evil.test"], 421],
	[["Host: evil.test@127.0.0.1:PORT"], 421],
	[["Host: 127.0.0.1.:PORT"], 421],
	[["Host: localhost.:PORT"], 421],
	[["Host: 127.evil.test:PORT"], 421],
	[["Host: 127.0.0.1.evil.test:PORT"], 421],
	[["Host: localhost.evil.test:PORT"], 421],
	[["Host: 127.1:PORT"], 421],
	[["Host: 2130706433:PORT"], 421],
	[["Host: 0x7f.0.0.1:PORT"], 421],
	[["Host: 0.0.0.0:PORT"], 421],
	[["Host: 127.0.0.2:PORT"], 421],
	[["Host: ::1:PORT"], 421],
	[["Host: [::ffff:127.0.0.1]:PORT"], 421],
	[["Host: [::1%lo]:PORT"], 421],
	[["Host: evil.test:PORT"], 421],
	[["Host: proxied.example:PORT"], 421],
	[["Host: parley.example"], 421],
	[[...good, ...good], 421],
	[[...good, "Host: evil.test"], 421],
	[[...good, "X-Forwarded-Host: evil.test"], PASS],
	[["Host: evil.test:PORT", "X-Forwarded-Host: 127.0.0.1:PORT"], 421],
	[["Host: evil.test:PORT", "Origin: http://evil.test:PORT"], 421],
	[[...good, "Origin: http://127.0.0.1:PORT"], PASS],
	[[...good, "Origin: http://localhost:PORT"], PASS],
	[[...good, "Origin: http://[::1]:PORT"], PASS],
	[[...good, "Origin: null"], 403],
	[[...good, "Origin: null", "Sec-Fetch-Site: same-origin"], PASS],
	[[...good, "Origin: null", "Sec-Fetch-Site: same-site"], 403],
	[[...good, "Origin: null", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"], 403],
	[[...good, "Origin: http://evil.test", "Sec-Fetch-Site: same-origin"], 403],
	[[...good, "Origin:"], 403],
	[[...good, "Origin: *"], 403],
	[[...good, "Origin: http://evil.test"], 403],
	[[...good, "Origin: http://evil.test:PORT"], 403],
	[[...good, "Origin: http://127.0.0.1"], 403],
	[[...good, "Origin: http://127.0.0.1:80"], 403],
	[[...good, "Origin: http://127.0.0.1:1"], 403],
	[[...good, "Origin: https://127.0.0.1:PORT"], 403],
	[[...good, "Origin: ws://127.0.0.1:PORT"], 403],
	[[...good, "Origin: 127.0.0.1:PORT"], 403],
	[[...good, "Origin: http://127.0.0.1:PORT/"], 403],
	[[...good, "Origin: http://127.0.0.1:PORT.evil.test"], 403],
	[[...good, "Origin: http://127.0.0.1.evil.test:PORT"], 403],
	[[...good, "Origin: http://localhost.:PORT"], 403],
	[[...good, "Origin: http://LOCALHOST:PORT"], 403],
	[[...good, "Origin: http://a@127.0.0.1:PORT"], 403],
	[[...good, "Origin: http://127.1:PORT"], 403],
	[[...good, "Origin: http://parley.example:PORT"], 403],
	[[...good, "Origin: chrome-extension://aaaaaaaaaaaaaaaa"], 403],
	[[...good, "Origin: file://"], 403],
	[[...good, "Origin: http://127.0.0.1:PORT http://evil.test"], 403],
	[[...good, "Origin: http://127.0.0.1:PORT", "Origin: http://127.0.0.1:PORT"], 403],
	[[...good, "Origin: http://127.0.0.1:PORT", "Origin: http://evil.test"], 403],
];

test.each(matrix)("on every route, the response to %j is %i", async (headers, refused) => {
	for (const { path, extra, passed } of routes) {
		const before = upgrades;
		const { status } = await send(path, [...headers, ...extra]);
		expect({ path, status }).toEqual({ path, status: refused === PASS ? passed : refused });
		expect(upgrades - before).toBe(status === 101 ? 1 : 0);
	}
});

test.each([
	["http://127.0.0.1:PORT/api/health", 421],
	["http://evil.test/api/health", 421],
	["*", 421],
])("the target %s is refused, because it is not a path", async (target, status) => {
	expect((await send(target, [...good, "Connection: close"])).status).toBe(status);
});

test.each([
	["/api/health?token=x", 400],
	["/api/health?limit=1&TOKEN=x", 400],
	["/api/health?access_token=", 400],
	["/api/health?%74oken=x", 400],
	["/api/health?a?token=x", 200],
	["/api/health?tokens=x", 200],
	["/api/token?limit=1", 200],
])("%s gets the response %i, because a token may not be part of an address", async (target, status) => {
	const answer = await send(target, [...good, "Connection: close"]);
	expect(answer.status).toBe(status);
	expect(answer.body.includes("Authorization: Bearer")).toBe(status === 400);
});

test("a misdirected request gets the valid names", async () => {
	const { body } = await send("/", ["Host: evil.test", "Connection: close"]);
	const { port } = listener.address();
	expect(body).toContain(`127.0.0.1:${port}, localhost:${port}, [::1]:${port}, parley.example:${port}`);
});

test("on port 80 the port is optional, and browsers omit it", () => {
	const request = (host: string, origin: string) => ({
		url: "/",
		rawHeaders: ["Host", host, "Origin", origin],
		socket: { localAddress: "127.0.0.1", localPort: 80 },
	});
	expect(checkRequest(request("localhost", "http://localhost"), rules)).toBeUndefined();
	expect(checkRequest(request("localhost:80", "http://localhost:80"), rules)?.status).toBe(403);
});

test("a listener address of this machine is a valid host name", () => {
	const socket = { localAddress: "127.0.0.2", localPort: 7777 };
	const rawHeaders = ["Host", "127.0.0.2:7777", "Origin", "http://127.0.0.2:7777"];
	expect(checkRequest({ url: "/", rawHeaders, socket }, rules)).toBeUndefined();
});

function reached(headers: Readonly<Record<string, string>>, more: Partial<ConnectionAddresses> = {}) {
	const socket = { localAddress: "::ffff:192.168.1.5", localPort: 7777, encrypted: true, ...more };
	return { url: "/", rawHeaders: Object.entries(headers).flat(), socket };
}

test.each([
	["192.168.1.5:7777", undefined],
	["192.168.1.6:7777", 421],
	["parley.example:7777", undefined],
	["parley.example", 421],
])("over TLS at an address of the network the response to Host: %s is %s", (host, status) => {
	expect(checkRequest(reached({ Host: host }), rules)?.status).toBe(status);
});

test("the default port over TLS is 443, and pages have an https origin", () => {
	const at443 = (host: string, origin: string) =>
		checkRequest(reached({ Host: host, Origin: origin }, { localPort: 443 }), rules)?.status;
	expect(at443("192.168.1.5", "https://192.168.1.5")).toBeUndefined();
	expect(at443("192.168.1.5:443", "https://192.168.1.5")).toBeUndefined();
	expect(at443("192.168.1.5:80", "https://192.168.1.5")).toBe(421);
	expect(at443("192.168.1.5", "http://192.168.1.5")).toBe(403);
});

test("a used IPv6 address of this machine is a valid host name", () => {
	const socket = { localAddress: "2001:db8::5", localPort: 7777 };
	const rawHeaders = ["Host", "[2001:DB8:0::5]:7777", "Origin", "http://[2001:db8::5]:7777"];
	expect(checkRequest({ url: "/", rawHeaders, socket }, rules)).toBeUndefined();
});

const proxied: RequestRules = {
	allowedHosts: [],
	publicUrl: "https://public.example:8443",
	proxies: createNetworks(["127.0.0.1"]),
};

test.each<[Readonly<Record<string, string>>, number | undefined]>([
	[{ Host: "public.example:8443" }, undefined],
	[{ Host: "public.example" }, undefined],
	[{ Host: "Public.Example:443" }, undefined],
	[{ Host: "127.0.0.1:7777" }, undefined],
	[{ Host: "127.0.0.1:7777", "X-Forwarded-Host": "public.example" }, undefined],
	[{ Host: "public.example:7777" }, 421],
	[{ Host: "sub.public.example" }, 421],
	[{ Host: "127.0.0.1:7777", "X-Forwarded-Host": "evil.test" }, 421],
	[{ Host: "127.0.0.1:7777", "X-Forwarded-Host": "public.example, evil.test" }, 421],
	[{ Host: "evil.test", "X-Forwarded-Host": "public.example" }, 421],
	[{ Host: "public.example", Origin: "https://public.example:8443" }, undefined],
	[{ Host: "public.example", Origin: "https://public.example" }, 403],
	[{ Host: "public.example", Origin: "http://public.example:8443" }, 403],
	[{ Host: "public.example", Origin: "https://evil.test" }, 403],
])("behind a trusted proxy of a public URL the response to %j is %s", (headers, status) => {
	const plain = { localAddress: "127.0.0.1", remoteAddress: "127.0.0.1", encrypted: false };
	expect(checkRequest(reached(headers, plain), proxied)?.status).toBe(status);
});

test("X-Forwarded-Host is ignored unless it is from a trusted proxy", () => {
	const headers = { Host: "192.168.1.5:7777", "X-Forwarded-Host": "evil.test" };
	expect(checkRequest(reached(headers, { remoteAddress: "192.168.1.9" }), proxied)).toBeUndefined();
});
