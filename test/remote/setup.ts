import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import type { ClientOptions } from "ws";
import type { Access } from "../conformance/drivers/kontekst-client.ts";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { choosePort, GatewayProcess, type GatewayProcessOptions } from "../gateway-process.ts";
import { adapt, documented } from "./document.ts";

/** Source address of the test clients. Proxies connect to the gateway from 127.0.0.1. */
export const clientAddress = "127.0.0.2";

interface Asking {
	readonly method?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: Buffer;
	/** Bearer token. If undefined, the request has no token. */
	readonly token?: string;
	/** Port of the request. By default, the public port. */
	readonly port?: number;
}

/** A directory with the documented certificate, and free ports for a gateway and a proxy. */
export class RemoteSetup implements AsyncDisposable {
	readonly directory = mkdtempSync(join(tmpdir(), "parley-remote-"));
	readonly data = join(this.directory, "data");
	readonly publicPort: number;
	readonly gatewayPort: number;
	#gateway: GatewayProcess | undefined;

	private constructor(publicPort: number, gatewayPort: number) {
		this.publicPort = publicPort;
		this.gatewayPort = gatewayPort;
		mkdirSync(join(this.directory, "work"));
		mkdirSync(this.data, { mode: 0o700 });
	}

	static async create(): Promise<RemoteSetup> {
		const setup = new RemoteSetup(await choosePort(), await choosePort());
		await setup.certify("localhost");
		return setup;
	}

	get publicUrl(): string {
		return `https://localhost:${this.publicPort}`;
	}

	async certify(name: string): Promise<void> {
		const script = adapt(documented("self-signed"), { "parley.example": name });
		await promisify(execFile)("sh", ["-ec", script], { cwd: this.directory });
	}

	get certificate(): string {
		return readFileSync(join(this.directory, "cert.pem"), "utf8");
	}

	get token(): string {
		return readFileSync(join(this.data, "tokens", "operator"), "utf8").trim();
	}

	write(name: string, content: string): string {
		const path = join(this.directory, name);
		writeFileSync(path, content);
		return path;
	}

	/** Starts the gateway. Throws if it does not become ready. */
	async start(options: Partial<GatewayProcessOptions> = {}): Promise<GatewayProcess> {
		const root = join(this.directory, "work");
		const gateway = new GatewayProcess({ port: this.gatewayPort, data: this.data, root, ...options });
		this.#gateway = gateway;
		if (await gateway.ready) return gateway;
		throw new Error(`the gateway did not start: ${gateway.stderr.join("\n")}`);
	}

	/** Sends a request. Resolves when the response headers have arrived. */
	async open(
		path: string,
		{ token, headers = {}, body, port = this.publicPort, ...more }: Asking = {},
	): Promise<IncomingMessage> {
		const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
		const sent = request({
			...{ host: "127.0.0.1", port, path, ca: this.certificate, localAddress: clientAddress, agent: false },
			servername: "localhost",
			headers: { host: `localhost:${port}`, ...authorization, ...headers },
			...more,
		});
		sent.end(body);
		const [response] = await once(sent, "response");
		return response;
	}

	async ask(
		path: string,
		asking?: Asking,
	): Promise<{ readonly status: number | undefined; readonly text: string }> {
		const response = await this.open(path, asking);
		return { status: response.statusCode, text: await text(response) };
	}

	/** Opens a WebSocket on the public port, by default with the operator's token. */
	connect(
		headers: Readonly<Record<string, string>> = { authorization: `Bearer ${this.token}` },
	): Promise<OzzieClient> {
		const options: ClientOptions = { ca: this.certificate, localAddress: clientAddress, family: 4, headers };
		return OzzieClient.connect(this.publicUrl, options);
	}

	/**
	 * Opens a relay to the public port for gRPC clients, which cannot choose their source address. The relay connects
	 * from `localAddress`.
	 */
	async grpc(
		localAddress: string,
	): Promise<{ readonly url: string; readonly access: Access } & AsyncDisposable> {
		const sockets = new Set<Socket>();
		const relay = createServer((client) => {
			const server = connect({ host: "127.0.0.1", port: this.publicPort, localAddress });
			for (const socket of [client, server]) {
				sockets.add(socket);
				// After an error, the close handler below also closes the other connection.
				socket.on("error", () => undefined);
				socket.on("close", () => [client, server].forEach((one) => void one.destroy()));
			}
			client.pipe(server).pipe(client);
		}).listen(0, "127.0.0.1");
		await once(relay, "listening");
		// The cast is safe because the server listens on a TCP port.
		const { port } = relay.address() as AddressInfo;
		const tls = { certificate: this.certificate, authority: `localhost:${this.publicPort}` };
		return {
			...{ url: `https://127.0.0.1:${port}`, access: { tls } },
			async [Symbol.asyncDispose]() {
				for (const socket of sockets) socket.destroy();
				relay.close();
				await once(relay, "close");
			},
		};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#gateway?.kill("SIGKILL");
		await this.#gateway?.exited;
		rmSync(this.directory, { recursive: true, force: true });
	}
}
