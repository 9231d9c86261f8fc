import { expect, test } from "vitest";
import { resolveEndpoint } from "./create-client.ts";

test.each([
	["http://127.0.0.1:7777", "ws://127.0.0.1:7777/api/ws"],
	["https://parley.example/", "wss://parley.example/api/ws"],
	["ws://[::1]:7777/api/ws", "ws://[::1]:7777/api/ws"],
	["wss://parley.example/behind/a/proxy", "wss://parley.example/behind/a/proxy"],
])("%s has the address %s", (given, endpoint) => {
	expect(resolveEndpoint(given).href).toBe(endpoint);
});

test.each(["", "127.0.0.1:7777", "ftp://host", "not a url"])("%j is not an address of a gateway", (given) => {
	expect(() => resolveEndpoint(given)).toThrow(`"${given}" is not the address of a gateway`);
});

test("a secret in the address is refused and not repeated", () => {
	for (const url of ["http://me:s3cret@host", "http://host/?token=s3cret", "http://host/#s3cret"]) {
		expect(() => resolveEndpoint(url)).toThrow(/^(?!.*s3cret).*use only host, port and path$/);
	}
});
