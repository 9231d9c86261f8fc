import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import {
	type Metadata,
	ResponderBuilder,
	Server,
	ServerCredentials,
	ServerInterceptingCall,
	type ServerInterceptor,
	ServerListenerBuilder,
	type ServiceDefinition,
	status,
	type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { loadFileDescriptorSetFromBuffer, loadSync, type PackageDefinition } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import { HealthImplementation, protoPath as healthProto } from "grpc-health-check";
import type { ConnectionAddresses } from "../auth/incoming-request.ts";
import { descriptors } from "../gen/descriptors.ts";
import { grpcTexts } from "../texts/grpc.ts";
import { OutgoingAccount } from "../transport/outgoing-account.ts";
import { Callers, type CallersOptions } from "./callers.ts";

export interface GrpcService {
	/** Name with the package: `kontekst.AgentService`. */
	readonly name: string;
	readonly definition: ServiceDefinition;
	readonly implementation: UntypedServiceImplementation;
}

export interface GrpcServerOptions extends Omit<CallersOptions, "socketOf"> {
	/** Creates the services. `account` counts the bytes that wait for slow clients in the streams of the services. */
	readonly services: (callers: Callers, account: OutgoingAccount) => readonly GrpcService[];
}

const kib = 1024;

/** Options of the server: https://github.com/grpc/grpc-node/blob/master/packages/grpc-js/README.md#supported-channel-options */
const limits = {
	"grpc.enable_channelz": 0,
	"grpc.max_concurrent_streams": 256,
	"grpc.max_receive_message_length": 12 * kib * kib,
	"grpc.max_send_message_length": 4 * kib * kib - 1,
	"grpc.max_connection_idle_ms": 600_000,
	"grpc.keepalive_time_ms": 30_000,
	"grpc.keepalive_timeout_ms": 10_000,
	// Maximum memory of one connection in megabytes: https://nodejs.org/api/http2.html#http2createserveroptions-onrequesthandler
	"grpc-node.max_session_memory": 16,
};

/**
 * gRPC server for connections that the port accepts. It includes the reflection services (v1 and v1alpha) and the
 * health service.
 */
export class GrpcServer {
	readonly #callers: Callers;
	readonly #account = new OutgoingAccount();
	readonly #health: HealthImplementation;
	/** Names for the health service: the gateway itself and each service. */
	readonly #names: readonly string[];
	readonly #injector: ReturnType<Server["createConnectionInjector"]>;
	/**
	 * Sockets by the addresses of both ends, because a call reports only the addresses of its connection, and not the
	 * socket.
	 */
	readonly #sockets = new Map<string, Socket>();

	constructor(options: GrpcServerOptions) {
		const socketOf = (addresses: ConnectionAddresses) => this.#sockets.get(bothEnds(addresses));
		this.#callers = new Callers({ ...options, socketOf });
		const interceptors = [limitHeaders(options.refused), this.#callers.interceptor];
		const server = new Server({ ...limits, interceptors });
		const services = options.services(this.#callers, this.#account);
		for (const { definition, implementation } of services) server.addService(definition, implementation);
		this.#names = ["", ...services.map(({ name }) => name)];
		this.#health = new HealthImplementation(
			Object.fromEntries(this.#names.map((name) => [name, "SERVING" as const])),
		);
		this.#health.addToServer(server);
		new ReflectionService(described()).addToServer(server);
		this.#injector = server.createConnectionInjector(ServerCredentials.createInsecure());
	}

	/** Returns the number of open calls of authenticated clients. */
	get calls(): number {
		return this.#callers.calls;
	}

	get waitingBytes(): number {
		return this.#account.total;
	}

	/** Serves a connection that begins with the first bytes of HTTP/2. */
	accept(socket: Socket): void {
		// The connection may have closed while this server was loading.
		if (socket.destroyed) return;
		// The port accepts sockets with `allowHalfOpen`. With this option, Node's HTTP/2 does not detect that a client has
		// disconnected.
		socket.allowHalfOpen = false;
		const key = bothEnds(socket);
		this.#sockets.set(key, socket);
		socket.once("close", () => this.#sockets.delete(key));
		this.#injector.injectConnection(socket);
		// Node 24 waits for `secureConnect` before it speaks HTTP/2 over TLS, and emits this event only for connections
		// of a `tls.Server`: see decision 086.
		if (socket instanceof TLSSocket) socket.emit("secureConnect");
	}

	/** Sets all services to `NOT_SERVING` in the health service. Call it before the gateway stops. */
	drain(): void {
		for (const name of this.#names) this.#health.setStatus(name, "NOT_SERVING");
	}

	/**
	 * Ends all calls with `UNAVAILABLE`. Closes each connection as soon as its calls have ended, at the latest after `graceMs`
	 * milliseconds.
	 */
	async close(graceMs: number): Promise<void> {
		this.drain();
		this.#callers.end();
		const closed = Array.from(
			this.#sockets.values(),
			(socket) => new Promise((end) => socket.once("close", end)),
		);
		this.#injector.drain(graceMs);
		await Promise.all(closed);
		this.#injector.destroy();
	}
}

/**
 * Returns the definitions of all services. The definitions of Parley's services contain the generated descriptor
 * files. The files of proto-loader 0.8 lack the imports, and clients that check imports refuse a schema without them.
 */
function described(): PackageDefinition {
	const set = Buffer.from(descriptors, "base64");
	const fileDescriptorProtos = filesOf(set);
	const definitions = Object.entries(loadFileDescriptorSetFromBuffer(set)).map(([name, definition]) => [
		name,
		"fileDescriptorProtos" in definition ? { ...definition, fileDescriptorProtos } : definition,
	]);
	return { ...Object.fromEntries(definitions), ...loadSync(healthProto) };
}

/**
 * Returns the encoded files of a `google.protobuf.FileDescriptorSet`. The only field of this message is the list of
 * files.
 */
function filesOf(set: Uint8Array): Buffer[] {
	const reader = new BinaryReader(set);
	const files: Buffer[] = [];
	while (reader.pos < reader.len) {
		reader.tag();
		files.push(Buffer.from(reader.bytes()));
	}
	return files;
}

function bothEnds({ localAddress, localPort, remoteAddress, remotePort }: ConnectionAddresses): string {
	return [localAddress, localPort, remoteAddress, remotePort].join(" ");
}

/** Maximum size of a call's header list in octets, as in RFC 9113, section 6.5.2. */
const maxHeaderBytes = 16 * 1024;

/**
 * Number of octets that are counted for each entry of a header list, in addition to its name and value: RFC 9113,
 * section 6.5.2.
 */
const entryBytes = 32;

/**
 * Returns an interceptor that refuses calls with more than `maxHeaderBytes` of headers, and calls `refused` with the
 * equivalent HTTP status. Headers that grpc-js consumes (`te`, `content-type`, `grpc-timeout` and the encodings) are
 * not counted.
 */
function limitHeaders(refused: (status: number) => void): ServerInterceptor {
	// The libraries do not limit the size of the header list. Node limits only the entries of a list (128), and nghttp2
	// limits only the frames of a list. There is no option for the size in grpc-js.
	return ({ path }, call) => {
		const listener = new ServerListenerBuilder()
			.withOnReceiveMetadata((metadata, next) => {
				const size = headerBytes(metadata, { ":path": path, ":authority": call.getHost() });
				if (size <= maxHeaderBytes) {
					next(metadata);
					return;
				}
				refused(431);
				const details = grpcTexts.longHeaders({ bytes: size, maxBytes: maxHeaderBytes });
				call.sendStatus({ code: status.RESOURCE_EXHAUSTED, details });
			})
			.build();
		const responder = new ResponderBuilder().withStart((next) => next(listener)).build();
		return new ServerInterceptingCall(call, responder);
	};
}

function headerBytes(metadata: Metadata, pseudo: Readonly<Record<":path" | ":authority", string>>): number {
	const named = Object.keys(metadata.getMap()).flatMap((name) =>
		metadata.get(name).map((value) => [name, value] as const),
	);
	// The metadata does not contain the pseudo-header fields.
	const entries = [[":method", "POST"], [":scheme", "http"], ...Object.entries(pseudo), ...named] as const;
	return entries.reduce((sum, [name, value]) => sum + entryBytes + name.length + valueBytes(value), 0);
}

function valueBytes(value: string | Buffer): number {
	// Text values are ASCII. Binary values were sent in base64. The optional padding of base64 is not counted.
	return typeof value === "string" ? value.length : Math.ceil((value.length * 4) / 3);
}
