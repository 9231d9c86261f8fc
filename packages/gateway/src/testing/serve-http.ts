import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export async function serveHttp(listener: RequestListener) {
	const server = createServer(listener).listen(0, "127.0.0.1");
	await once(server, "listening");
	// The cast is safe because the server listens on a port.
	const { port } = server.address() as AddressInfo;
	return {
		baseUrl: `http://127.0.0.1:${port}`,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}
