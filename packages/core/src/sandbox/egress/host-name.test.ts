import { expect, test } from "vitest";
import { isAllowedHost, readAllowedHost, readHostName } from "./host-name.ts";

test.each([
	["packages.example.org", "packages.example.org"],
	["Packages.Example.ORG.", "packages.example.org"],
	["bücher.example", "xn--bcher-kva.example"],
	["XN--BCHER-KVA.example", "xn--bcher-kva.example"],
	["ｅxample.com", "example.com"],
	["exa\u{ad}mple.com", undefined],
	["_dmarc.example.com", "_dmarc.example.com"],
])("the name %j is normalised to %j", (text, name) => {
	expect(readHostName(text)).toBe(name);
});

test.each([
	...[
		"127.0.0.1",
		"127.1",
		"2130706433",
		"0x7f.0.0.1",
		"0177.0.0.1",
		"1.2.3.4.",
		"[::1]",
		"::1",
		"[::ffff:1.2.3.4]",
	],
	...["localhost", "com", "", ".", "..", "a..b", ".example.com", "example.com.."],
	...[
		"example.com/",
		"a@example.com",
		"example.com:443",
		"example.com#",
		"exam ple.com",
		"exam%70le.com",
		"a\\b.com",
	],
	...[
		"example.com\0",
		"example.com\n",
		`${"a".repeat(64)}.com`,
		`${"a.".repeat(127)}com`,
		"*.example.com",
		"a,b.com",
	],
])("%j is not a public host name", (text) => {
	expect(readHostName(text)).toBeUndefined();
});

test.each([
	"*",
	"*.com",
	"**.example.com",
	"*example.com",
	"a.*.com",
	"*.",
	"*.127.0.0.1",
	"https://example.com",
])("%j is not an entry for the list", (text) => {
	expect(readAllowedHost(text)).toBeUndefined();
});

test("an entry with an asterisk matches all names below its name but not the name itself", () => {
	const allowed = ["*.Example.com.", "one.test"].map((entry) => readAllowedHost(entry) ?? "");
	expect(allowed).toEqual(["*.example.com", "one.test"]);
	const hosts = [
		"a.example.com",
		"a.b.example.com",
		"one.test",
		"example.com",
		"badexample.com",
		"a.one.test",
	];
	expect(hosts.filter((host) => isAllowedHost(host, allowed))).toEqual(hosts.slice(0, 3));
	expect(isAllowedHost("a.example.com", [])).toBe(false);
});
