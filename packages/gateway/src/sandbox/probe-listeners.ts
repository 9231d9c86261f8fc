import { createServer, type Server } from "node:net";
import type { Ids } from "@parley/base";
import type { ProbeListeners } from "@parley/core";

/** Maximum length of a socket's path on Linux, without the final NUL. */
const MAX_NAME_BYTES = 107;

/** Opens listeners that the sandbox check tries to reach from inside the sandbox. The listeners serve no requests. */
export async function openProbeListeners(ids: Ids, file: string): Promise<ProbeListeners> {
	await using undo = new AsyncDisposableStack();
	const socket = ids.create("probe");
	const server = await listen({ host: "127.0.0.1", port: 0 });
	undo.defer(() => close(server));
	// A socket name that begins with NUL is not a file: https://man7.org/linux/man-pages/man7/unix.7.html
	const nameless = await listen({ path: `\0${socket}` });
	undo.defer(() => close(nameless));
	if (Buffer.byteLength(file) <= MAX_NAME_BYTES) {
		const named = await listen({ path: file });
		undo.defer(() => close(named));
	}
	const address = server.address();
	const opened = undo.move();
	return {
		port: typeof address === "object" && address !== null ? address.port : 0,
		socket,
		[Symbol.asyncDispose]: () => opened.disposeAsync(),
	};
}

async function listen(place: { readonly path: string } | { readonly host: string; readonly port: number }) {
	const server = createServer((connection) => connection.destroy());
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject).listen(place, resolve);
	});
	return server;
}

function close(server: Server): Promise<void> {
	return new Promise((resolve) => {
		server.close(() => resolve());
	});
}
