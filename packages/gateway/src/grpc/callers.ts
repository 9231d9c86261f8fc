import type { Socket } from "node:net";
import {
	type Metadata,
	ResponderBuilder,
	ServerInterceptingCall,
	type ServerInterceptingCallInterface,
	type ServerInterceptor,
	ServerListenerBuilder,
	type StatusObject,
	status,
} from "@grpc/grpc-js";
import { type Clock, type Logger, ParleyError, type Timer } from "@parley/base";
import type { Principal } from "@parley/core";
import type { Authenticate } from "../auth/authenticate.ts";
import { findOrigin } from "../auth/forwarding.ts";
import type { ConnectionAddresses, IncomingRequest } from "../auth/incoming-request.ts";
import type { OpenConnections } from "../auth/open-connections.ts";
import type { Refusal } from "../auth/refusal.ts";
import { checkRequest, type RequestRules } from "../auth/requests.ts";
import { grpcTexts } from "../texts/grpc.ts";

type CallStatus = Pick<StatusObject, "code" | "details">;

/** The authenticated client of one gRPC call. */
export interface GrpcCaller {
	readonly principal: Principal;
	/**
	 * Aborts when the call must end: the client's token is no longer valid, or the gateway stops. The reason of the
	 * abort is a `CallEnd`.
	 */
	readonly signal: AbortSignal;
	/** Resolves when the call has its status, or was cancelled. */
	readonly ended: Promise<void>;
	/**
	 * Starts the time limit for the client to read the status of this call. After the limit, the connection is closed
	 * if all open calls of the connection are overdue.
	 */
	readonly expectEnd: () => void;
}

/** Reason why a call ends before its method has finished. */
export class CallEnd extends Error {
	readonly status: CallStatus;

	constructor(code: status, details: string) {
		super(details);
		this.status = { code, details };
	}
}

/** Milliseconds in which a client must read the status of a call that the gateway ends early. */
const statusMs = 5_000;

class OpenCall {
	readonly ending = new AbortController();
	readonly #over = Promise.withResolvers<void>();
	readonly ended = this.#over.promise;
	/** Connection of the call, as soon as the client is authenticated. */
	socket: Socket | undefined;
	release = (): void => undefined;
	/** Whether the client has not read the status in time. */
	isOverdue = false;
	timer: Timer | undefined;
	isOver = false;

	end(): void {
		if (this.isOver) return;
		this.isOver = true;
		this.#over.resolve();
		this.release();
	}
}

export interface CallersOptions {
	readonly clock: Clock;
	readonly rules: RequestRules;
	readonly authenticate: Authenticate;
	readonly openConnections: Pick<OpenConnections, "register">;
	/** Returns the open connection with these addresses, or undefined. */
	readonly socketOf: (addresses: ConnectionAddresses) => Socket | undefined;
	/** Reports each authenticated call, with its connection. */
	readonly settled: (socket: Socket) => void;
	/** Reports each refused call, with the corresponding HTTP status. */
	readonly refused: (status: number) => void;
	readonly log: Logger;
}

/**
 * Pattern of the paths of methods that need no authentication. Clients use these methods before they know how to
 * authenticate.
 */
const publicServices = /^\/grpc\.(?:reflection\.|health\.)/;

/**
 * Callers of gRPC methods. Each call passes the same checks as an HTTP request (host, origin, forwarding,
 * authentication) before the method of the call runs. Calls to the reflection and health services skip these checks.
 */
export class Callers {
	readonly #options: CallersOptions;
	readonly #known = new WeakMap<Metadata, GrpcCaller>();
	readonly #open = new Map<Socket, Set<OpenCall>>();

	constructor(options: CallersOptions) {
		this.#options = options;
	}

	/** Authenticates each call before its method runs, except calls to the reflection and health services. */
	readonly interceptor: ServerInterceptor = ({ path }, call) => {
		if (publicServices.test(path)) return new ServerInterceptingCall(call);
		const open = new OpenCall();
		const listener = new ServerListenerBuilder()
			.withOnReceiveMetadata((metadata, next) => {
				this.#admit(path, call, metadata)
					.then((admitted) => {
						if (open.isOver) return;
						this.#begin(open, admitted, metadata);
						next(metadata);
					})
					.catch((reason: unknown) => {
						// This status does not pass the responder, so the call is ended here.
						open.end();
						this.#closed(open);
						call.sendStatus(this.#statusOf(path, reason));
					});
			})
			// gRPC also calls this function after the status has been sent.
			.withOnCancel(() => {
				open.end();
				this.#closed(open);
			})
			.build();
		const responder = new ResponderBuilder()
			.withStart((next) => next(listener))
			.withSendStatus((sent, next) => {
				open.end();
				next(sent);
			})
			.build();
		return new ServerInterceptingCall(call, responder);
	};

	get calls(): number {
		return this.#open.values().reduce((sum, { size }) => sum + size, 0);
	}

	/** Returns the caller of a method by the metadata of the call. Throws if the call was not authenticated. */
	of(metadata: Metadata): GrpcCaller {
		const caller = this.#known.get(metadata);
		if (!caller) throw new ParleyError("a gRPC call was not authenticated", { code: "internal" });
		return caller;
	}

	/** Ends all open calls, because the gateway stops. */
	end(): void {
		for (const calls of this.#open.values()) {
			for (const { ending } of calls) ending.abort(new CallEnd(status.UNAVAILABLE, grpcTexts.stopping));
		}
	}

	#begin(open: OpenCall, { principal, socket }: Admitted, metadata: Metadata): void {
		open.socket = socket;
		const others = this.#open.get(socket) ?? new Set();
		this.#open.set(socket, others.add(open));
		const expectEnd = (): void => this.#expectEnd(open);
		open.release = this.#options.openConnections.register(principal, () => {
			open.ending.abort(tokenEnded());
			expectEnd();
		});
		const { signal } = open.ending;
		if (signal.aborted) throw tokenEnded();
		this.#known.set(metadata, { principal, signal, ended: open.ended, expectEnd });
	}

	#expectEnd(open: OpenCall): void {
		open.timer ??= this.#options.clock.after(statusMs, () => {
			open.isOverdue = true;
			this.#cutAbandoned(open.socket);
		});
	}

	#closed(open: OpenCall): void {
		open.timer?.cancel();
		const { socket } = open;
		const others = socket && this.#open.get(socket);
		if (!socket || !others?.delete(open)) return;
		if (others.size === 0) this.#open.delete(socket);
		this.#cutAbandoned(socket);
	}

	/**
	 * Closes the connection only if all calls of the connection are overdue, because a proxy may send calls of several
	 * clients over one connection.
	 */
	#cutAbandoned(socket: Socket | undefined): void {
		const calls = socket && this.#open.get(socket);
		if (!socket || !calls?.values().every(({ isOverdue }) => isOverdue)) return;
		this.#options.log.warn("closing a gRPC connection: its client does not read the status of its calls", {
			peer: socket.remoteAddress,
		});
		socket.destroy();
	}

	async #admit(path: string, call: ServerInterceptingCallInterface, metadata: Metadata): Promise<Admitted> {
		const { rules, authenticate, socketOf, settled } = this.#options;
		const socket = socketOf(call.getConnectionInfo());
		if (!socket) throw new CallEnd(status.UNAVAILABLE, grpcTexts.connectionClosed);
		const request: IncomingRequest = { url: path, rawHeaders: headersOf(call, metadata), socket };
		const wrong = checkRequest(request, rules);
		if (wrong) throw new Refused(wrong);
		const { origin, refusal: unclear } = findOrigin(request, rules.proxies);
		if (unclear) throw new Refused(unclear);
		const { principal, refusal } = await authenticate(request, origin);
		if (refusal) throw new Refused(refusal);
		settled(socket);
		return { principal: { ...principal, via: "grpc" }, socket };
	}

	#statusOf(path: string, reason: unknown): CallStatus {
		if (reason instanceof CallEnd) return reason.status;
		if (reason instanceof Refused) {
			const { refusal } = reason;
			this.#options.refused(refusal.status);
			const { error, hint } = refusal.body;
			return { code: codes[refusal.status], details: `${error}: ${hint}` };
		}
		this.#options.log.error("a gRPC call could not be started", { path, error: reason });
		return { code: status.INTERNAL, details: grpcTexts.internalError };
	}
}

interface Admitted {
	readonly principal: Principal;
	readonly socket: Socket;
}

class Refused extends Error {
	readonly refusal: Refusal;

	constructor(refusal: Refusal) {
		super(refusal.body.error);
		this.refusal = refusal;
	}
}

/**
 * Status of gRPC by HTTP status. 405, 421 and 429 are mapped by their meaning, and all others as in
 * https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md
 */
const codes = {
	400: status.INTERNAL,
	401: status.UNAUTHENTICATED,
	403: status.PERMISSION_DENIED,
	405: status.UNIMPLEMENTED,
	421: status.PERMISSION_DENIED,
	429: status.RESOURCE_EXHAUSTED,
	503: status.UNAVAILABLE,
} as const satisfies Record<Refusal["status"], status>;

function tokenEnded(): CallEnd {
	return new CallEnd(status.UNAUTHENTICATED, grpcTexts.tokenEnded);
}

function headersOf(call: ServerInterceptingCallInterface, metadata: Metadata): string[] {
	const names = Object.keys(metadata.getMap()).filter((name) => name !== "host");
	const values = names.flatMap((name) => metadata.get(name).flatMap((value) => [name, String(value)]));
	// In HTTP/2, the name of the host header is `:authority`.
	return ["host", call.getHost(), ...values];
}
