import { mintToken } from "@parley/base";
import { ManualClock, seededIds } from "@parley/base/testing";
import { operator } from "@parley/core";
import { expect, test } from "vitest";
import { fc } from "../../../../test/properties.ts";
import type { AuthMode } from "./auth-mode.ts";
import { type AuthenticateOptions, createAuthenticate } from "./authenticate.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { FailedAuthLimiter } from "./limiter.ts";
import { Tickets } from "./tickets.ts";

const token = mintToken("operator", seededIds(1));
const another = mintToken("operator", seededIds(2));
const tokens = {
	verify: (text: string) => (text === token ? operator : undefined),
	counts: () => true,
};

function setUp(options: Partial<AuthenticateOptions> & { isLocal?: boolean } = {}) {
	const clock = new ManualClock();
	const lookups: unknown[] = [];
	const sampled: string[] = [];
	const tickets = new Tickets({ clock, ids: seededIds(3), tokens });
	const authenticate = createAuthenticate({
		mode: "local",
		trustLocal: true,
		tokens,
		tickets,
		sample: ({ action, object, decision }) => void sampled.push(`${action} ${object} ${decision}`),
		limiter: new FailedAuthLimiter(clock),
		localPeers: {
			async isLocal(connection) {
				lookups.push(connection);
				return options.isLocal ?? true;
			},
		},
		...options,
	});
	return { authenticate, clock, lookups, tickets, sampled };
}

function request(headers: Record<string, string> = {}, remoteAddress = "127.0.0.1"): IncomingRequest {
	const socket = { localAddress: "127.0.0.1", localPort: 7777, remoteAddress, remotePort: 50_000 };
	return { rawHeaders: Object.entries({ Host: "127.0.0.1:7777", ...headers }).flat(), socket };
}

const accepted = { principal: operator };

const modes: readonly AuthMode[] = ["local", "token", "none"];

test.each(modes)("in mode %s a valid token identifies the operator, from any address", async (mode) => {
	const { authenticate, lookups } = setUp({ mode, isLocal: false });
	const headers = {
		authorization: `Bearer ${token}`,
		"X-Forwarded-For": "1.2.3.4",
		Origin: "http://a.test",
	};
	expect(await authenticate(request(headers, "192.168.1.9"))).toEqual(accepted);
	expect(await authenticate(request({ Authorization: `bEARER  ${token}` }))).toEqual(accepted);
	expect(lookups).toEqual([]);
});

test.each(modes)("in mode %s any other credential is refused, also from a local process", async (mode) => {
	const { authenticate, lookups } = setUp({ mode });
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
	expect(lookups).toEqual([]);
});

test("two credentials are refused, even if one of them is valid", async () => {
	const { authenticate } = setUp();
	const twice = { authorization: `Bearer ${token}`, AUTHORIZATION: `Bearer ${token}` };
	expect((await authenticate(request(twice))).refusal?.status).toBe(401);
});

test("without a token a process of the operator has the operator's rights, and another process does not", async () => {
	const own = setUp();
	const asking = request();
	expect(await own.authenticate(asking)).toEqual(accepted);
	expect(own.lookups).toEqual([asking.socket]);
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
])("a request with %s: %s is from a proxy or a browser, and needs a token", async (name, value) => {
	for (const mode of ["local", "none"] as const) {
		const { authenticate, lookups } = setUp({ mode });
		expect((await authenticate(request({ [name]: value }))).refusal?.status).toBe(401);
		expect(lookups).toEqual([]);
	}
});

test("headers of an ordinary client do not look like a proxy", async () => {
	const { authenticate } = setUp();
	const headers = {
		"User-Agent": "client/1.0",
		Accept: "*/*",
		"X-Client-Name": "viable",
		Connection: "close",
	};
	expect(await authenticate(request(headers))).toEqual(accepted);
});

test("Sec-Fetch-Mode alone does not identify a browser", async () => {
	const { authenticate } = setUp();
	expect(await authenticate(request({ "Sec-Fetch-Mode": "websocket" }))).toEqual(accepted);
});

test("without local trust all callers need a token", async () => {
	const { authenticate, lookups } = setUp({ trustLocal: false });
	expect((await authenticate(request())).refusal?.status).toBe(401);
	expect(lookups).toEqual([]);
});

test("mode token requires a token from all callers, and mode none from no caller on this machine", async () => {
	const strict = setUp({ mode: "token" });
	expect((await strict.authenticate(request())).refusal?.status).toBe(401);
	const open = setUp({ mode: "none", isLocal: false });
	expect(await open.authenticate(request())).toEqual(accepted);
	expect(await open.authenticate(request({}, "::ffff:127.0.0.1"))).toEqual(accepted);
	expect((await open.authenticate(request({}, "192.168.1.9"))).refusal?.status).toBe(401);
	expect([...strict.lookups, ...open.lookups]).toEqual([]);
});

test("a connection that does not end at loopback, or is closed, is not local", async () => {
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

test("after ten wrong tokens in a minute wrong ones are delayed, but not a valid or missing one", async () => {
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

test("wrong tokens of a page are counted by its origin, apart from programs of this machine", async () => {
	const { authenticate } = setUp();
	const authorization = `Bearer ${another}`;
	for (let attempt = 1; attempt <= 11; attempt++) {
		await authenticate(request({ authorization, origin: "http://127.0.0.1:7777" }));
	}
	const page = request({ authorization, origin: "http://127.0.0.1:7777" });
	expect((await authenticate(page)).refusal?.status).toBe(429);
	expect((await authenticate(request({ authorization }))).refusal?.status).toBe(401);
});

test("failures are counted by kind of credential, so that other clients are not locked out", async () => {
	const { authenticate, sampled } = setUp();
	const wrong = {
		operator: another,
		observer: mintToken("observer", seededIds(4)),
		connector: mintToken("connector", seededIds(4)).slice(0, -3),
		other: "changeme",
	};
	for (const text of Object.values(wrong)) {
		const authorization = `Bearer ${text}`;
		for (let attempt = 1; attempt <= 10; attempt++) {
			expect((await authenticate(request({ authorization }))).refusal?.status).toBe(401);
		}
		expect((await authenticate(request({ authorization }))).refusal?.status).toBe(429);
	}
	expect(await authenticate(request({ authorization: `Bearer ${token}` }))).toEqual(accepted);
	expect([...new Set(sampled)]).toEqual(
		Object.keys(wrong).map((kind) => `auth.fail ${kind} 127.0.0.1 denied`),
	);
	expect(sampled).toHaveLength(44);
});

test("refusals without a credential are recorded by kind of peer, and never delayed", async () => {
	const { authenticate, sampled } = setUp({ mode: "token" });
	const asking = [
		request(),
		request({}, "192.168.1.9"),
		request({ "X-Forwarded-For": "10.0.0.1" }),
		request({ Origin: "http://a.test" }),
	];
	for (const one of asking) expect((await authenticate(one)).refusal?.status).toBe(401);
	expect(sampled).toEqual(
		["loopback", "remote", "forwarded", "browser"].map((kind) => `auth.fail none ${kind} denied`),
	);
	for (let n = 0; n < 20; n++) expect((await authenticate(request())).refusal?.status).toBe(401);
	const own = setUp();
	await own.authenticate(request());
	expect(own.sampled).toEqual([]);
});

const webSocket = { opensWebSocket: true };

function offering(...names: readonly string[]): IncomingRequest {
	return request({ "Sec-WebSocket-Protocol": names.join(", "), Origin: "http://127.0.0.1:7777" });
}

test("a page opens one WebSocket with a ticket, which has no other use", async () => {
	const { authenticate, tickets } = setUp({ mode: "token" });
	const ticket = tickets.issue(operator);
	expect((await authenticate(offering(`parley.ticket.${ticket}`))).refusal?.status).toBe(401);
	for (const credential of [`Bearer ${ticket}`, `Bearer parley.ticket.${ticket}`]) {
		expect((await authenticate(request({ authorization: credential }))).refusal?.status).toBe(401);
	}
	expect(await authenticate(offering("chat", `parley.ticket.${ticket}`), webSocket)).toEqual(accepted);
	expect((await authenticate(offering(`parley.ticket.${ticket}`), webSocket)).refusal?.status).toBe(401);
});

test("a token is not a ticket, and two credentials are refused", async () => {
	const { authenticate, tickets, sampled } = setUp();
	const wrong = async (...names: readonly string[]) =>
		(await authenticate(offering(...names), webSocket)).refusal?.status;
	expect(await wrong(`parley.ticket.${token}`)).toBe(401);
	expect(await wrong("parley.ticket.")).toBe(401);
	expect(await wrong("parley.ticket.undefined")).toBe(401);
	const [one, other] = [tickets.issue(operator), tickets.issue(operator)];
	expect(await wrong(`parley.ticket.${one}`, `parley.ticket.${other}`)).toBe(401);
	const both = { authorization: `Bearer ${token}`, "Sec-WebSocket-Protocol": `parley.ticket.${one}` };
	expect((await authenticate(request(both), webSocket)).refusal?.status).toBe(401);
	expect(sampled).toContain("auth.fail ticket http://127.0.0.1:7777 denied");
});

test("every fault of a credential has the same response", async () => {
	const { authenticate } = setUp();
	const bodies = new Set<string>();
	for (const text of [another, `${token}x`, "undefined", "", mintToken("connector", seededIds(9))]) {
		const { refusal } = await authenticate(request({ authorization: `Bearer ${text}` }, "10.1.1.1"));
		bodies.add(JSON.stringify(refusal));
	}
	bodies.add(JSON.stringify((await authenticate(request({}, "10.1.1.2"))).refusal));
	expect(bodies.size).toBe(1);
});

test("only the token is accepted from a caller that needs one", async () => {
	const { authenticate } = setUp({ mode: "token" });
	const near = fc.nat(token.length).chain((at) => fc.string().map((text) => token.slice(0, at) + text));
	const credential = fc.oneof(
		fc.string(),
		near.map((text) => `Bearer ${text}`),
		near,
	);
	await fc.assert(
		fc.asyncProperty(credential, fc.boolean(), async (authorization, opensWebSocket) => {
			fc.pre(authorization !== `Bearer ${token}`);
			const { principal } = await authenticate(request({ authorization }), { opensWebSocket });
			expect(principal).toBeUndefined();
		}),
	);
});
