import { expect, test } from "vitest";
import { formatEndpoint, isLoopback, parseEndpoint } from "./address.ts";

test.each([
	["127.0.0.1:7777", { host: "127.0.0.1", port: 7777 }],
	["[::1]:0", { host: "::1", port: 0 }],
	["[2001:DB8::1]:65535", { host: "2001:DB8::1", port: 65_535 }],
	["localhost:80", { host: "localhost", port: 80 }],
	["my-host.example:8080", { host: "my-host.example", port: 8080 }],
])("%s is a listener address", (text, endpoint) => {
	expect(parseEndpoint(text)).toEqual(endpoint);
	expect(formatEndpoint(endpoint)).toBe(text);
});

test.each([
	"",
	"7777",
	":7777",
	"127.0.0.1",
	"127.0.0.1:",
	"127.0.0.1:07777",
	"127.0.0.1:65536",
	"127.0.0.1:-1",
	"127.0.0.1:7777 ",
	" 127.0.0.1:7777",
	"127.0.0.1:7777\n",
	"::1:7777",
	"[::1]",
	"[::1]7777",
	"[127.0.0.1]:7777",
	"[::1%lo]:7777",
	"[1:2:3]:7777",
	"http://127.0.0.1:7777",
	"127.0.0.1:7777/",
	"user@127.0.0.1:7777",
	"*:7777",
])("%j is not an address", (text) => {
	expect(parseEndpoint(text)).toBeUndefined();
});

test.each([
	["127.0.0.1", true],
	["127.255.255.254", true],
	["::1", true],
	["0:0:0:0:0:0:0:1", true],
	["::ffff:127.0.0.1", true],
	["127.evil.example", false],
	["127.0.0.1.evil.example", false],
	["127.1", false],
	["localhost", false],
	["0.0.0.0", false],
	["::", false],
	["128.0.0.1", false],
	["::ffff:10.0.0.1", false],
	["::2", false],
	["", false],
])("whether %j is a loopback address: %s", (address, expected) => {
	expect(isLoopback(address)).toBe(expected);
});
