import { status } from "@grpc/grpc-js";
import { createIds, parseJson, systemClock } from "@parley/base";
import { createClient, type OpenSession } from "@parley/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askDaemon, KontekstStream } from "../conformance/drivers/kontekst-client.ts";
import type { GatewayProcess } from "../gateway-process.ts";
import { Watch } from "../watch.ts";
import { adapt, documented } from "./document.ts";
import { FrontProxy, has, type ProxyKind, silenceLimitS } from "./proxy.ts";
import { clientAddress, RemoteSetup } from "./setup.ts";

interface Prepared extends AsyncDisposable {
	readonly setup: RemoteSetup;
	readonly gateway: GatewayProcess;
	readonly proxy: FrontProxy;
}

async function prepare(kind: ProxyKind): Promise<Prepared> {
	await using undo = new AsyncDisposableStack();
	const setup = undo.use(await RemoteSetup.create());
	const settings = adapt(documented("settings"), { "https://parley.example": setup.publicUrl });
	const config = setup.write("data/parley.config.json", settings);
	const [gateway, proxy] = await Promise.all([
		setup.start({ environment: { PARLEY_CONFIG: config } }),
		FrontProxy.start(kind, setup),
	]);
	undo.use(proxy);
	const resources = undo.move();
	return { setup, gateway, proxy, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

describe.each(["nginx", "caddy"] as const)("behind %s", (kind) => {
	let prepared: Prepared;
	const isInstalled = has(kind);

	beforeAll(async () => {
		if (isInstalled) prepared = await prepare(kind);
	});
	afterAll(async () => {
		await prepared?.[Symbol.asyncDispose]();
	});
	const testHere = (title: string, check: () => Promise<void>): void =>
		test(title, (context) => {
			context.skip(!isInstalled, `${kind} is not installed`);
			return check();
		});

	testHere("health needs no token, and everything else does, with any forwarded address", async () => {
		const { setup } = prepared;
		await expect(setup.ask("/api/health")).resolves.toMatchObject({ status: 200, text: '{"status":"ok"}' });
		const spoofedHeaders = [
			{},
			{ "x-forwarded-for": "127.0.0.1" },
			{ "x-real-ip": "127.0.0.1", forwarded: "for=127.0.0.1" },
		];
		for (const headers of spoofedHeaders) {
			expect((await setup.ask("/api/sessions", { headers })).status).toBe(401);
			expect((await setup.ask("/api/health?verbose", { headers })).status).toBe(401);
			expect((await setup.ask("/api/sessions", { headers, token: setup.token })).status).toBe(200);
		}
	});

	testHere("programs of the same user also need the token, through every listener", async () => {
		const { gatewayPort, token } = prepared.setup;
		const url = `http://127.0.0.1:${gatewayPort}/api/health?verbose`;
		expect((await fetch(url)).status).toBe(401);
		const known = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
		expect(parseJson(await known.text())).toMatchObject({
			...{ status: "ok", auth: "local", local_trust: false, insecure_lan: false, storage: { state: "ok" } },
			listeners: [{ url: `http://127.0.0.1:${gatewayPort}`, tls: false }],
		});
	});

	testHere("other hosts and origins are not served, pages of the public address are", async () => {
		const { setup } = prepared;
		const { token, publicUrl } = setup;
		const evil = await setup.ask("/api/health", { headers: { host: "evil.example" } });
		expect(evil.text).not.toContain('"ok"');
		const origin = (name: string) => setup.ask("/api/sessions", { token, headers: { origin: name } });
		expect((await origin(publicUrl)).status).toBe(200);
		expect((await origin("https://evil.example")).status).toBe(403);
		const authorization = `Bearer ${token}`;
		await expect(setup.connect({ authorization, origin: "https://evil.example" })).rejects.toThrow("403");
		await expect(setup.connect({})).rejects.toThrow("401");
		await using page = await setup.connect({ authorization, origin: publicUrl });
		expect(await page.open()).toMatch(/^sess_/);
	});

	testHere("a turn is streamed, and the gateway knows the address of the client", async () => {
		const { setup, gateway } = prepared;
		const from = gateway.stderr.length;
		await using client = await setup.connect();
		await client.open();
		const line = await gateway.line("client connected", from);
		expect(parseJson(line ?? "")).toMatchObject({ peer: clientAddress });
		await client.call("send_message", { content: "hello" });
		const seen: string[] = [];
		for (;;) {
			const { event } = await client.event();
			seen.push(event);
			if (event === "assistant.message") break;
		}
		expect(seen.filter((event) => event === "assistant.stream").length).toBeGreaterThan(1);
	});

	testHere("server-sent events are not delayed", async () => {
		const { setup } = prepared;
		const { token } = setup;
		const stream = await setup.open("/api/events?limit=1", {
			token,
			headers: { accept: "text/event-stream" },
		});
		expect(stream.headers["content-type"]).toContain("text/event-stream");
		await using client = await setup.connect();
		const session = await client.open();
		let seen = "";
		for await (const chunk of stream) {
			seen += chunk;
			if (seen.includes(session)) break;
		}
		expect(seen).toContain("session.created");
	});

	testHere(
		"a kontekst client with a token runs the agent, and its deltas arrive before the reply ends",
		async () => {
			const { setup } = prepared;
			await using front = await setup.grpc(clientAddress);
			const access = { ...front.access, token: setup.token };
			await using stream = new KontekstStream(front.url, access);
			stream.start({ prompt: "long: 200 tokens at 20 per second" });
			for (const kind of ["started", "token", "token", "token"]) await stream.until(kind);
			// The reply takes ten seconds. If the proxy buffered its deltas, they would arrive after the end of the reply.
			stream.send({ cancel: {} });
			await stream.until("cancelled");
			expect(stream.kinds()).not.toContain("turnCompleted");
			stream.halfClose();
			expect(await stream.ended()).toMatchObject({ code: 0 });
		},
	);

	testHere("a gRPC call needs a token, and is judged by the address of its client", async () => {
		const { setup } = prepared;
		await using front = await setup.grpc(clientAddress);
		await using other = await setup.grpc("127.0.0.3");
		const spoofedHeaders = [{}, { "x-forwarded-for": "127.0.0.1" }, { forwarded: "for=127.0.0.1" }];
		for (const headers of spoofedHeaders) {
			const refused = askDaemon(front.url, "getStatus", { ...front.access, headers });
			await expect(refused).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
			const known = askDaemon(front.url, "getStatus", { ...front.access, headers, token: setup.token });
			await expect(known).resolves.toMatchObject({ bind: `127.0.0.1:${setup.gatewayPort}` });
		}
		const guess = async ({ url, access }: typeof front): Promise<unknown> =>
			askDaemon(url, "getStatus", { ...access, token: "gw_operator_wrong" }).catch(({ code }) => code);
		const guesses: unknown[] = [];
		while (guesses.length < 100 && guesses.at(-1) !== status.RESOURCE_EXHAUSTED)
			guesses.push(await guess(front));
		expect(guesses.at(-1)).toBe(status.RESOURCE_EXHAUSTED);
		expect(await guess(other)).toBe(status.UNAUTHENTICATED);
	});

	testHere("a file of several megabytes passes", async () => {
		const { setup } = prepared;
		const body = Buffer.alloc(5_000_000, "parley ");
		const { token } = setup;
		const upload = await setup.ask("/api/files?name=big.txt", { method: "POST", body, token });
		expect(upload.status, upload.text).toBe(201);
		const { url, bytes }: { url?: string; bytes?: number } = Object(parseJson(upload.text));
		expect(bytes).toBe(body.length);
		expect((await setup.ask(url ?? "", { token })).text).toBe(body.toString());
	});
});

test("nginx does not end a gRPC stream that is silent for longer than its usual limit", async (context) => {
	context.skip(!has("nginx"), "nginx is not installed");
	await using prepared = await prepare("nginx");
	const { setup } = prepared;
	await using front = await setup.grpc(clientAddress);
	await using stream = new KontekstStream(front.url, { ...front.access, token: setup.token });
	stream.start({ prompt: `run: sleep ${silenceLimitS + 1.5}` });
	const [call] = await stream.proposed();
	stream.approve(call?.callId ?? "");
	await stream.until("toolCompleted");
	await stream.until("completed");
});

/** Records the sequence numbers of persisted events. */
class Reading {
	readonly watch = new Watch();
	readonly seqs: number[] = [];
	answers = 0;

	async read(session: OpenSession): Promise<void> {
		for await (const frame of session.events()) {
			if (!frame.transient) this.seqs.push(frame.seq);
			if (frame.event === "assistant.message") this.answers += 1;
			this.watch.notify();
		}
	}
}

test("while nginx reloads, a client reconnects and misses no event", async (context) => {
	context.skip(!has("nginx"), "nginx is not installed");
	await using prepared = await prepare("nginx");
	const { setup, proxy } = prepared;
	const states: string[] = [];
	const reading = new Reading();
	const client = createClient({
		...{ url: setup.publicUrl, token: setup.token, certificate: setup.certificate },
		...{ clock: systemClock, ids: createIds() },
		onState: (state) => {
			states.push(state);
			reading.watch.notify();
		},
	});
	const session = await client.open({});
	const read = reading.read(session);
	const say = () => client.request("send_message", { content: "hello" }, { sessionId: session.id });
	await say();
	await reading.watch.until("the first answer is here", () => reading.answers === 1);
	proxy.reload();
	await reading.watch.until("the connection is lost", () => states.includes("lost"));
	await say();
	await reading.watch.until("the second answer is here", () => reading.answers === 2);
	expect(reading.seqs).toEqual(reading.seqs.map((_, index) => (reading.seqs[0] ?? 0) + index));
	await client.close();
	await read;
});
