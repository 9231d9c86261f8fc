import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Server as NetServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

/** A host name that only the proxy resolves. A connection without the proxy fails. */
export const hiddenHost = "slack.invalid";

/** A TLS server on this machine that is reachable only through a proxy. */
export interface HiddenServer {
	/** Environment variables of a process that uses the proxy. */
	readonly environment: Readonly<Record<string, string>>;
	/** Targets of CONNECT requests to the proxy, in order. */
	readonly tunnels: readonly string[];
	/** Number of open connections through the proxy. */
	readonly open: number;
}

/** Hides the server on a port until the test ends. Calls `changed` when a connection opens or closes. */
export async function hide(port: number, changed: () => void): Promise<HiddenServer> {
	const directory = mkdtempSync(join(tmpdir(), "parley-proxy-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
	const subject = ["-subj", `/CN=${hiddenHost}`, "-addext", `subjectAltName=DNS:${hiddenHost}`];
	const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
	await promisify(execFile)("openssl", ["req", "-x509", ...curve, "-keyout", key, "-out", cert, ...subject]);

	// This server negotiates HTTP/2 but does not implement it, so a client that offers HTTP/2 would fail.
	const tls = createTlsServer(
		{ key: readFileSync(key), cert: readFileSync(cert), ALPNProtocols: ["h2", "http/1.1"] },
		(stream) => bind(stream, connect(port, "127.0.0.1")),
	);
	const tlsPort = await listening(tls);
	const tunnels: string[] = [];
	const streams = new Set<Duplex>();
	const proxy = createServer((_, response) => void response.writeHead(405).end());
	proxy.on("connect", ({ url = "" }, stream: Duplex) => {
		tunnels.push(url);
		streams.add(stream);
		stream.once("close", () => {
			streams.delete(stream);
			changed();
		});
		stream.write("HTTP/1.1 200 Connection established\r\n\r\n");
		bind(stream, connect(tlsPort, "127.0.0.1"));
		changed();
	});
	const address = `http://127.0.0.1:${await listening(proxy)}`;
	return {
		environment: { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: address, NODE_EXTRA_CA_CERTS: cert },
		tunnels,
		get open() {
			return streams.size;
		},
	};
}

async function listening(server: Server | NetServer): Promise<number> {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	onTestFinished(() => void server.close());
	// The cast is safe because the server listens on a TCP port.
	return (server.address() as AddressInfo).port;
}

function bind(one: Duplex, other: Duplex): void {
	for (const [from, to] of [
		[one, other],
		[other, one],
	] as const) {
		from.pipe(to);
		from.on("error", () => to.destroy()).on("close", () => to.destroy());
	}
}
