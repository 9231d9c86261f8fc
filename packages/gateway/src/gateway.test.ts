import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { createIds, defined, type Failpoints, parseJson, Redactor } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { Model } from "@parley/core";
import { ScriptedModel, stuck } from "@parley/core/testing";
import { expect, test } from "vitest";
import WebSocket from "ws";
import type { Config } from "./config/load.ts";
import { readRuntimeFile } from "./data-directory/runtime-file.ts";
import { type Gateway, startGateway } from "./gateway.ts";
import type { Endpoint } from "./transport/address.ts";

interface Notified {
	readonly listen?: readonly Endpoint[];
	readonly model?: Model;
	readonly failpoints?: Failpoints;
	readonly config?: Partial<Config>;
}

class Place implements AsyncDisposable {
	readonly clock = new ManualClock();
	readonly redactor = new Redactor();
	readonly log = new MemoryLogger();
	readonly #path: string;

	private constructor(path: string) {
		this.#path = path;
	}

	static async create(): Promise<Place> {
		const path = await realpath(await mkdtemp(join(tmpdir(), "parley-gateway-")));
		const place = new Place(path);
		await mkdir(place.here);
		return place;
	}

	get data(): string {
		return join(this.#path, "data");
	}

	get here(): string {
		return join(this.#path, "here");
	}

	start({
		listen = [{ host: "127.0.0.1", port: 0 }],
		model,
		failpoints,
		config,
	}: Notified = {}): Promise<Gateway> {
		return startGateway({
			config: {
				listen,
				data: this.data,
				root: [],
				provider: "offline",
				auth: "none",
				logLevel: "silent",
				allowedHosts: [],
				sandbox: "off",
				...config,
			},
			clock: this.clock,
			ids: createIds(),
			log: this.log,
			redactor: this.redactor,
			version: "0.0.0",
			currentDirectory: this.here,
			...defined({ model, failpoints }),
		});
	}

	/** Waits for a promise, and meanwhile runs the timers that are due. */
	async during<T>(work: Promise<T>): Promise<T> {
		let settled = false;
		const done = (): void => {
			settled = true;
		};
		work.then(done, done);
		while (!settled) {
			this.clock.advance(0);
			await tick();
		}
		return work;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await rm(this.#path, { recursive: true, force: true });
	}
}

async function connect(url = ""): Promise<WebSocket> {
	const socket = new WebSocket(`${url.replace("http", "ws")}/api/ws`);
	await once(socket, "open");
	return socket;
}

async function ask(socket: WebSocket, method: string, params: object = {}): Promise<unknown> {
	const answered = once(socket, "message");
	socket.send(JSON.stringify({ type: "req", id: "1", method, params }));
	const [data] = await answered;
	return parseJson(String(data));
}

/** Opens a server on a free port. The address is free again after the server is closed. */
async function occupy(): Promise<{ readonly server: Server; readonly endpoint: Endpoint }> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	// The cast is safe because the server listens on a port.
	const { port } = server.address() as AddressInfo;
	return { server, endpoint: { host: "127.0.0.1", port } };
}

test("a draining gateway reports it, and a stopped one leaves its data to the next", async () => {
	await using place = await Place.create();
	const first = await place.start({ model: new ScriptedModel(stuck("...")) });
	const [url = ""] = first.urls;
	expect(await readRuntimeFile(place.data)).toMatchObject({ pid: process.pid, urls: [url] });
	const client = await connect(url);
	expect(await ask(client, "send_message", { content: "hi" })).toMatchObject({ ok: true });
	const health = async () => (await fetch(`${url}/api/health`)).status;
	expect(await health()).toBe(200);

	const stopped = first.stop(10_000);
	expect(await health()).toBe(503);
	const other = await connect(url);
	expect(await ask(other, "send_message", { content: "hi" })).toMatchObject({ error: "draining" });
	const closed = [client, other].map((socket) => once(socket, "close"));
	place.clock.advance(10_000);
	await place.during(stopped);
	for (const [code] of await Promise.all(closed)) expect(code).toBe(1001);
	await expect(connect(url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
	expect(await readRuntimeFile(place.data)).toBeUndefined();
	expect(place.clock.pending).toBe(0);

	const second = await place.start({ model: new ScriptedModel(stuck("...")) });
	expect(second.resumed).toBe(1);
	await place.during(second.stop(0));
});

test("while clients receive a farewell no new connection is accepted", async () => {
	await using place = await Place.create();
	const gateway = await place.start();
	const [url] = gateway.urls;
	const [polite, deaf] = [await connect(url), await connect(url)];
	deaf.pause();
	const disconnected = once(polite, "close");
	const stopped = gateway.stop(0);
	expect((await disconnected)[0]).toBe(1001);
	await expect(connect(url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
	place.clock.advance(2_000);
	await place.during(stopped);
	deaf.terminate();
});

test("a second gateway on the same data is refused, and the first one continues", async () => {
	await using place = await Place.create();
	const first = await place.start();
	await expect(place.start()).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringContaining("is in use by another gateway"),
	});
	const client = await connect(first.urls[0]);
	expect(await ask(client, "list_sessions")).toMatchObject({ ok: true });
	await place.during(first.stop(0));
});

test("if one listener fails, no file and no listener remains", async () => {
	await using place = await Place.create();
	const { server, endpoint } = await occupy();
	const free = { host: "127.0.0.1", port: 0 };
	const failed = place.start({ listen: [free, endpoint] });
	await expect(place.during(failed)).rejects.toMatchObject({ code: "failed_precondition" });
	expect(place.clock.pending).toBe(0);
	server.close();
	await once(server, "close");
	const gateway = await place.start({ listen: [free, endpoint] });
	expect(gateway.urls).toHaveLength(2);
	for (const url of gateway.urls) expect((await fetch(`${url}/api/sessions`)).status).toBe(200);
	await place.during(gateway.stop(0));
});

test("the port opens after unfinished work has continued", async () => {
	await using place = await Place.create();
	const { server, endpoint } = await occupy();
	server.close();
	await once(server, "close");
	const [reached, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const failpoints: Failpoints = {
		reach(name) {
			if (name !== "store.commit") return;
			reached.resolve();
			return open.promise;
		},
	};
	const starting = place.start({ listen: [endpoint], failpoints });
	await reached.promise;
	await tick();
	await expect(connect(`http://127.0.0.1:${endpoint.port}`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
	open.resolve();
	const gateway = await starting;
	(await connect(gateway.urls[0])).terminate();
	await place.during(gateway.stop(0));
});

test("the gateway's own token is hidden from all readers, also if a tool has found it", async () => {
	await using place = await Place.create();
	const gateway = await place.start();
	const token = join(place.data, "tokens", "operator");
	await copyFile(token, join(place.here, "copy.txt"));
	const client = await connect(gateway.urls[0]);
	const frames: string[] = [];
	const ended = new Promise<void>((resolve) => {
		client.on("message", (data) => {
			frames.push(String(data));
			if (String(data).includes("assistant.message")) resolve();
		});
	});
	client.send(
		JSON.stringify({ type: "req", id: "1", method: "send_message", params: { content: "read: copy.txt" } }),
	);
	await ended;
	const allFrames = frames.join("\n");
	expect(allFrames).toContain('"status":"completed"');
	expect(allFrames).toContain("[redacted]");
	expect(allFrames).not.toContain((await readFile(token, "utf8")).trim());
	await place.during(gateway.stop(0));
});

test("a gateway reports its provider with the reason", async () => {
	await using place = await Place.create();
	const offline = await place.start({ config: { providerReason: "no key" } });
	expect(offline).toMatchObject({ provider: "offline", model: "offline", providerReason: "no key" });
	expect(offline.serverHost).toBeUndefined();
	expect(await readRuntimeFile(place.data)).toMatchObject({ provider: "offline", model: "offline" });
	await place.during(offline.stop(0));

	const config = {
		provider: "anthropic",
		providerReason: "base-url",
		apiKey: "local-key-0123456789",
	} as const;
	const other = await place.start({ config: { ...config, baseUrl: "http://10.0.0.5:8080", model: "gemma" } });
	expect(other).toMatchObject({ provider: "anthropic", model: "gemma", providerReason: "base-url" });
	expect(other.serverHost).toBe("10.0.0.5:8080");
	expect(await readRuntimeFile(place.data)).toMatchObject({ provider: "anthropic", model: "gemma" });
	expect(place.redactor.redact("it is local-key-0123456789!")).toBe("it is [redacted]!");
	await place.during(other.stop(0));
	expect(place.clock.pending).toBe(0);
});

test("a placeholder key is not redacted", async () => {
	await using place = await Place.create();
	const config = { provider: "anthropic", apiKey: "ollama", baseUrl: "http://10.0.0.5", model: "m" } as const;
	const gateway = await place.start({ config });
	expect(place.redactor.redact("ollama is a program")).toBe("ollama is a program");
	await place.during(gateway.stop(0));
});

test("an unknown model prevents the start, and no file remains", async () => {
	await using place = await Place.create();
	const config = {
		provider: "anthropic",
		apiKey: "sk-ant-0123456789",
		model: "claude-sonnet-99",
		origins: { model: "--model" },
	} as const;
	await expect(place.during(place.start({ config }))).rejects.toMatchObject({
		code: "invalid_argument",
		message: expect.stringMatching(/^"claude-sonnet-99" is not allowed for model \(--model\): /),
	});
	const gateway = await place.start();
	await place.during(gateway.stop(0));
});

test("a start on a data directory with keys but no database reports this before it creates one", async () => {
	await using place = await Place.create();
	await (await place.start()).stop(0);
	const warnings = () => place.log.records.filter(({ level }) => level === "warn");
	expect(warnings()).toEqual([]);
	await rm(join(place.data, "parley.sqlite"));
	await (await place.start()).stop(0);
	expect(warnings().map(({ message }) => message)).toEqual([
		expect.stringMatching(
			/data contains keys or tokens \(keys\/secrets, tokens\/operator\) but no database.*parley restore/,
		),
	]);
});
