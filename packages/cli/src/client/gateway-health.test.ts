import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defined } from "@parley/base/defined";
import { expect, test } from "vitest";
import { CapturedIo } from "../testing/captured-io.ts";
import { type HealthReport, healthRows, readHealthReport } from "./gateway-health.ts";

const usual: HealthReport = {
	auth: "local",
	local_trust: true,
	insecure_lan: false,
	sandbox: { mode: "preferred", state: "ready", operator: "bubblewrap" },
	provider: { state: "ok" },
	storage: { state: "ok" },
};

test("prints only the access of a healthy gateway", () => {
	expect(healthRows(usual)).toEqual([
		["access", "this user's programs; others need the token"],
		["sandbox", "bubblewrap"],
	]);
	expect(healthRows({})).toEqual([]);
});

test.each<[Partial<HealthReport>, string]>([
	[{ local_trust: false }, "all clients need the token"],
	[{ auth: "none", local_trust: false }, "all users of this machine, without a token (--auth none)"],
	[{ local_trust: false, insecure_lan: true }, "sent unencrypted (--insecure-lan)"],
])("describes the access of %j: %s", (facts, words) => {
	expect(healthRows({ ...usual, ...facts })[0]?.[1]).toContain(words);
});

test("prints a row for each problem", () => {
	const rows = healthRows({
		certificate: { valid_to: "2027-02-03T04:05:06.000Z" },
		auth: "token",
		sandbox: { mode: "off", operator: "off" },
		provider: { state: "refused", reason: "the key is not valid", since: "2026-01-01T00:00:00.000Z" },
		storage: { state: "full", since: "2026-01-02T00:00:00.000Z" },
	});
	expect(rows).toEqual([
		["access", "all clients need the token"],
		["", "certificate until 2027-02-03"],
		["provider", "refused: the key is not valid, since 2026-01-01T00:00:00.000Z"],
		["storage", "full, since 2026-01-02T00:00:00.000Z"],
		["sandbox", "off: commands run with your permissions"],
	]);
});

test.each<[HealthReport["sandbox"], readonly string[]]>([
	[{ mode: "preferred", state: "checking" }, ["being checked: commands wait for the result"]],
	[
		{ mode: "off", operator: "off", chat: "bubblewrap" },
		["off: commands run with your permissions; commands of chats: bubblewrap"],
	],
	[
		{ mode: "container", operator: "container" },
		["container: commands can access everything in the container of the gateway"],
	],
	[
		{
			mode: "preferred",
			state: "unavailable",
			operator: "off",
			reason: "bubblewrap is not installed",
			fix: "apt install bubblewrap",
		},
		[
			"none: your commands run with your permissions, and commands of chats do not run: bubblewrap is not installed",
			"fix: apt install bubblewrap",
		],
	],
	[
		{ mode: "required", state: "unavailable", operator: "none", reason: "a command can get out" },
		["none: no command runs: a command can get out"],
	],
	[{ mode: "bubblewrap" }, ["bubblewrap"]],
])("describes the sandbox %j", (sandbox, words) => {
	expect(healthRows(defined({ sandbox })).map(([, value]) => value)).toEqual(words);
});

/** Reads the health report from a server that answers every request with `status` and `body`. */
async function readFrom(status: number, body: string): Promise<HealthReport | null> {
	await using server = createServer((_request, response) => {
		response.writeHead(status).end(body);
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	// The cast is safe because the server listens on a port, not on a path.
	const { port } = server.address() as AddressInfo;
	return await readHealthReport({ url: `http://127.0.0.1:${port}` }, new CapturedIo({ PARLEY_TOKEN: "t" }));
}

test("reads the report, which a user without the permission does not get", async () => {
	expect(await readFrom(200, JSON.stringify(usual))).toEqual(usual);
	expect(await readFrom(403, '{"error":"not allowed"}')).toBeNull();
});

test.each([
	[502, "<html><h1>502 Bad Gateway</h1></html>", /^the server at http:\S+ answers with HTTP 502: /],
	[500, '{"error":"internal error"}', /^internal error$/],
	[200, "<html>Welcome</html>", /JSON/],
])("a response with HTTP %i and the body %j is an error with its cause", async (status, body, message) => {
	await expect(readFrom(status, body)).rejects.toThrow(message);
});
