import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { setImmediate as tick } from "node:timers/promises";
import { ParleyError, parseJson } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { operator, type Runtime, type SessionSummary } from "@parley/core";
import { expect, test } from "vitest";
import type { AuthOutcome } from "../../auth/authenticate.ts";
import type { RequestRules } from "../../auth/requests.ts";
import { createNetworks } from "../../transport/networks.ts";
import type { HealthStatus } from "./methods/health.ts";
import { createHttpServer } from "./server.ts";

const session: SessionSummary = {
	id: "sess_1",
	externalKey: undefined,
	title: "t",
	rootDir: "/srv",
	status: "active",
	lastSeq: 1,
	messageCount: 0,
	usage: { inputTokens: 1, outputTokens: 2 },
	model: undefined,
	profile: "default",
	createdAt: 0,
	updatedAt: 0,
	cost: 0,
	state: "idle",
};

interface Answers {
	readonly health?: HealthStatus;
	readonly rules?: RequestRules;
	readonly auth?: AuthOutcome;
	readonly list?: Runtime["list"];
	readonly events?: Runtime["history"]["newest"];
}

class TestServer implements AsyncDisposable {
	readonly log = new MemoryLogger();
	readonly clock = new ManualClock();
	/** Names of the called callbacks, in order. */
	readonly steps: string[] = [];
	readonly #server: Server;

	private constructor(answers: Answers) {
		const { list = async () => [session], events = async () => [] } = answers;
		this.#server = createHttpServer({
			api: {
				// The cast is safe because the routes use only these methods.
				runtime: { list, history: { newest: events } } as unknown as Runtime,
				health: {
					status: () => answers.health ?? "ok",
					report: async ({ id }) => ({ status: answers.health ?? "ok", for: id }),
				},
			},
			rules: answers.rules ?? { allowedHosts: [] },
			authenticate: async (_request, { peer } = {}) => {
				this.steps.push(answers.rules ? `authenticate ${peer}` : "authenticate");
				return answers.auth ?? { principal: operator };
			},
			log: this.log,
			clock: this.clock,
			settled: () => this.steps.push("settled"),
			onWebSocket: (_request, socket, _head, { principal: { id }, peer, confidential }) => {
				this.steps.push(`websocket of ${id}${answers.rules ? ` ${peer} ${confidential}` : ""}`);
				socket.end("HTTP/1.1 101 Switching Protocols\r\nconnection: close\r\n\r\n");
			},
		});
	}

	static async start(answers: Answers = {}): Promise<TestServer> {
		const server = new TestServer(answers);
		server.#server.listen(0, "127.0.0.1");
		await once(server.#server, "listening");
		return server;
	}

	async request(path: string, { method = "GET", headers = {} }: { method?: string; headers?: object } = {}) {
		// The cast is safe because the server listens on a port.
		const { port } = this.#server.address() as AddressInfo;
		const sent = httpRequest({ host: "127.0.0.1", port, path, method, headers: { ...headers } });
		sent.end();
		const [response] = await Promise.race([once(sent, "response"), once(sent, "upgrade")]);
		let text = "";
		if (response.statusCode !== 101) for await (const chunk of response) text += chunk;
		const answered: { status: number; headers: IncomingHttpHeaders } = {
			status: response.statusCode,
			headers: response.headers,
		};
		return { ...answered, text };
	}

	/**
	 * Sends the header lines of a request. PORT in a line is replaced with the server's port. Reads until the server
	 * closes the connection.
	 */
	async send(...lines: readonly string[]): Promise<string> {
		// The cast is safe because the server listens on a port.
		const { port } = this.#server.address() as AddressInfo;
		const client = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
		client.write(`${lines.join("\r\n").replaceAll("PORT", String(port))}\r\n\r\n`);
		const answered = await readAll(client);
		client.destroy();
		return answered;
	}

	get watch(): object {
		const { headersTimeout, requestTimeout } = this.#server;
		// The types of Node do not contain `connectionsCheckingInterval`.
		return {
			headersTimeout,
			requestTimeout,
			every: Reflect.get(this.#server, "connectionsCheckingInterval"),
		};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.closeAllConnections();
		this.#server.close();
		await once(this.#server, "close");
	}
}

const upgrade = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
const refused: AuthOutcome = {
	refusal: { status: 401, headers: {}, body: { error: "unauthorized", hint: "" } },
};

test("health needs no credentials and shows only the status", async () => {
	await using server = await TestServer.start({ auth: refused });
	await expect(server.request("/api/health?x=1")).resolves.toMatchObject({
		status: 200,
		text: '{"status":"ok"}',
	});
	expect(server.steps).toEqual([]);
});

const browser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };

test.each([
	["ok", "This gateway works."],
	["degraded", "This gateway has a problem."],
	["draining", "This gateway is stopping."],
] as const)(
	"shows a browser how to connect to a gateway that is %s, without credentials",
	async (health, words) => {
		await using server = await TestServer.start({ auth: refused, health });
		const { status, text, headers } = await server.request("/", browser);
		expect(status).toBe(200);
		expect(text).toContain(words);
		expect(text).toMatch(/<code>ws:\/\/127\.0\.0\.1:\d+\/api\/ws<\/code>/);
		expect(text).toContain(`/mcp</code>`);
		expect(headers).toMatchObject({
			"content-security-policy": expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
			"content-type": "text/html; charset=utf-8",
			connection: "close",
		});
		expect(server.steps).toEqual([]);
	},
);

test("shows the public address of a gateway behind a proxy", async () => {
	const rules = { allowedHosts: [], publicUrl: "https://parley.example" };
	await using server = await TestServer.start({ rules });
	const { text } = await server.request("/", browser);
	expect(text).toContain("<code>wss://parley.example/api/ws</code>");
	expect(text).toContain("<code>parley.example:443</code>");
});

test("the page has no version, path, session or name of a model", async () => {
	await using server = await TestServer.start();
	const { text } = await server.request("/", browser);
	const plain = text.replaceAll(/<style>.*?<\/style>/gs, "").replaceAll("127.0.0.1", "");
	expect(plain).not.toMatch(/\d+\.\d+\.\d+|\/srv|sess_|claude|offline/);
});

test("other programs, methods and hosts get no page", async () => {
	await using server = await TestServer.start({ auth: refused });
	const answers = [
		await server.request("/"),
		await server.request("/", { method: "POST", ...browser }),
		await server.request("/", { headers: { ...browser.headers, host: "elsewhere.example" } }),
		await server.request("/index.html", browser),
	];
	expect(answers.map(({ status }) => status)).toEqual([401, 401, 421, 401]);
	expect((await server.request("/", { method: "HEAD", ...browser })).text).toBe("");
});

test.each(["draining", "degraded"] as const)("a gateway that is %s is not healthy", async (health) => {
	await using server = await TestServer.start({ health });
	await expect(server.request("/api/health")).resolves.toMatchObject({
		status: 503,
		text: `{"status":"${health}"}`,
	});
});

test("authenticated clients get the complete health report", async () => {
	await using stranger = await TestServer.start({ auth: refused });
	for (const query of ["verbose", "verbose=1", "verbose=0", "x=1&verbose"]) {
		expect((await stranger.request(`/api/health?${query}`)).status).toBe(401);
	}
	await using known = await TestServer.start({ health: "degraded" });
	await expect(known.request("/api/health?verbose")).resolves.toMatchObject({
		status: 200,
		text: '{"status":"degraded","for":"operator"}',
	});
});

test("all other paths require authentication", async () => {
	await using server = await TestServer.start({ auth: refused });
	for (const path of [
		"/api/sessions",
		"/api/events",
		"/api/tasks",
		"/api/ws",
		"/",
		"/nope",
		"/api/health/",
	]) {
		expect((await server.request(path)).status, path).toBe(401);
	}
	expect((await server.request("/api/ws", { headers: upgrade })).status).toBe(401);
	expect(new Set(server.steps)).toEqual(new Set(["authenticate"]));
});

test("foreign hosts and origins are refused before authentication, on every path and for each upgrade", async () => {
	await using server = await TestServer.start();
	for (const path of ["/api/health", "/api/sessions", "/api/ws", "/nope"]) {
		for (const more of [{}, upgrade]) {
			const host = await server.request(path, { headers: { ...more, host: "evil.example" } });
			expect(host.status).toBe(421);
			const origin = await server.request(path, { headers: { ...more, origin: "https://evil.example" } });
			expect(origin.status).toBe(403);
		}
	}
	expect(server.steps).toEqual([]);
});

test("responses are JSON with headers against caching and sniffing", async () => {
	await using server = await TestServer.start();
	const { status, headers, text } = await server.request("/api/sessions");
	expect(status).toBe(200);
	expect(headers).toMatchObject({
		"content-type": "application/json",
		"cache-control": "no-store",
		"x-content-type-options": "nosniff",
		"content-length": String(Buffer.byteLength(text)),
	});
	expect(parseJson(text)).toMatchObject([{ id: "sess_1", token_usage: { input: 1, output: 2 } }]);
	const head = await server.request("/api/sessions", { method: "HEAD" });
	expect(head).toMatchObject({ status: 200, text: "", headers: { "content-length": String(text.length) } });
});

test.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])("%s is not served", async (method) => {
	await using server = await TestServer.start();
	const { status, headers } = await server.request("/api/sessions", { method });
	expect(status).toBe(405);
	expect(headers["allow"]).toBe("GET, HEAD");
});

test("an unknown path is not found", async () => {
	await using server = await TestServer.start();
	for (const path of ["/", "/api", "/api/", "/api/session", "/api/constructor", "//api/sessions/.."]) {
		expect((await server.request(path)).status, path).toBe(404);
	}
	expect((await server.request("/api/nope?limit=0")).text).toBe(
		'{"error":"not found: /api/nope; use /api/health, /api/sessions, /api/events or /api/tasks"}',
	);
});

test.each<[ParleyError["code"], number]>([
	["invalid_argument", 400],
	["not_found", 404],
	["permission_denied", 403],
	["unavailable", 503],
	["internal", 500],
	["data_loss", 500],
])("a %s is answered with %i", async (code, status) => {
	const list = () => Promise.reject(new ParleyError("no", { code }));
	await using server = await TestServer.start({ list });
	await expect(server.request("/api/sessions")).resolves.toMatchObject({ status, text: '{"error":"no"}' });
});

test("an unexpected error shows no details to the client", async () => {
	const list = () => Promise.reject(new TypeError("rows is not iterable"));
	await using server = await TestServer.start({ list });
	await expect(server.request("/api/sessions")).resolves.toMatchObject({
		status: 500,
		text: '{"error":"internal error"}',
	});
});

test("a token in the address is refused", async () => {
	await using server = await TestServer.start();
	expect((await server.request("/api/sessions?token=gw_x")).status).toBe(400);
	expect(server.steps).toEqual([]);
});

test("an upgrade to HTTP/2 is ignored, and the request is answered", async () => {
	await using server = await TestServer.start();
	const offer = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABk" };
	expect((await server.request("/api/sessions", { headers: offer })).status).toBe(200);
});

test("an upgrade is passed on only at the WebSocket path, with its caller", async () => {
	await using server = await TestServer.start();
	expect((await server.request("/api/ws")).status).toBe(426);
	expect((await server.request("/api/other", { headers: upgrade })).status).toBe(400);
	server.steps.length = 0;
	expect((await server.request("/api/ws?envelope=flat", { headers: upgrade })).status).toBe(101);
	expect(server.steps).toEqual(["authenticate", "settled", "websocket of operator"]);
});

test("behind a proxy the caller and the encryption are known", async () => {
	const proxies = createNetworks(["127.0.0.1"]);
	await using server = await TestServer.start({ rules: { allowedHosts: [], proxies } });
	const through = (more: object) => ({ headers: { ...upgrade, "x-forwarded-for": "203.0.113.9", ...more } });
	await server.request("/api/ws", through({ "x-forwarded-proto": "https" }));
	await server.request("/api/ws", through({ "x-forwarded-proto": "http" }));
	await server.request("/api/ws", { headers: upgrade });
	expect(server.steps.filter((step) => step !== "settled")).toEqual([
		...["authenticate 203.0.113.9", "websocket of operator 203.0.113.9 true"],
		...["authenticate 203.0.113.9", "websocket of operator 203.0.113.9 false"],
		...["authenticate 127.0.0.1", "websocket of operator 127.0.0.1 true"],
	]);
	for (const headers of [upgrade, {}]) {
		const twice = { ...headers, forwarded: "for=203.0.113.1", "x-forwarded-for": "203.0.113.9" };
		expect((await server.request("/api/ws", { headers: twice })).status).toBe(400);
	}
});

test("an unauthenticated client gets one response for each connection", async () => {
	const bodies = ["Content-Length: 1000", "Transfer-Encoding: chunked"];
	await using server = await TestServer.start({ auth: refused });
	for (const path of ["/api/health", "/api/sessions", "/api/sessions?token=gw_x"]) {
		for (const method of ["GET", "HEAD", "POST"]) {
			for (const body of bodies) {
				const head = [`${method} ${path} HTTP/1.1`, "Connection: keep-alive", body];
				for (const host of ["Host: 127.0.0.1:PORT", "Host: evil.example"]) {
					expect(await server.send(...head, host)).toMatch(/\r\nconnection: close\r\n/i);
				}
			}
		}
	}
	await using known = await TestServer.start();
	expect((await known.request("/api/health")).headers.connection).toBe("close");
	expect((await known.request("/api/sessions")).headers.connection).toBe("keep-alive");
});

test("a request that fails before authentication ends its connection", async () => {
	const auth = new Proxy<AuthOutcome>(refused, {
		get: () => {
			throw new TypeError("no tables");
		},
	});
	await using server = await TestServer.start({ auth });
	const answered = await server.send("GET /api/sessions HTTP/1.1", "Host: 127.0.0.1:PORT");
	expect(answered).toMatch(/^HTTP\/1\.1 500 .*\r\nconnection: close\r\n/is);
});

test.each(["100-continue", "something-else"])(
	"a request that expects %s passes the same checks, and its body is not requested",
	async (expectation) => {
		const head = ["POST /api/sessions HTTP/1.1", "Content-Length: 5", `Expect: ${expectation}`];
		await using server = await TestServer.start({ auth: refused });
		expect(await server.send(...head, "Host: evil.example")).toMatch(/^HTTP\/1\.1 421 /);
		expect(server.steps).toEqual([]);
		expect(await server.send(...head, "Host: 127.0.0.1:PORT")).toMatch(/^HTTP\/1\.1 401 /);
		await using known = await TestServer.start();
		const answered = await known.send(...head, "Host: 127.0.0.1:PORT", "Connection: close");
		expect(answered).toMatch(/^HTTP\/1\.1 405 /);
	},
);

test("a body that no route reads has a time limit", async () => {
	await using server = await TestServer.start();
	const head = ["GET /api/sessions HTTP/1.1", "Host: 127.0.0.1:PORT", "Content-Length: 5"];
	const answered = server.send(...head);
	while (server.clock.pending === 0) await tick();
	server.clock.advance(30_000);
	expect(await answered).toMatch(/^HTTP\/1\.1 200 /);
});

test("slow requests are detected every second", async () => {
	await using server = await TestServer.start();
	expect(server.watch).toEqual({ headersTimeout: 10_000, requestTimeout: 0, every: 1_000 });
});
