import { once } from "node:events";
import { createServer } from "node:http";
import { get } from "node:https";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { authority, TlsPlace, testCertificate } from "../testing/tls-place.ts";
import { Admission } from "./admission.ts";
import { createListener, type Listener, type ListenerOptions } from "./listener.ts";
import { TlsRenewal } from "./tls-renewal.ts";

class SecureListener implements AsyncDisposable {
	readonly clock = new ManualClock();
	readonly log = new MemoryLogger();
	/** Sockets that the listener passed to `onHttp` or `onHttp2`. */
	readonly connections: Socket[] = [];
	readonly place = new TlsPlace();
	readonly #opened: Promise<[Listener, TlsRenewal]>;

	constructor(options: Partial<ListenerOptions> = {}) {
		this.#opened = this.#open(options);
	}

	async #open(options: Partial<ListenerOptions>): Promise<[Listener, TlsRenewal]> {
		const { clock, log } = this;
		const renewal = await TlsRenewal.open({ files: this.place.files, clock, log });
		const http = createServer((request, response) => {
			response.end(`${request.method} ${request.url} of ${request.socket.remoteAddress}`);
		});
		const listener = await createListener({
			host: "127.0.0.1",
			port: 0,
			clock,
			log,
			admission: new Admission(),
			identity: () => renewal.current,
			isOwn: async () => false,
			onHttp: (socket) => {
				this.connections.push(socket);
				http.emit("connection", socket);
			},
			onHttp2: (socket) => {
				this.connections.push(socket);
				text(socket).then(
					(statusLine) => socket.end(`HTTP/2 ${statusLine}`),
					() => socket.destroy(),
				);
			},
			...options,
		});
		return [listener, renewal];
	}

	async url(): Promise<string> {
		return (await this.#opened)[0].address().url;
	}

	async renew(): Promise<void> {
		this.place.write(testCertificate("second"));
		await (await this.#opened)[1].reload();
	}

	async call(): Promise<Socket> {
		const { host, port } = (await this.#opened)[0].address();
		const client = connect({ host, port, noDelay: true });
		client.on("error", () => undefined);
		return client;
	}

	async callSecurely(options: ConnectionOptions = {}): Promise<TLSSocket> {
		const { host, port } = (await this.#opened)[0].address();
		const client = connectTls({ host, port, ca: authority, ...options });
		await once(client, "secureConnect");
		return client;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const [listener, renewal] = await this.#opened;
		renewal.close();
		const closed = listener.close(0);
		this.clock.advance(0);
		await closed;
		this.place[Symbol.dispose]();
	}
}

const ask = "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

test("one port accepts TLS and plain HTTP, and its address is plain", async () => {
	await using server = new SecureListener();
	expect(await server.url()).toMatch(/^http:/);
	const secure = await server.callSecurely({ ALPNProtocols: ["http/1.1"] });
	expect([secure.alpnProtocol, secure.getProtocol()]).toEqual(["http/1.1", "TLSv1.3"]);
	secure.write(ask);
	expect(await text(secure)).toContain("GET /1 of 127.0.0.1");
	const plain = await server.call();
	plain.write(ask);
	expect(await text(plain)).toContain("GET /1 of 127.0.0.1");
	expect(server.connections.map((socket) => "encrypted" in socket)).toEqual([true, false]);
});

test("if TLS is required the address uses it, and plain HTTP gets an explanation", async () => {
	await using server = new SecureListener({ plain: "nobody" });
	const url = await server.url();
	expect(url).toMatch(/^https:/);
	const [response] = await once(get(url, { ca: authority }), "response");
	expect(await text(response)).toBe("GET / of 127.0.0.1");
	for (const words of [ask, "SSH-2.0-x\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]) {
		const plain = await server.call();
		plain.write(words);
		const answer = await text(plain);
		expect(answer).toMatch(/^HTTP\/1\.1 400 .*\r\nconnection: close\r\n/s);
		expect(answer).toContain('{"error":"this port requires https","hint":"write https:// and wss://');
	}
	expect(server.connections).toHaveLength(1);
});

test("without TLS a port may serve only some clients, and refuses the others with a reason", async () => {
	let allowed = false;
	await using server = new SecureListener({ plain: () => allowed });
	const stranger = await server.call();
	stranger.write(ask);
	expect(await text(stranger)).toMatch(
		/^HTTP\/1\.1 403 .*this port accepts requests only from trusted proxies/s,
	);
	allowed = true;
	const proxy = await server.call();
	proxy.write(ask);
	expect(await text(proxy)).toContain("GET /1 of");
});

test.each([
	{ offers: ["h2"], speaks: "h2" },
	{ offers: ["h2", "http/1.1"], speaks: "http/1.1" },
	{ offers: ["http/1.1", "h2"], speaks: "http/1.1" },
])("a client that offers $offers speaks $speaks over TLS", async ({ offers, speaks }) => {
	await using server = new SecureListener({ plain: "nobody" });
	const secure = await server.callSecurely({ ALPNProtocols: offers });
	expect(secure.alpnProtocol).toBe(speaks);
});

test("HTTP/2 over TLS is passed on if the client has agreed on it, and closed otherwise", async () => {
	await using server = new SecureListener({ plain: "nobody" });
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
	const agreed = await server.callSecurely({ ALPNProtocols: ["h2"] });
	agreed.end(preface);
	expect(await text(agreed)).toBe(`HTTP/2 ${preface}`);
	const silent = await server.callSecurely();
	silent.write(preface);
	await once(silent.resume(), "close");
	expect(server.connections).toHaveLength(1);
});

test("a client that offers only other protocols is refused in the handshake", async () => {
	await using server = new SecureListener({ plain: "nobody" });
	const refused = server.callSecurely({ ALPNProtocols: ["spdy/1"] });
	await expect(refused).rejects.toThrow(/no application protocol/i);
});

test("TLS below 1.2 is refused", async () => {
	await using server = new SecureListener();
	const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
	await expect(server.callSecurely(old)).rejects.toThrow(/protocol version/i);
	const secure = await server.callSecurely({ maxVersion: "TLSv1.2" });
	expect(secure.getProtocol()).toBe("TLSv1.2");
	secure.destroy();
});

test("a client that stops during the handshake is closed after five seconds", async () => {
	await using server = new SecureListener();
	const half = await server.call();
	half.write(Buffer.from([0x16, 3, 1, 2, 0, 1]));
	const other = await server.callSecurely();
	server.clock.advance(4_999);
	expect(half.destroyed).toBe(false);
	server.clock.advance(1);
	await once(half.resume(), "close");
	expect(server.connections).toEqual([]);
	other.destroy();
});

test("a client that violates TLS is closed at once", async () => {
	await using server = new SecureListener();
	const liar = await server.call();
	liar.write("\x16\x03\x01\xff\xffthis is no handshake at all");
	await once(liar.resume(), "close");
	expect(server.connections).toEqual([]);
});

test("a client that violates TLS after the handshake is closed at once too", async () => {
	await using server = new SecureListener();
	const carrier = await server.call();
	const liar = connectTls({ socket: carrier, ca: authority, servername: "parley.example" });
	liar.on("error", () => undefined);
	await once(liar, "secureConnect");
	liar.write("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
	await once(liar, "data");
	const [secure] = server.connections;
	if (!secure) throw new Error("nothing was handed over");
	const closed = once(secure, "close");
	// The client sends a data record without a valid key.
	carrier.write(Buffer.from([0x17, 3, 3, 0, 32, ...new Uint8Array(32)]));
	await closed;
	liar.destroy();
});

test("a client cannot renegotiate the handshake", async () => {
	await using server = new SecureListener();
	const client = await server.callSecurely({ maxVersion: "TLSv1.2" });
	const refused = Promise.withResolvers<Error>();
	client.on("error", refused.resolve);
	client.renegotiate({}, (error) => refused.resolve(error ?? new Error("it was done again")));
	expect((await refused.promise).message).toMatch(/no renegotiation/i);
	client.destroy();
});

test("a client that is silent after the handshake is closed after five seconds", async () => {
	await using server = new SecureListener();
	const silent = await server.callSecurely();
	const answered = await server.callSecurely();
	answered.write("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
	await once(answered, "data");
	server.clock.advance(5_000);
	await once(silent.resume(), "close");
	answered.write(ask);
	expect(await text(answered)).toContain("GET /1");
});

test("handshakes use slots of unauthenticated clients until their request is authenticated", async () => {
	const admission = new Admission({ perPeer: 1 });
	await using server = new SecureListener({ admission });
	const first = await server.callSecurely();
	first.write("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
	await once(first, "data");
	const waiting = server.callSecurely();
	expect(admission.unauthenticated.served).toBe(1);
	for (const socket of [...server.connections]) admission.settled(socket);
	const second = await waiting;
	second.write(ask);
	expect(await text(second)).toContain("GET /1");
	first.destroy();
});

test("new connections get a renewed certificate, and existing ones stay open", async () => {
	await using server = new SecureListener();
	const before = await server.callSecurely();
	expect(before.getPeerCertificate().subject.CN).toBe("first.parley.example");
	await server.renew();
	const after = await server.callSecurely();
	expect(after.getPeerCertificate().subject.CN).toBe("second.parley.example");
	before.write(ask);
	expect(await text(before)).toContain("GET /1");
	after.destroy();
});
