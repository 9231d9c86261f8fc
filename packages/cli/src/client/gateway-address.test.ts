import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { createIds } from "@parley/base";
import { loadOrCreateOperatorToken } from "@parley/gateway";
import { expect, test as plainTest } from "vitest";
import { type Io, processIo } from "../command-line/io.ts";
import { findAgain, findGateway, isLoopback, locateGateway } from "./gateway-address.ts";

const running = "http://127.0.0.1:4321";

const test = plainTest.extend<{ io: (environment?: NodeJS.ProcessEnv) => Io }>({
	// biome-ignore lint/correctness/noEmptyPattern: a fixture without other fixtures has an empty pattern
	io: async ({}, use) => {
		const data = await mkdtemp(join(tmpdir(), "parley-cli-"));
		await use((environment = {}) => ({ ...processIo(), environment: { PARLEY_DATA: data, ...environment } }));
		await rm(data, { recursive: true });
	},
});

/** Writes the files of a running gateway, and resolves with the operator's token. */
async function startIn(io: Io): Promise<string> {
	const data = io.environment["PARLEY_DATA"] ?? "";
	await mkdir(join(data, "run"));
	const runtime = { pid: 1, urls: [running], startedAt: "2026-01-01T00:00:00Z", version: "1" };
	await writeFile(join(data, "run", "gateway.json"), JSON.stringify(runtime));
	return loadOrCreateOperatorToken(data, createIds());
}

test("finds the gateway of the data directory and its token", async ({ io }) => {
	const token = await startIn(io());
	expect(await findGateway({}, io())).toEqual({ url: running, token, isLocal: true, isKnown: true });
});

test("rejects a token file that other users can read", async ({ io }) => {
	await startIn(io());
	await chmod(join(io().environment["PARLEY_DATA"] ?? "", "tokens"), 0o755);
	await expect(findGateway({}, io())).rejects.toThrow("chmod 700");
});

test("uses the default address without a token if no gateway runs", async ({ io }) => {
	expect(await locateGateway({}, io())).toEqual({
		url: "http://127.0.0.1:7777",
		token: undefined,
		isLocal: true,
		isKnown: false,
	});
});

test("refuses a named data directory without a gateway, which may run elsewhere with other data", async ({
	io,
}) => {
	const data = io().environment["PARLEY_DATA"] ?? "";
	await expect(findGateway({}, io())).rejects.toThrow(
		`no gateway is running on the data directory ${data}; start a gateway with \`parley start --data ${data}\``,
	);
	await expect(findGateway({ data: `${data}/missing` }, io())).rejects.toThrow(
		`the data directory ${data}/missing does not exist, or you may not access it; correct --data`,
	);
	await expect(findGateway({}, io({ PARLEY_DATA: `${data}/missing` }))).rejects.toThrow(
		"correct PARLEY_DATA",
	);
	const elsewhere = { url: "http://127.0.0.1:2", data: `${data}/missing` };
	expect(await findGateway(elsewhere, io())).toMatchObject({ url: "http://127.0.0.1:2" });
});

test("uses the last address during a restart, until there is another one", async () => {
	const place = (url: string, isKnown = true) => ({ url, token: undefined, isLocal: true, isKnown });
	const [first, unknown, moved] = [place("http://a"), place("http://default", false), place("http://b")];
	const answers = [first, unknown, moved, unknown];
	const find = findAgain(first, async () => answers.shift() ?? unknown);
	const found = [await find(), await find(), await find(), await find()];
	expect(found.map(({ url }) => url)).toEqual(["http://a", "http://a", "http://b", "http://b"]);
});

test("prefers the flag to the variable, and the variable to the data directory", async ({ io }) => {
	await startIn(io());
	const named = io({ PARLEY_URL: "http://127.0.0.1:1" });
	expect((await findGateway({}, named)).url).toBe("http://127.0.0.1:1");
	expect((await findGateway({ url: "http://127.0.0.1:2" }, named)).url).toBe("http://127.0.0.1:2");
	expect((await findGateway({}, io({ PARLEY_URL: "" }))).url).toBe(running);
});

test("sends the token of the data directory only to this machine, and PARLEY_TOKEN to any address", async ({
	io,
}) => {
	const token = await startIn(io());
	const far = { url: "https://example.org" };
	expect(await findGateway(far, io())).toEqual({ ...far, token: undefined, isLocal: false, isKnown: true });
	expect((await findGateway(far, io({ PARLEY_TOKEN: "given" }))).token).toBe("given");
	expect((await findGateway({ url: "http://localhost:9" }, io())).token).toBe(token);
});

test.each([
	["http://127.0.0.1:7777", true],
	["http://127.9.9.9", true],
	["ws://[::1]:7777/api/ws", true],
	["http://localhost:7777", true],
	["http://127.0.0.1.example.org", false],
	["http://localhost.example.org", false],
	["http://user@example.org", false],
	["not an address", false],
])("recognises whether %s is this machine: %s", (url, expected) => {
	expect(isLoopback(url)).toBe(expected);
});

test("finds a gateway with only TLS by its certificate, and sends the token to an address of this machine", async ({
	io,
}) => {
	const token = await startIn(io());
	const file = join(io().environment["PARLEY_DATA"] ?? "", "run", "gateway.json");
	const write = (local: string): Promise<void> => {
		const runtime = { pid: 1, urls: ["https://0.0.0.0:1"], local, certificate: "PEM", version: "1" };
		return writeFile(file, JSON.stringify({ ...runtime, startedAt: "2026-01-01T00:00:00Z" }));
	};
	const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
	const hosts = own.filter(({ family }) => family === "IPv4").map(({ address }) => address);
	for (const host of ["127.0.0.1", ...hosts]) {
		const url = `https://${host}:1`;
		await write(url);
		expect(await findGateway({}, io())).toEqual({
			url,
			token,
			isLocal: true,
			isKnown: true,
			certificate: "PEM",
		});
	}
	// An address of TEST-NET-1, which no machine has: RFC 5737.
	await write("https://192.0.2.1:1");
	expect(await findGateway({}, io())).toMatchObject({ token: undefined, isLocal: false });
});
