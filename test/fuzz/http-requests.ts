import type { Random } from "../random.ts";

export interface HttpAttack {
	readonly kind: string;
	readonly bytes: Buffer;
	/** True if the gateway must respond to these bytes without further data. */
	readonly isWellFormed: boolean;
}

/** Paths of all routes. `frame-kinds.test.ts` compares them with the routes of the gateway. */
export const httpPaths = [
	"/",
	"/api/health",
	"/api/sessions",
	"/api/events?limit=5",
	"/api/files",
	"/api/files/file_1",
	"/api/tasks",
	"/api/tickets",
	"/api/ws",
	"/mcp",
	"/metrics",
	"/secret/x",
];

interface Parts {
	readonly method?: string;
	readonly target?: string;
	readonly version?: string;
	readonly headers?: readonly string[];
	readonly body?: string;
}

type Make = (random: Random, port: number) => Parts | Buffer;

function write({
	method = "GET",
	target = "/api/health",
	version = "HTTP/1.1",
	headers = [],
	body = "",
}: Parts): Buffer {
	return Buffer.from(
		`${[`${method} ${target} ${version}`, ...headers].join("\r\n")}\r\n\r\n${body}`,
		"latin1",
	);
}

function ordinary(port: number): string[] {
	return [`Host: 127.0.0.1:${port}`, "Connection: close"];
}

function upgrade(port: number, changes: Readonly<Record<string, string | undefined>>): string[] {
	const headers: Record<string, string | undefined> = {
		Host: `127.0.0.1:${port}`,
		Connection: "Upgrade",
		Upgrade: "websocket",
		"Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
		...changes,
	};
	return Object.entries(headers).flatMap(([name, value]) =>
		value === undefined ? [] : [`${name}: ${value}`],
	);
}

function noise(random: Random, length: number): Buffer {
	return Buffer.from(Array.from({ length }, () => random.below(256)));
}

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const clientHello = "160301013401000130030392f4d29b1c4a8e61c3c6b2a7f4d9c8";

const makers: Readonly<Record<string, Make>> = {
	method: (random, port) => {
		const methods = [
			"get",
			"G ET",
			"GET\0",
			"PROPFIND",
			"CONNECT",
			"TRACE",
			"DELETE",
			"POST",
			"",
			"\x7f",
			"X".repeat(5000),
		];
		return { method: random.pick(methods), target: random.pick(httpPaths), headers: ordinary(port) };
	},
	target: (random, port) => {
		const targets = [
			...[
				"//",
				"///api/health",
				"/\\api",
				"*",
				"",
				"api/health",
				"/%zz",
				"/%00",
				"/api/../api/ws",
				"/api/health#x",
				"/[::1",
				"//[::1",
			],
			...[
				"http://127.0.0.1/",
				"http://evil.test/api/ws",
				"https:",
				"/?token=gw_operator_x",
				"/api/ws?access_token=x",
				"//evil.test/api/ws",
			],
			...[
				"/api/events?limit=0",
				"/api/events?limit=1e3",
				"/api/events?limit=-1",
				"/api/sessions?limit=99999",
				"/api/events?session=%00",
			],
			...[
				`/${"a".repeat(20_000)}`,
				"/\x00",
				"/\xff\xfe",
				"/ü",
				"/a b",
				"?",
				"//:0",
				"//@",
				"/api/events?type=&type=&session=",
			],
		];
		return { target: random.pick(targets), headers: ordinary(port) };
	},
	version: (random, port) => ({
		version: random.pick([
			"HTTP/0.9",
			"HTTP/1.0",
			"HTTP/2.0",
			"HTTP/9.9",
			"HTTP/1.",
			"http/1.1",
			"",
			"ICE/1.0",
			"HTTP/1.1 x",
		]),
		headers: ordinary(port),
	}),
	host: (random, port) => {
		const hosts = [
			...[
				"evil.test",
				`evil.test:${port}`,
				`127.0.0.1.evil.test:${port}`,
				`127.evil.test:${port}`,
				`localhost.:${port}`,
				`LOCALHOST:${port}`,
			],
			...[
				"127.0.0.1:1",
				`127.1:${port}`,
				`0x7f.1:${port}`,
				`2130706433:${port}`,
				`[::1]:${port}`,
				`[::ffff:127.0.0.1]:${port}`,
			],
			...[
				`127.0.0.1:0${port}`,
				`127.0.0.1:${port}#`,
				`user@127.0.0.1:${port}`,
				":",
				"",
				"[",
				"[::1",
				"127.0.0.1:99999",
				"\x00",
				"ü",
			],
		];
		const lines = random.pick([[`Host: ${random.pick(hosts)}`], [], [...ordinary(port), ...ordinary(port)]]);
		return { target: random.pick(httpPaths), headers: [...lines, "Connection: close"] };
	},
	headers: (random, port) => {
		const lines = [
			["No colon here"],
			[": no name"],
			["Na me: x"],
			["X: a\0b"],
			["X: a\rb"],
			["X: a", " folded"],
			["\tX: y"],
			[`X: ${"y".repeat(20_000)}`],
			Array.from({ length: 300 }, (_, index) => `X-${index}: y`),
			["Authorization: Bearer wrong"],
			["Authorization: Bearer", "Authorization: Basic eDp5"],
			[`Authorization: Bearer ${"a".repeat(5000)}`],
			["X-Forwarded-For: 127.0.0.1"],
			["Origin: http://evil.test"],
			["Origin: null"],
			["Expect: 100-continue"],
			["Expect: the worst"],
			["Range: bytes=0-1,3-"],
		];
		return { target: random.pick(httpPaths), headers: [...ordinary(port), ...random.pick(lines)] };
	},
	body: (random, port) => {
		const bodies: readonly Parts[] = [
			{ headers: ["Content-Length: -1"] },
			{ headers: ["Content-Length: 5", "Content-Length: 6"], body: "hello!" },
			{ headers: ["Content-Length: 99999999999999999999"] },
			{ headers: ["Content-Length: 0x10"], body: "0123456789abcdef" },
			{ headers: ["Content-Length: 100"], body: "short" },
			{ headers: ["Transfer-Encoding: chunked"], body: "zz\r\nhello\r\n0\r\n\r\n" },
			{ headers: ["Transfer-Encoding: chunked"], body: "fffffffffffffffff\r\n" },
			{ headers: ["Transfer-Encoding: chunked", "Content-Length: 3"], body: "0\r\n\r\n" },
			{ headers: ["Transfer-Encoding: chunked, gzip"], body: "0\r\n\r\n" },
			{ headers: ["Transfer-Encoding: chunked"], body: `5;${"x".repeat(20_000)}\r\nhello\r\n0\r\n\r\n` },
			{ headers: ["Content-Length: 70000"], body: "x".repeat(70_000) },
		];
		const { headers = [], body = "" } = random.pick(bodies);
		return {
			method: random.pick(["POST", "GET", "PUT"]),
			target: random.pick(httpPaths),
			headers: [...ordinary(port), ...headers],
			body,
		};
	},
	upgrade: (random, port) => {
		const changes = [
			{ "Sec-WebSocket-Key": undefined },
			{ "Sec-WebSocket-Key": "short" },
			{ "Sec-WebSocket-Version": "7" },
			{ "Sec-WebSocket-Version": undefined },
			{ Upgrade: "h2c", "HTTP2-Settings": "AAMAAABkAARAAAAAAAIAAAAA" },
			{ Upgrade: "websocket, h2c" },
			{ Origin: "http://evil.test" },
			{ Host: "evil.test" },
			{ Authorization: "Bearer wrong" },
			{ "Sec-WebSocket-Extensions": "permessage-deflate; server_max_window_bits=99;;" },
			{ "Sec-WebSocket-Protocol": "a b, , \x7f" },
		];
		const method = random.chance(0.2) ? "POST" : "GET";
		const target = random.pick(["/api/ws", "/api/ws/", "/api/health", "//", "/API/WS"]);
		return { method, target, headers: upgrade(port, random.pick(changes)) };
	},
	"cut request": (random, port) => {
		const validBytes = write({ target: random.pick(httpPaths), headers: ordinary(port) });
		return validBytes.subarray(0, random.below(validBytes.length));
	},
	"cut preface": (random) => Buffer.from(preface).subarray(0, random.between(1, preface.length)),
	"http/2": (random) => Buffer.concat([Buffer.from(preface), noise(random, random.between(1, 200))]),
	"other protocols": (random) => {
		const texts = [
			Buffer.from(clientHello, "hex"),
			Buffer.from('{"type":"prompt"}\n'),
			Buffer.from("SSH-2.0-x\r\n"),
			Buffer.from("\r\n\r\n"),
		];
		return random.pick([...texts, Buffer.from([5, 1, 0]), Buffer.from("*1\r\n$4\r\nPING\r\n")]);
	},
	noise: (random) => noise(random, random.between(1, 300)),
	"wounded request": (random, port) => {
		const bytes = write({ target: random.pick(httpPaths), headers: ordinary(port) });
		for (let rounds = random.between(1, 5); rounds > 0; rounds--)
			bytes[random.below(bytes.length)] = random.below(256);
		return bytes;
	},
	"two in one": (random, port) => {
		const good = write({ headers: [`Host: 127.0.0.1:${port}`] });
		return Buffer.concat([good, random.chance(0.5) ? noise(random, 40) : Buffer.from(preface)]);
	},
};

export function makeHttpAttack(random: Random, port: number): HttpAttack {
	const [kind, make] = random.pick(Object.entries(makers));
	const request = make(random, port);
	if (Buffer.isBuffer(request)) return { kind, bytes: request, isWellFormed: false };
	return { kind, bytes: write(request), isWellFormed: kind !== "body" };
}
