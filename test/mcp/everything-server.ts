import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const program = join(
	import.meta.dirname,
	"../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
);

async function freePort(): Promise<number> {
	const socket = createServer().listen(0, "127.0.0.1");
	await once(socket, "listening");
	// The cast is safe because the server listens on a TCP port.
	const { port } = socket.address() as AddressInfo;
	socket.close();
	await once(socket, "close");
	return port;
}

/** Starts the npm server "everything", which has all MCP features. */
export async function startEverything(): Promise<{ readonly url: string; stop(): void }> {
	const port = await freePort();
	const url = `http://127.0.0.1:${port}/mcp`;
	const env = { PATH: process.env["PATH"], PORT: String(port) };
	const server = spawn(process.execPath, [program, "streamableHttp"], { env, stdio: "ignore" });
	const isUp = () =>
		fetch(url, { method: "DELETE" }).then(
			() => true,
			() => false,
		);
	while (!(await isUp())) {
		if (server.exitCode !== null || server.signalCode !== null) {
			throw new Error(`the server ended with ${server.signalCode ?? server.exitCode}`);
		}
		await wait(50);
	}
	return { url, stop: () => void server.kill() };
}
