import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { defined } from "@parley/base";

/** Both ends of a new connection over loopback. The accepted end is unread. */
export interface SocketPair extends AsyncDisposable {
	readonly accepted: Socket;
	readonly client: Socket;
}

/** Addresses of both ends. Default: IPv4 loopback. */
export interface SocketPairOptions {
	readonly host?: string;
	readonly localAddress?: string;
}

export async function connectPair(options: SocketPairOptions = {}): Promise<SocketPair> {
	const { host = "127.0.0.1", localAddress } = options;
	const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
	server.listen(0, host);
	await once(server, "listening");
	// The cast is safe because the server listens on a port, not on a path.
	const { port } = server.address() as AddressInfo;
	const client = connect({ host, port, noDelay: true, ...defined({ localAddress }) });
	client.on("error", () => undefined);
	const [accepted]: Socket[] = await once(server, "connection");
	if (accepted === undefined) throw new Error("a connection event came without a socket");
	accepted.on("error", () => undefined);
	if (client.connecting) await once(client, "connect");
	return {
		accepted,
		client,
		async [Symbol.asyncDispose]() {
			accepted.destroy();
			client.destroy();
			server.close();
			await once(server, "close");
		},
	};
}
