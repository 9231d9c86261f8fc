import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseJson } from "@parley/base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GatewayProcess } from "../gateway-process.ts";
import { adapt, documented } from "./document.ts";
import { RemoteSetup } from "./setup.ts";

const command = fileURLToPath(new URL("../../bin", import.meta.url));

async function prepare(listen: (setup: RemoteSetup) => readonly string[]) {
	await using undo = new AsyncDisposableStack();
	const setup = undo.use(await RemoteSetup.create());
	const settings = adapt(documented("certificate"), { "https://parley.example:7778": setup.publicUrl });
	const environment = { PARLEY_CONFIG: setup.write("parley.config.json", settings) };
	const gateway = await setup.start({ environment, listen: listen(setup) });
	const resources = undo.move();
	return { setup, gateway, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

const both = ({ gatewayPort, publicPort }: RemoteSetup) => [
	`127.0.0.1:${gatewayPort}`,
	`0.0.0.0:${publicPort}`,
];
const secureAlone = ({ publicPort }: RemoteSetup) => [`0.0.0.0:${publicPort}`];

async function run(script: string, setup: RemoteSetup, environment: Readonly<Record<string, string>> = {}) {
	const child = spawn("sh", ["-ec", script], {
		...{ cwd: setup.directory, stdio: ["ignore", "pipe", "pipe"] },
		env: { PATH: `${command}:${process.env["PATH"]}`, HOME: setup.directory, ...environment },
	});
	const [out, err, [code]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, "close"),
	]);
	return { code, out, err };
}

let prepared: Awaited<ReturnType<typeof prepare>>;

beforeAll(async () => {
	prepared = await prepare(both);
});
afterAll(() => prepared[Symbol.asyncDispose]());

test("other listeners than loopback accept TLS only, loopback also accepts HTTP, and all clients need the token", async () => {
	const { setup } = prepared;
	const { gatewayPort, publicPort, token } = setup;
	await expect(setup.ask("/api/health")).resolves.toMatchObject({ status: 200, text: '{"status":"ok"}' });
	const response = await fetch(`http://127.0.0.1:${publicPort}/api/health`);
	expect([response.status, await response.text()]).toEqual([
		400,
		expect.stringContaining("this port requires https"),
	]);
	for (const path of ["/api/sessions", "/api/health?verbose"]) {
		expect((await fetch(`http://127.0.0.1:${gatewayPort}${path}`)).status).toBe(401);
		expect((await setup.ask(path)).status).toBe(401);
		expect((await setup.ask(path, { port: gatewayPort, token })).status).toBe(200);
	}
	const report = await setup.ask("/api/health?verbose", { token });
	expect(parseJson(report.text)).toMatchObject({
		listeners: [
			{ url: `http://127.0.0.1:${gatewayPort}`, tls: true },
			{ url: `https://0.0.0.0:${publicPort}`, tls: true },
		],
		...{ local_trust: false, insecure_lan: false },
	});
	expect((await setup.ask("/api/sessions", { token, headers: { origin: setup.publicUrl } })).status).toBe(
		200,
	);
	const elsewhere = `http://localhost:${publicPort}`;
	expect((await setup.ask("/api/sessions", { token, headers: { origin: elsewhere } })).status).toBe(403);
	expect((await setup.ask("/api/sessions", { token, headers: { host: "evil.example" } })).status).toBe(421);
});

test("the command connects to the local gateway by its certificate, and to a remote gateway by the documented settings", async () => {
	await using alone = await prepare(secureAlone);
	const { setup } = alone;
	const own = await run(`parley ask --data ${setup.data} hello`, setup);
	expect(own).toMatchObject({ code: 0, out: expect.stringContaining("I am the offline model") });
	const status = await run(`parley status --json --data ${setup.data}`, setup);
	expect(parseJson(status.out)).toMatchObject({
		...{ status: "ok", sessions: 1, urls: [`https://0.0.0.0:${setup.publicPort}`] },
		health: { local_trust: false, certificate: { valid_to: expect.stringMatching(/^20/) } },
	});
	const check = `node ${fileURLToPath(new URL("../../scripts/container-health.mjs", import.meta.url))}`;
	await expect(run(check, setup, { PARLEY_DATA: setup.data })).resolves.toMatchObject({ code: 0, err: "" });
	const there = adapt(documented("trust"), { "https://parley.example:7778": setup.publicUrl });
	const environment = { PARLEY_TOKEN: setup.token, PARLEY_DATA: `${setup.directory}/elsewhere` };
	await expect(run(there, setup, environment)).resolves.toMatchObject({
		...{ code: 0, out: expect.stringContaining("hello") },
	});
	const untrusting = await run(
		adapt(there, { "export NODE_EXTRA_CA_CERTS=cert.pem": "" }),
		setup,
		environment,
	);
	expect(untrusting).toMatchObject({
		...{ code: 1, err: expect.stringMatching(/cannot be trusted: .*NODE_EXTRA_CA_CERTS/) },
	});
});

test("a renewed certificate is loaded at SIGHUP, a broken one is not, and connections stay open", async () => {
	const { setup, gateway } = prepared;
	await using client = await setup.connect();
	await client.open();
	const first = setup.certificate;
	setup.write("cert.pem", "nothing");
	gateway.kill("SIGHUP");
	expect(await gateway.line("the certificate could not be reloaded")).toContain("no certificate in PEM form");
	setup.write("cert.pem", first);
	expect((await setup.ask("/api/health")).status).toBe(200);
	await setup.certify("localhost");
	gateway.kill("SIGHUP");
	await gateway.line("the certificate was reloaded");
	// The request trusts only the certificate in the directory, so its success shows that the gateway uses the renewed
	// certificate.
	expect(setup.certificate).not.toBe(first);
	expect((await setup.ask("/api/health")).status).toBe(200);
	await client.call("send_message", { content: "hello" });
	await client.event("assistant.message");
});

test("a long replay arrives completely over TLS, also at a client that pauses", async () => {
	const { setup } = prepared;
	await using writer = await setup.connect();
	const session = await writer.open();
	const contents = Array.from({ length: 8 }, (_, index) => `${index} `.repeat(150_000));
	for (const content of contents) {
		await writer.call("send_message", { content });
		await writer.event("assistant.message");
	}
	await using reader = await setup.connect();
	const opening = reader.call("open_session", { session_id: session, after_seq: 0, join: true });
	const stops = Array.from(contents, async () => {
		reader.socket.pause();
		await writer.call("list_sessions");
		reader.socket.resume();
	});
	await Promise.all([opening, ...stops]);
	const seen: unknown[] = [];
	while (seen.length < contents.length) seen.push((await reader.event("user.message")).payload["content"]);
	expect(seen).toEqual(contents);
});

test("a gateway for other machines is not started without protection, and the error names the options", async () => {
	await using setup = await RemoteSetup.create();
	const listen = [`0.0.0.0:${setup.publicPort}`];
	const gateway = new GatewayProcess({ port: 0, data: setup.data, root: setup.directory, listen });
	expect(await gateway.ready).toBe(false);
	const message =
		/other machines can reach this address.*--tls-cert FILE --tls-key FILE.*--trusted-proxy.*ssh -L/;
	expect(gateway.stderr.join("\n")).toMatch(message);
	await expect(gateway.exited).resolves.toEqual({ code: 2, signal: null });
});
