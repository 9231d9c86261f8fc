import { systemClock } from "@parley/base";
import { pacedNow } from "@parley/base/testing";
import { expect, test } from "vitest";
import { compilePath } from "./path-pattern.ts";

const roots = ["/w", "/other"];

test.each([
	// Columns: pattern, path, result of `fits`, result of `mayMatch`.
	["secrets/**", "/w/secrets/a/b", true, true],
	["secrets/**", "/w/secrets", true, true],
	["secrets/**", "/other/secrets/a", true, true],
	["secrets/**", "/w/src/secrets/a", false, false],
	["secrets/**", "/w/SECRETS/a", false, true],
	["secrets/**", "/w/secr*", false, true],
	["secrets/**", "/x/secrets/a", false, false],
	["secrets/", "/w/secrets/a", true, true],
	["./secrets", "/w/secrets/a", true, true],
	["./secrets", "/w/a/secrets", false, false],
	["*.pem", "/w/a/b.pem", true, true],
	["*.pem", "/home/b.pem", false, true],
	["*.pem", "/w/b.pem.txt", false, false],
	["node_modules", "/w/a/node_modules/b/c", true, true],
	["**/x/*.ts", "/w/a/x/b.ts", true, true],
	["src/{a,b}/*.ts", "/w/src/b/c.ts", true, true],
	["src/{a,b}/*.ts", "/w/src/c/c.ts", false, false],
	["/etc", "/etc/passwd", true, true],
	["/etc", "/w/etc/passwd", false, false],
	["/etc/*.conf", "/etc/a.conf", true, true],
	["/", "/anything", true, true],
	["**", "/w", true, true],
	[".", "/w/a", true, true],
	[".", "/x/a", false, false],
])("the pattern %j and the path %j: it fits (%j), and could match (%j)", (pattern, path, fits, mayMatch) => {
	const compiled = compilePath(pattern);
	expect(compiled.fits(path, roots)).toBe(fits);
	expect(compiled.mayMatch(path, roots)).toBe(mayMatch);
});

test.each([
	["secrets/**", "/w", true],
	["secrets/**", "/w/secrets/a", true],
	["secrets/**", "/w/src", false],
	["*.pem", "/w/src", true],
	["src/**/*.pem", "/w/src/lib", true],
	["src/**/*.pem", "/w/docs", false],
	["/etc", "/", true],
	["/etc", "/w", false],
])("%j may match a path below %j: %j", (pattern, directory, expected) => {
	expect(compilePath(pattern).mayMatchBelow(directory, roots)).toBe(expected);
});

test("no pattern is slow", () => {
	const pattern = compilePath("a*".repeat(100));
	const path = `/w/${"a".repeat(4_000)}b`;
	const before = systemClock.monotonic();
	expect(pattern.fits(path, roots)).toBe(true);
	expect(compilePath(`${"a*".repeat(100)}c`).fits(path, roots)).toBe(false);
	expect(systemClock.monotonic() - before).toBeLessThan(pacedNow(1_000));
});
