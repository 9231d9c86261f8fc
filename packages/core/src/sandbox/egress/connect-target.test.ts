import { expect, test } from "vitest";
import { readTarget, shownTarget } from "./host-name.ts";

const allowed = ["example.com", "*.example.org"];

test.each([
	["example.com:443", "example.com"],
	["EXAMPLE.com.:443", "example.com"],
	["a.b.Example.ORG:0443", "a.b.example.org"],
])("%j is resolved to %j", (authority, host) => {
	expect(readTarget(authority, allowed)).toBe(host);
});

test.each([
	["example.com:80", "port 80 is not allowed: use port 443"],
	["example.com:22", "port 22 is not allowed: use port 443"],
	["example.com:4430", "port 4430 is not allowed: use port 443"],
	[
		"other.com:443",
		"the host is not on the list of hosts that commands may reach: ask the operator to add the host",
	],
	[
		"example.org:443",
		"the host is not on the list of hosts that commands may reach: ask the operator to add the host",
	],
	[
		"example.com.evil.net:443",
		"the host is not on the list of hosts that commands may reach: ask the operator to add the host",
	],
	["93.184.215.14:443", "only full host names are allowed, not IP addresses: use a name such as example.com"],
	["0x5db8d70e:443", "only full host names are allowed, not IP addresses: use a name such as example.com"],
	[
		"[2606:2800::1]:443",
		"only full host names are allowed, not IP addresses: use a name such as example.com",
	],
	[
		"user@example.com:443",
		"only full host names are allowed, not IP addresses: use a name such as example.com",
	],
	["localhost:443", "only full host names are allowed, not IP addresses: use a name such as example.com"],
])("%j is refused: %s", (authority, message) => {
	expect(() => readTarget(authority, allowed)).toThrow(
		expect.objectContaining({ code: "permission_denied", message }),
	);
});

test.each([
	"",
	"example.com",
	":443",
	"example.com:",
	"a:b:443",
	"https://example.com:443/",
	"example.com:443 ",
])("%j is not a host and port", (authority) => {
	expect(() => readTarget(authority, allowed)).toThrow(expect.objectContaining({ code: "invalid_argument" }));
});

test("a logged target is short and has no invisible characters", () => {
	expect(shownTarget(`a\n\u{1b}[31m\u{202e}b ${"c".repeat(200)}`)).toMatch(
		/^a\ufffd\ufffd\[31m\ufffdb\ufffdc{90}$/,
	);
});
