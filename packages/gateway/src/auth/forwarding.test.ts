import { expect, test } from "vitest";
import { createNetworks } from "../transport/networks.ts";
import { findOrigin } from "./forwarding.ts";
import type { IncomingRequest } from "./incoming-request.ts";

const proxies = createNetworks(["10.0.0.0/8", "127.0.0.1", "fd00::/8"]);

type Header = readonly [name: string, value: string];

function request(headers: readonly Header[], remoteAddress = "10.0.0.1", encrypted = false): IncomingRequest {
	const localAddress = remoteAddress === "127.0.0.1" ? "127.0.0.1" : "192.0.2.1";
	return { rawHeaders: headers.flat(), socket: { localAddress, remoteAddress, encrypted } };
}

function peer(...headers: readonly Header[]): string | undefined {
	return findOrigin(request(headers), proxies).origin?.peer;
}

test.each<[string, string]>([
	["203.0.113.9", "203.0.113.9"],
	["203.0.113.9:4711", "203.0.113.9"],
	["2001:DB8::9", "2001:db8::9"],
	["[2001:db8::9]:4711", "2001:db8::9"],
	["::ffff:203.0.113.9", "203.0.113.9"],
	// The client itself wrote the addresses to the left of its own address.
	["198.51.100.1, 203.0.113.9", "203.0.113.9"],
	["127.0.0.1, 203.0.113.9", "203.0.113.9"],
	["198.51.100.1, 203.0.113.9, 10.9.9.9, fd00::1", "203.0.113.9"],
	["10.1.1.1, 10.2.2.2", "10.1.1.1"],
	["203.0.113.9, unknown", "10.0.0.1"],
	["203.0.113.9, evil.test, 10.2.2.2", "10.2.2.2"],
	["", "10.0.0.1"],
	["203.0.113.9, 0x7f.1", "10.0.0.1"],
])("behind a trusted proxy that says %j the client is %s", (chain, client) => {
	expect(peer(["X-Forwarded-For", chain])).toBe(client);
	const lines = chain.split(",").map((value): Header => ["x-forwarded-for", value]);
	expect(peer(...lines)).toBe(client);
});

test.each<[string, string]>([
	["for=203.0.113.9", "203.0.113.9"],
	["For=203.0.113.9;proto=https;by=10.0.0.1", "203.0.113.9"],
	['for="[2001:db8::9]:4711"', "2001:db8::9"],
	['for="203.0.113.1, 1.2.3.4";host="a,b", for=203.0.113.9;proto=http', "203.0.113.9"],
	["for=198.51.100.1, for=203.0.113.9, for=10.2.2.2", "203.0.113.9"],
	["for=_hidden", "10.0.0.1"],
	["for=203.0.113.9, proto=https", "10.0.0.1"],
	['for="203.0.113.9', "10.0.0.1"],
	["for=203.0.113.1, one two, for=203.0.113.9", "10.0.0.1"],
	[' , for=203.0.113.9 ; proto="https" ,', "203.0.113.9"],
])("behind a trusted proxy with Forwarded: %s the client is %s", (value, client) => {
	expect(peer(["Forwarded", value])).toBe(client);
});

test.each([
	["a name without an end", "a".repeat(200_000)],
	["a quote that does not end", `"${'\\"'.repeat(100_000)}`],
	["blanks", `a=b${" ".repeat(200_000)}c`],
])("%s in Forwarded is parsed in linear time", (_, value) => {
	expect(peer(["Forwarded", value])).toBe("10.0.0.1");
});

test("two headers that name different clients are refused, because the client wrote one of them", () => {
	const contradicting = request([
		["Forwarded", "for=127.0.0.1"],
		["X-Forwarded-For", "203.0.113.9"],
	]);
	expect(findOrigin(contradicting, proxies).refusal?.status).toBe(400);
	expect(peer(["Forwarded", "for=203.0.113.9"], ["X-Forwarded-For", "1.1.1.1, 203.0.113.9"])).toBe(
		"203.0.113.9",
	);
});

test("headers about the client are accepted only from trusted proxies", () => {
	const headers: Header[] = [
		["X-Forwarded-For", "127.0.0.1"],
		["X-Forwarded-Proto", "https"],
		["Forwarded", "for=10.0.0.1;proto=https"],
	];
	for (const trusted of [proxies, undefined, createNetworks([])]) {
		expect(findOrigin(request(headers, "203.0.113.7"), trusted).origin).toEqual({
			peer: "203.0.113.7",
			confidential: false,
		});
	}
});

test.each<[boolean, readonly Header[]]>([
	[true, [["X-Forwarded-Proto", "https"]]],
	[true, [["X-Forwarded-Proto", "wss"]]],
	[true, [["X-Forwarded-Proto", "https, HTTPS"]]],
	[true, [["Forwarded", "for=203.0.113.9;proto=https"]]],
	[false, [["X-Forwarded-Proto", "http"]]],
	[false, [["X-Forwarded-Proto", "https, http"]]],
	[false, [["X-Forwarded-Proto", ""]]],
	[false, [["X-Forwarded-For", "203.0.113.9"]]],
	[false, [["Forwarded", "for=203.0.113.9"]]],
	[
		false,
		[
			["X-Forwarded-Proto", "http"],
			["Forwarded", "for=203.0.113.9;proto=https"],
		],
	],
])("confidential is %s if the proxy reports %j", (confidential, headers) => {
	expect(findOrigin(request(headers), proxies).origin?.confidential).toBe(confidential);
	expect(findOrigin(request(headers, "10.0.0.1", true), proxies).origin?.confidential).toBe(confidential);
});

test("without a proxy TLS is confidential, and loopback unless the request was forwarded", () => {
	const confidential = (...given: Parameters<typeof request>) =>
		findOrigin(request(...given), undefined).origin?.confidential;
	expect(confidential([], "203.0.113.7")).toBe(false);
	expect(confidential([], "203.0.113.7", true)).toBe(true);
	expect(confidential([], "127.0.0.1")).toBe(true);
	expect(confidential([["X-Real-IP", "203.0.113.7"]], "127.0.0.1")).toBe(false);
	expect(findOrigin(request([], "127.0.0.1"), proxies).origin).toEqual({
		peer: "127.0.0.1",
		confidential: true,
	});
});
