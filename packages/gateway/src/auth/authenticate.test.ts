import { ManualClock, seededIds } from "@parley/base/testing";
import { operator } from "@parley/core";
import { expect, test } from "vitest";
import type { AuthMode } from "./auth-mode.ts";
import { type AuthenticateOptions, createAuthenticate } from "./authenticate.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { FailedAuthLimiter } from "./limiter.ts";
import { mintToken, tokenRecord } from "./tokens.ts";

const token = mintToken("operator", seededIds(1));
const another = mintToken("operator", seededIds(2));
const record = tokenRecord(token, operator);

function setUp(options: Partial<AuthenticateOptions> & { isLocal?: boolean } = {}) {
	const clock = new ManualClock();
	const asked: unknown[] = [];
	const authenticate = createAuthenticate({
		mode: "local",
		trustLocal: true,
		tokens: record === undefined ? [] : [record],
		limiter: new FailedAuthLimiter(clock),
		localPeers: {
			async isLocal(connection) {
				asked.push(connection);
				return options.isLocal ?? true;
			},
		},
		...options,
	});
	return { authenticate, clock, asked };
}

function request(headers: Record<string, string> = {}, remoteAddress = "127.0.0.1"): IncomingRequest {
	const socket = { localAddress: "127.0.0.1", localPort: 7777, remoteAddress, remotePort: 50_000 };
	return { rawHeaders: Object.entries({ Host: "127.0.0.1:7777", ...headers }).flat(), socket };
}

const accepted = { principal: operator };

const modes: readonly AuthMode[] = ["local", "token", "none"];

test.each(modes)(
	"in mode %s a right token is the operator, from anywhere, whatever else is said",
	async (mode) => {
		const { authenticate, asked } = setUp({ mode, isLocal: false });
		const headers = {
			authorization: `Bearer ${token}`,
			"X-Forwarded-For": "1.2.3.4",
			Origin: "http://a.test",
		};
		expect(await authenticate(request(headers, "192.168.1.9"))).toEqual(accepted);
		expect(await authenticate(request({ Authorization: `bEARER  ${token}` }))).toEqual(accepted);
		expect(asked).toEqual([]);
	},
);

test.each(modes)(
	"in mode %s whatever else is presented is refused, also to a local process",
	async (mode) => {
		const { authenticate, asked } = setUp({ mode });
		for (const authorization of [
			`Bearer ${another}`,
			`Bearer ${token}x`,
			`Bearer ${token} ${token}`,
			"Bearer undefined",
			"Bearer null",
			"Bearer",
			"",
			token,
			`Token ${token}`,
			`Basic ${btoa(`operator:${token}`)}`,
		]) {
			expect((await authenticate(request({ authorization }))).refusal?.status).toBe(401);
		}
		expect(asked).toEqual([]);
	},
);

test("two credentials are none, even when one of them is right", async () => {
	const { authenticate } = setUp();
	const twice = { authorization: `Bearer ${token}`, AUTHORIZATION: `Bearer ${token}` };
	expect((await authenticate(request(twice))).refusal?.status).toBe(401);
});

test("without a token a process of the operator is the operator, another is not", async () => {
	const own = setUp();
	const asking = request();
	expect(await own.authenticate(asking)).toEqual(accepted);
	expect(own.asked).toEqual([asking.socket]);
	const foreign = setUp({ isLocal: false });
	expect((await foreign.authenticate(asking)).refusal).toEqual({
		status: 401,
		headers: { "www-authenticate": "Bearer" },
		body: { error: "unauthorized", hint: expect.stringMatching(/Authorization: Bearer .*parley token/) },
	});
});

test.each([
	["Forwarded", "for=127.0.0.1"],
	["X-Forwarded-For", "127.0.0.1"],
	["X-FORWARDED-HOST", "127.0.0.1:7777"],
	["x-forwarded-proto", ""],
	["X-Real-IP", "127.0.0.1"],
	["Via", "1.1 proxy"],
	["X-Client-IP", "10.0.0.1"],
	["Client-IP", "10.0.0.1"],
	["True-Client-IP", "10.0.0.1"],
	["X-Cluster-Client-IP", "10.0.0.1"],
	["Fastly-Client-IP", "10.0.0.1"],
	["X-Azure-ClientIP", "10.0.0.1"],
	["CF-Connecting-IP", "10.0.0.1"],
	["CF-Connecting-IPv6", "2001:db8::1"],
	["X-Envoy-External-Address", "10.0.0.1"],
	["X-Forwarded", "for=10.0.0.1"],
	["Forwarded-For", "10.0.0.1"],
	["X-Original-Forwarded-For", "10.0.0.1"],
	["X_Forwarded_For", "10.0.0.1"],
	["X-Originating-IP", "10.0.0.1"],
	["X-Remote-Addr", "10.0.0.1"],
	["Origin", "http://127.0.0.1:7777"],
	["Sec-Fetch-Site", "same-origin"],
	["sec-fetch-site", "none"],
])("a request with %s: %s was passed on or comes from a browser, and needs a token", async (name, value) => {
	for (const mode of ["local", "none"] as const) {
		const { authenticate, asked } = setUp({ mode });
		expect((await authenticate(request({ [name]: value }))).refusal?.status).toBe(401);
		expect(asked).toEqual([]);
	}
});

test("headers of an ordinary client are no sign of a proxy", async () => {
	const { authenticate } = setUp();
	const headers = {
		"User-Agent": "client/1.0",
		Accept: "*/*",
		"X-Client-Name": "viable",
		Connection: "close",
	};
	expect(await authenticate(request(headers))).toEqual(accepted);
});

test("Sec-Fetch-Mode alone is no sign of a browser", async () => {
	const { authenticate } = setUp();
	expect(await authenticate(request({ "Sec-Fetch-Mode": "websocket" }))).toEqual(accepted);
});

test("local trust that is switched off asks everybody for a token", async () => {
	const { authenticate, asked } = setUp({ trustLocal: false });
	expect((await authenticate(request())).refusal?.status).toBe(401);
	expect(asked).toEqual([]);
});

test("mode token asks everybody for a token, mode none nobody on this machine", async () => {
	const strict = setUp({ mode: "token" });
	expect((await strict.authenticate(request())).refusal?.status).toBe(401);
	const open = setUp({ mode: "none", isLocal: false });
	expect(await open.authenticate(request())).toEqual(accepted);
	expect(await open.authenticate(request({}, "::ffff:127.0.0.1"))).toEqual(accepted);
	expect((await open.authenticate(request({}, "192.168.1.9"))).refusal?.status).toBe(401);
	expect([...strict.asked, ...open.asked]).toEqual([]);
});

test("a connection that does not end at loopback, or has gone, is not local", async () => {
	const { authenticate } = setUp();
	const lan = {
		localAddress: "192.168.1.5",
		localPort: 7777,
		remoteAddress: "192.168.1.5",
		remotePort: 50_000,
	};
	expect((await authenticate({ rawHeaders: [], socket: lan })).refusal?.status).toBe(401);
	expect((await authenticate({ rawHeaders: [], socket: {} })).refusal?.status).toBe(401);
});

test("after ten wrong tokens in a minute wrong ones are held back, a right one and silence never are", async () => {
	const { authenticate, clock } = setUp();
	const wrong = request({ authorization: `Bearer ${another}` });
	for (let attempt = 1; attempt <= 10; attempt++) {
		expect((await authenticate(wrong)).refusal?.status).toBe(401);
	}
	expect((await authenticate(wrong)).refusal).toMatchObject({
		status: 429,
		headers: { "retry-after": "300" },
	});
	expect(await authenticate(request({ authorization: `Bearer ${token}` }))).toEqual(accepted);
	expect(await authenticate(request())).toEqual(accepted);
	const elsewhere = request({ authorization: `Bearer ${another}` }, "127.0.0.2");
	expect((await authenticate(elsewhere)).refusal?.status).toBe(401);
	clock.advance(300_000);
	expect((await authenticate(wrong)).refusal?.status).toBe(401);
});

test("a page that guesses is counted by its origin, apart from the programs of this machine", async () => {
	const { authenticate } = setUp();
	const authorization = `Bearer ${another}`;
	for (let attempt = 1; attempt <= 11; attempt++) {
		await authenticate(request({ authorization, origin: "http://127.0.0.1:7777" }));
	}
	const page = request({ authorization, origin: "http://127.0.0.1:7777" });
	expect((await authenticate(page)).refusal?.status).toBe(429);
	expect((await authenticate(request({ authorization }))).refusal?.status).toBe(401);
});
