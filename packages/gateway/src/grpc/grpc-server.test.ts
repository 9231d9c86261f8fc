import { once } from "node:events";
import { connect } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import {
	Client,
	credentials,
	type ServerDuplexStream,
	type ServerUnaryCall,
	type ServiceError,
	type sendUnaryData,
	status,
} from "@grpc/grpc-js";
import { systemClock } from "@parley/base";
import { MemoryLogger, paced } from "@parley/base/testing";
import { operator } from "@parley/core";
import { expect, test } from "vitest";
import type { OpenConnections } from "../auth/open-connections.ts";
import { authority, TlsPlace } from "../testing/tls-place.ts";
import { Admission } from "../transport/admission.ts";
import { createListener } from "../transport/listener.ts";
import { loadTlsIdentity } from "../transport/tls-identity.ts";
import { GrpcServer } from "./grpc-server.ts";

async function serve(
	openConnections: Pick<OpenConnections, "register"> = { register: () => () => undefined },
) {
	const place = new TlsPlace();
	const identity = await loadTlsIdentity(place.files);
	const log = new MemoryLogger();
	const admission = new Admission();
	const settled: boolean[] = [];
	const waiting: Promise<void>[] = [];
	const server = new GrpcServer({
		clock: systemClock,
		log,
		rules: { allowedHosts: [] },
		openConnections,
		refused: () => undefined,
		authenticate: async ({ socket }) => ({ principal: { ...operator, id: `encrypted ${socket.encrypted}` } }),
		settled: (socket) => {
			admission.settled(socket);
			settled.push("encrypted" in socket);
		},
		services: (callers) => [
			{
				name: "test.Echo",
				definition: { echo: echoMethod, wait: waitMethod },
				implementation: {
					wait: (call: ServerDuplexStream<Buffer, Buffer>) => {
						const { ended } = callers.of(call.metadata);
						call
							.on("error", () => undefined)
							.on("data", (size: Buffer) => call.write(Buffer.alloc(size.readUInt32BE())));
						waiting.push(ended);
					},
					echo: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) =>
						answer(null, Buffer.from(callers.of(call.metadata).principal.id)),
				},
			},
		],
	});
	const listener = await createListener({
		host: "127.0.0.1",
		port: 0,
		clock: systemClock,
		log,
		admission,
		identity: () => identity,
		isOwn: async () => false,
		onHttp: (socket) => socket.destroy(),
		onHttp2: (socket) => server.accept(socket),
	});
	return {
		settled,
		waiting,
		target: `localhost:${listener.address().port}`,
		async [Symbol.asyncDispose]() {
			await Promise.all([server.close(0), listener.close(0)]);
			place[Symbol.dispose]();
		},
	};
}

const same = (bytes: Buffer): Buffer => bytes;
const echoMethod = {
	path: "/test.Echo/Echo",
	requestStream: false,
	responseStream: false,
	requestSerialize: same,
	requestDeserialize: same,
	responseSerialize: same,
	responseDeserialize: same,
};
/** Method that writes the requested number of bytes, and does not end. */
const waitMethod = { ...echoMethod, path: "/test.Echo/Wait", requestStream: true, responseStream: true };

/** Calls `waitMethod` and requests `bytes` bytes. Resolves when the response headers arrive. */
async function openWait(connection: Socket, target: string, bytes: number): Promise<void> {
	const session = connect(`http://${target}`, { createConnection: () => connection });
	session.on("error", () => undefined);
	const headers = { ":method": "POST", ":path": waitMethod.path, "content-type": "application/grpc" };
	const stream = session.request({ ...headers, te: "trailers" }).on("error", () => undefined);
	const frame = Buffer.from([0, 0, 0, 0, 4, 0, 0, 0, 0]);
	frame.writeUInt32BE(bytes, 5);
	stream.write(frame);
	await once(stream, "response");
}

/** Time limit of the tests. The keepalive ends a call only after 40 s. */
const timeout = paced(20_000);

test.each(["plain", "TLS"])(
	"a client that disconnects without a message ends its calls: %s",
	{ timeout },
	async (kind) => {
		await using server = await serve();
		for (const bytes of [1, 1_000_000]) {
			const { port, hostname: host } = new URL(`http://${server.target}`);
			const to = { port: Number(port), host };
			const tls = { ...to, ca: authority, ALPNProtocols: ["h2"], servername: host };
			const connection = kind === "TLS" ? connectTls(tls) : connectTcp(to);
			await openWait(connection, server.target, bytes);
			connection.destroy();
			await server.waiting.at(-1);
		}
		expect(server.waiting).toHaveLength(2);
	},
);

function ask(target: string, path: string, channel = credentials.createInsecure()): Promise<string | number> {
	const client = new Client(target, channel);
	return new Promise<string | number>((resolve) => {
		const answered = (error: ServiceError | null, answer?: Buffer): void =>
			resolve(error?.code ?? String(answer));
		client.makeUnaryRequest(path, same, same, Buffer.from("hi"), answered);
	}).finally(() => client.close());
}

test("calls arrive over plain HTTP/2 and over TLS, and their connections are authenticated", async () => {
	await using server = await serve();
	const { target, settled } = server;
	expect(await ask(target, echoMethod.path)).toBe("encrypted undefined");
	const tls = credentials.createSsl(Buffer.from(authority));
	expect(await ask(target, echoMethod.path, tls)).toBe("encrypted true");
	expect(settled).toEqual([false, true]);
});

test("an unknown service is unimplemented", async () => {
	await using server = await serve();
	expect(await ask(server.target, "/test.Other/Echo")).toBe(status.UNIMPLEMENTED);
});

test("a token that is revoked while the call is authenticated starts no method", async () => {
	let released = 0;
	const register: OpenConnections["register"] = (_principal, end) => {
		end();
		return () => {
			released += 1;
		};
	};
	await using server = await serve({ register });
	expect(await ask(server.target, echoMethod.path)).toBe(status.UNAUTHENTICATED);
	expect(released).toBe(1);
});
