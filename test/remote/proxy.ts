import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { adapt, documented } from "./document.ts";
import type { RemoteSetup } from "./setup.ts";

/** Idle seconds before nginx ends a stream or an upload, unless the document sets another timeout. */
export const silenceLimitS = 2;

export class FrontProxy implements AsyncDisposable {
	readonly #child: ChildProcess;
	readonly #ended: Promise<unknown>;

	private constructor(child: ChildProcess) {
		this.#child = child;
		this.#ended = once(child, "close");
	}

	/** Reloads the configuration. nginx closes old connections one second later. */
	reload(): void {
		this.#child.kill("SIGHUP");
	}

	static async start(kind: ProxyKind, setup: RemoteSetup): Promise<FrontProxy> {
		const { command, isReady } = kinds[kind](setup);
		const [program = "", ...args] = command;
		const environment = { PATH: process.env["PATH"], HOME: setup.directory, XDG_DATA_HOME: setup.directory };
		const child = spawn(program, args, { env: environment, stdio: ["ignore", "ignore", "pipe"] });
		const proxy = new FrontProxy(child);
		const output: string[] = [];
		for await (const line of createInterface(child.stderr)) {
			output.push(line);
			if (!line.includes(isReady)) continue;
			child.stderr.resume();
			return proxy;
		}
		throw new Error(`${kind} did not start: ${output.join("\n")}`);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#child.kill("SIGTERM");
		await this.#ended;
	}
}

export function has(kind: ProxyKind): boolean {
	return spawnSync(kind, [kind === "nginx" ? "-v" : "version"]).status === 0;
}

const kinds = {
	nginx: (setup: RemoteSetup) => ({
		command: ["nginx", "-p", setup.directory, "-e", "stderr", "-c", nginxFile(setup)],
		isReady: "start worker process ",
	}),
	caddy: (setup: RemoteSetup) => ({
		command: ["caddy", "run", "--adapter", "caddyfile", "--config", caddyFile(setup)],
		isReady: "serving initial configuration",
	}),
} as const;
export type ProxyKind = keyof typeof kinds;

function nginxFile(setup: RemoteSetup): string {
	const part = adapt(documented("nginx"), {
		"listen 443": `listen 127.0.0.1:${setup.publicPort}`,
		"127.0.0.1:7777": `127.0.0.1:${setup.gatewayPort}`,
		"parley.example": "localhost",
		"/etc/ssl/parley": setup.directory,
	});
	const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
	// Timeouts that the documented part must increase.
	const short = ["client_body_timeout", "grpc_read_timeout", "grpc_send_timeout"];
	mkdirSync(join(setup.directory, "nginx"));
	const main = [
		"daemon off;",
		"error_log stderr notice;",
		`pid ${setup.directory}/nginx/pid;`,
		"worker_shutdown_timeout 1s;",
		...(process.getuid?.() === 0 ? ["user root;"] : []),
		"events { }",
		"http {",
		"access_log off;",
		...kinds.map((kind) => `${kind}_temp_path ${setup.directory}/nginx/${kind};`),
		...short.map((name) => `${name} ${silenceLimitS}s;`),
		part,
		"}",
	];
	return setup.write("nginx.conf", `${main.join("\n")}\n`);
}

function caddyFile(setup: RemoteSetup): string {
	const site = adapt(documented("caddy"), {
		"parley.example {": `https://localhost:${setup.publicPort} {\n\tbind 127.0.0.1\n\ttls ${setup.directory}/cert.pem ${setup.directory}/key.pem`,
		"127.0.0.1:7777": `127.0.0.1:${setup.gatewayPort}`,
	});
	return setup.write("Caddyfile", `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
}
