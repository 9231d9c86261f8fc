import { once } from "node:events";
import http, { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import type { FaultName } from "./failure.ts";
import { type Repeated, rowOf } from "./seeds.ts";

export interface NetworkFailure {
	readonly name: string;
	/** Whether the failure has fewer runs, because it is slow. */
	readonly large?: boolean;
	readonly fault: FaultName;
	readonly message: RegExp;
	readonly open: () => Promise<{ readonly baseUrl: string; readonly close: () => Promise<void> }>;
}

/** Row of the fault table for network failures. */
export const networkFailures: readonly (NetworkFailure & Repeated)[] = rowOf<NetworkFailure>([
	...[301, 302, 303, 307, 308].map(redirect),
	{
		name: "an unknown host name",
		large: true,
		fault: "unreachable",
		message: /cannot reach no-such-host\.invalid/,
		open: () => Promise.resolve({ baseUrl: "http://no-such-host.invalid", close: () => Promise.resolve() }),
	},
	{
		name: "no listener",
		fault: "unreachable",
		message: /cannot reach/,
		async open() {
			const { port, close } = await serve();
			await close();
			return { baseUrl: `http://127.0.0.1:${port}`, close: () => Promise.resolve() };
		},
	},
	{
		name: "a plaintext server on an https URL",
		fault: "unreachable",
		message: /cannot reach/,
		async open() {
			const { port, close } = await serve();
			return { baseUrl: `https://127.0.0.1:${port}`, close };
		},
	},
	refusingProxy("407 Proxy Authentication Required", { fault: "rejected", message: /proxy.*credentials/ }),
	refusingProxy("403 Forbidden", { fault: "rejected", message: /proxy.*\(403\)/ }),
	refusingProxy("502 Bad Gateway", { fault: "unreachable", message: /proxy.*\(502\)/ }),
]);

function refusingProxy(answer: string, expected: Pick<NetworkFailure, "fault" | "message">): NetworkFailure {
	return {
		name: `a proxy that answers ${answer}`,
		...expected,
		async open() {
			const { server, port, close } = await serve();
			server.on("connect", (_request, socket) => {
				socket.end(`HTTP/1.1 ${answer}\r\nproxy-authenticate: Basic\r\n\r\n`);
			});
			const restore = http.setGlobalProxyFromEnv({ https_proxy: `http://127.0.0.1:${port}` });
			const undo = (): Promise<void> => {
				restore();
				return close();
			};
			return { baseUrl: "https://model.invalid", close: undo };
		},
	};
}

/** Redirects to another host, which must receive neither the request nor the API key. */
function redirect(status: number): NetworkFailure {
	return {
		name: `a redirect to another host, ${status}`,
		fault: "rejected",
		message: /redirect/,
		async open() {
			const other = await FakeAnthropic.start();
			const { server, port, close } = await serve();
			server.on("request", (_request, response) => {
				response.writeHead(status, { location: `${other.url}/v1/messages` }).end("moved");
			});
			const undo = async (): Promise<void> => {
				await close();
				const received = other.requests.length + other.drainViolations().length;
				await other.close();
				if (received > 0) throw new Error("the redirect was followed");
			};
			return { baseUrl: `http://127.0.0.1:${port}`, close: undo };
		},
	};
}

async function serve(): Promise<{ server: http.Server; port: number; close: () => Promise<void> }> {
	const server = createServer();
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	// The cast is safe because the server listens on a TCP port.
	const { port } = server.address() as AddressInfo;
	const close = async (): Promise<void> => {
		const closed = new Promise((resolve) => server.close(resolve));
		server.closeAllConnections();
		await closed;
	};
	return { server, port, close };
}
