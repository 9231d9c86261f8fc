import { expect, test } from "vitest";
import { createNetworks, isNetwork, plainAddress } from "./networks.ts";

test.each(["10.0.0.1", "10.0.0.0/8", "128.0.0.0/1", "1.2.3.4/32", "::1", "fd00::/8", "::ffff:10.0.0.0/104"])(
	"%s is an address or a network",
	(text) => {
		expect(isNetwork(text)).toBe(true);
	},
);

test.each([
	"",
	"10",
	"10.1",
	"0x0a.0.0.1",
	"010.0.0.1",
	"10.0.0.0/33",
	"10.0.0.0/",
	"10.0.0.0/+8",
	"0.0.0.0/0",
	"::/0",
	"::ffff:0:0/96",
	"::ffff:10.0.0.0/90",
	"10.0.0.0/008",
	"::1/129",
])("%j is not an address or a network", (text) => {
	expect(isNetwork(text)).toBe(false);
});

test.each(["proxy.example", "10.0.0.0/8/8", "fe80::1%lo", "10.0.0.0/255.0.0.0", " 10.0.0.1", "[::1]"])(
	"the malformed text %j is not an address or a network",
	(text) => {
		expect(isNetwork(text)).toBe(false);
	},
);

test("an address is matched to its networks in any notation", () => {
	const networks = createNetworks(["10.0.0.0/8", "192.0.2.7", "fd00::/8", "::ffff:203.0.113.0/120"]);
	const inside = ["10.255.0.1", "::ffff:10.1.2.3", "192.0.2.7", "fd12::1", "203.0.113.9", "FD00:0::1"];
	const outside = [
		"11.0.0.1",
		"192.0.2.8",
		"fe80::1",
		"203.0.114.9",
		"",
		"10.1",
		"proxy.example",
		"::ffff:b00:1",
	];
	expect(inside.map((address) => networks.has(address))).toEqual(inside.map(() => true));
	expect(outside.map((address) => networks.has(address))).toEqual(outside.map(() => false));
	expect(createNetworks([]).has("127.0.0.1")).toBe(false);
});

test("an address has one normal form", () => {
	expect(plainAddress("::ffff:192.168.1.5")).toBe("192.168.1.5");
	expect(plainAddress("2001:DB8:0:0::1")).toBe("2001:db8::1");
	expect(plainAddress("fe80::1%eth0")).toBe("fe80::1");
	expect(plainAddress("unknown")).toBe("unknown");
});
