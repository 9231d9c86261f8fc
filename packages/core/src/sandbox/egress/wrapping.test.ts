import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createServer, type Server } from "node:tls";
import { silentLogger, systemClock } from "@parley/base";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { Egress } from "./egress.ts";
import type { EgressEntry } from "./egress-proxy.ts";

const [program, certifier] = ["bwrap", "openssl"] as const;
const confinement = [
	"--unshare-all",
	"--die-with-parent",
	"--new-session",
	"--cap-drop",
	"ALL",
	"--clearenv",
];
// The directory of Node may be below /tmp.
const node = ["--ro-bind", process.execPath, process.execPath];
const system = ["--ro-bind", "/", "/", "--tmpfs", "/tmp", ...node, "--proc", "/proc", "--dev", "/dev"];
const base = [...confinement, ...system];
const works = spawnSync(program, [...base, "--", "/bin/true"]).status === 0;
/** Descriptor of Node's IPC channel. It follows the output descriptors. */
const CHANNEL = 3;
const directory = mkdtempSync(join(tmpdir(), "parley-wrapping-"));
const certificate = join(directory, "cert.pem");
let server: Server;

beforeAll(async () => {
	const request = [
		"req",
		"-x509",
		"-newkey",
		"ec",
		"-pkeyopt",
		"ec_paramgen_curve:prime256v1",
		"-nodes",
		"-days",
		"2",
	];
	const names = ["-subj", "/CN=example.com", "-addext", "subjectAltName=DNS:example.com,DNS:*.example.com"];
	const key = join(directory, "key.pem");
	execFileSync(certifier, [...request, ...names, "-keyout", key, "-out", certificate], { stdio: "ignore" });
	server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (socket) => {
		socket.on("error", () => undefined);
		socket.once("data", (data) => {
			const path = /^\S+ (\S+)/.exec(String(data))?.[1] ?? "";
			const body = `you asked for ${path}`;
			const head = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
			if (path !== "/never") socket.end(head + body);
		});
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
});
afterAll(() => {
	server.close();
	rmSync(directory, { recursive: true });
});
beforeEach(({ skip }) => skip(!works, "bubblewrap is not installed, or may not make namespaces here"));

// The server listens on TCP, so `address()` returns an address and a port.
const serverPort = (): number => (server.address() as AddressInfo).port;

async function setUp() {
	const entries: EgressEntry[] = [];
	const egress = new Egress({
		allow: ["*.example.com"],
		clock: systemClock,
		log: silentLogger,
		lookup: async (name) => (name === "private.example.com" ? ["127.0.0.1"] : ["93.184.215.14"]),
		connect: async () => {
			const socket = connect({ port: serverPort(), host: "127.0.0.1", allowHalfOpen: true });
			await once(socket, "connect");
			return socket;
		},
	});
	egress.audit = async (entry) => void entries.push(entry);
	const proxy = egress.open("call_1");
	onTestFinished(() => proxy[Symbol.asyncDispose]());
	function start(command: readonly string[], more: Readonly<Record<string, string>> = {}) {
		const variables = {
			PATH: "/usr/bin:/bin",
			NODE_EXTRA_CA_CERTS: certificate,
			...proxy.environment,
			...more,
		};
		const options = [
			...base,
			...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]),
			...["--ro-bind", certificate, certificate],
			...proxy.mounts.flat(),
		];
		const argv = [...options, "--", ...proxy.argv(CHANNEL), ...command];
		const child = spawn(program, argv, { stdio: ["ignore", "pipe", "pipe", "ipc"] });
		child.once("message", (_, handle) => proxy.serve(handle));
		const { stdout, stderr } = child;
		if (!stdout || !stderr) throw new Error("the child has no pipes");
		return Object.assign(child, { stdout, stderr });
	}
	async function run(...command: readonly string[]) {
		const child = start(command);
		const [out, err, [code]] = await Promise.all([
			text(child.stdout),
			text(child.stderr),
			once(child, "close"),
		]);
		return { code, out, err };
	}
	return { entries, proxy, start, run, script: (code: string) => run(process.execPath, "-e", code) };
}

function processesIn(namespace: string): string[] {
	return readdirSync("/proc").filter((name) => {
		try {
			return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/ns/net`) === namespace;
		} catch {
			// The process has ended, or the user of the test cannot inspect it.
			return false;
		}
	});
}

test("a program reaches an allowed host with its own TLS, and only the connection is logged", async () => {
	const { entries, script } = await setUp();
	const { out, err } = await script(
		'fetch("https://a.example.com/page").then((answer) => answer.text()).then(console.log)',
	);
	expect([out, err]).toEqual(["you asked for /page\n", ""]);
	await expect
		.poll(() => entries)
		.toEqual([
			{ command: "call_1", target: "a.example.com", decision: "allowed" },
			expect.objectContaining({ target: "a.example.com", decision: "ended", sent: expect.any(Number) }),
		]);
});

test("100 requests at once are all answered", async () => {
	const { entries, script } = await setUp();
	const { out, err } = await script(`
		const ask = async (_, n) => (await fetch("https://h" + n + ".example.com/" + n)).text();
		Promise.all(Array.from({ length: 100 }, ask)).then((all) => console.log(all.join()));
	`);
	const answers = Array.from({ length: 100 }, (_, n) => `you asked for /${n}`);
	expect([out, err]).toEqual([`${answers.join()}\n`, ""]);
	await expect.poll(() => entries.filter(({ decision }) => decision === "ended")).toHaveLength(100);
});

test("hosts that are not allowed, private addresses, http and other ports are refused with a reason", async () => {
	const { entries, script, proxy } = await setUp();
	const { out } = await script(`
		const { request } = require("node:http");
		const proxy = { host: "127.0.0.1", port: 3128 };
		const connect = (path) => new Promise((resolve) => {
			request({ ...proxy, method: "CONNECT", path }).on("connect", ({ statusCode }, socket) => {
				socket.destroy();
				resolve(statusCode);
			}).end();
		});
		const targets = ["other.test:443", "private.example.com:443", "a.example.com:80", "a.example.com:22", "127.0.0.1:443"];
		(async () => {
			for (const target of targets) console.log(target, await connect(target));
			request({ ...proxy, path: "http://a.example.com/" }).on("response", (plain) => {
				plain.on("data", (text) => console.log(plain.statusCode, String(text)));
			}).end();
		})();
	`);
	expect(out.match(/ 403\n/g)).toHaveLength(5);
	expect(out).toMatch(/^403 parley: .*https:\/\//m);
	expect(entries.map(({ decision }) => decision)).toEqual(Array.from({ length: 6 }, () => "refused"));
	expect(proxy.note()).toMatch(
		/other\.test:443: the host is not on the list.*only port 443 of \*\.example\.com/s,
	);
});

test("git and curl use the proxy, despite any proxy of a repository", async () => {
	const { entries, run } = await setUp();
	const script = `
		cd /tmp && git init -q . && git config http.proxy http://192.0.2.1:1 && git config http.sslVerify false
		git ls-remote https://git.example.com/repository
		command -v curl >/dev/null && curl -sk https://curl.example.com/ || echo none
	`;
	const { out } = await run("/bin/sh", "-c", script);
	expect(out).toMatch(/you asked for \/|none/);
	expect(entries).toContainEqual(expect.objectContaining({ target: "git.example.com", decision: "allowed" }));
});

test("without the proxy a command reaches no network: no interface, name, address or port of this machine", async () => {
	const { entries, script } = await setUp();
	const { out } = await script(`
		const { connect } = require("node:net");
		const reach = (host, port) => new Promise((resolve) => {
			connect({ host, port, timeout: 5000 })
				.on("connect", () => resolve("reached"))
				.on("timeout", () => resolve("timeout"))
				.on("error", ({ code }) => resolve(code));
		});
		const { createSocket } = require("node:dgram");
		const send = new Promise((resolve) => createSocket("udp4").send("x", 53, "1.1.1.1", (error) => resolve(error?.code ?? "sent")));
		(async () => {
			console.log(Object.keys(require("node:os").networkInterfaces()).join());
			console.log(await reach("127.0.0.1", ${serverPort()}), await reach("1.1.1.1", 443), await reach("169.254.169.254", 80));
			console.log(await reach("a.example.com", 443), await send, await reach("127.0.0.1", 3128));
			process.exit();
		})();
	`);
	expect(out).toMatch(
		/^lo\nECONNREFUSED ENETUNREACH ENETUNREACH\n(?:EAI_AGAIN|ENOTFOUND) ENETUNREACH reached\n$/,
	);
	expect(entries).toEqual([]);
});

test("the command keeps its own arguments, output, exit code and variables", async () => {
	const { start } = await setUp();
	const child = start(
		["/bin/sh", "-c", 'printf "%s|" "$@" "$NODE_OPTIONS"; echo err >&2; exit 7', "sh", "a b", "", "*"],
		{
			NODE_OPTIONS: "--require /nowhere.js",
		},
	);
	const [out, err, [code]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, "close"),
	]);
	expect([out, err, code]).toEqual(["a b||*|--require /nowhere.js|", "err\n", 7]);
});

test("no socket remains when the command ends or is killed", async () => {
	const { run } = await setUp();
	const { start, entries } = await setUp();
	const namespace = (await run("/usr/bin/readlink", "/proc/self/ns/net")).out.trim();
	expect(namespace).toMatch(/^net:\[\d+\]$/);
	await expect.poll(() => processesIn(namespace)).toEqual([]);
	const code =
		'console.log(require("node:fs").readlinkSync("/proc/self/ns/net")); fetch("https://a.example.com/never")';
	const child = start([process.execPath, "-e", code]);
	const running = String((await once(child.stdout, "data"))[0]).trim();
	await expect.poll(() => entries.filter(({ decision }) => decision === "allowed")).toHaveLength(1);
	// Bubblewrap and the command are the only processes. No relay runs.
	expect(processesIn(running)).toHaveLength(2);
	child.kill("SIGKILL");
	await expect.poll(() => processesIn(running)).toEqual([]);
	await expect.poll(() => entries.at(-1)).toMatchObject({ decision: "ended" });
});

test("an error while the proxy is opened is reported, and no command runs", async () => {
	const { proxy } = await setUp();
	const withoutMounts = ["--", ...proxy.argv(CHANNEL), "/bin/echo", "was run"];
	const { status, stdout, stderr } = spawnSync(program, [...base, ...withoutMounts]);
	expect([status, String(stdout)]).toEqual([125, ""]);
	expect(String(stderr)).toContain("could not be opened, so the command did not run");
});
