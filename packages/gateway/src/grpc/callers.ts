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
import { type Logger, ParleyError } from "@parley/base";
import type { Principal } from "@parley/core";
import type { Authenticate } from "../auth/authenticate.ts";
import { findOrigin } from "../auth/forwarding.ts";
import type { HeldOpen } from "../auth/held-open.ts";
import type { Connection, IncomingRequest } from "../auth/incoming-request.ts";
import type { Refusal } from "../auth/refusal.ts";
import { checkRequest, type RequestRules } from "../auth/requests.ts";

type CallStatus = Pick<StatusObject, "code" | "details">;

/** The authenticated client of one gRPC call. */
export interface GrpcCaller {
	readonly principal: Principal;
	/** Aborts if the call must end: its token was revoked, or the gateway stops. The reason is a `CallEnd`. */
	readonly signal: AbortSignal;
	/** Resolves when the call has its status, or was cancelled. */
	readonly ended: Promise<void>;
}

/** Why a call ends before its method has finished. */
export class CallEnd extends Error {
	readonly status: CallStatus;

	constructor(code: status, details: string) {
		super(details);
		this.status = { code, details };
	}
}

export interface CallersOptions {
	readonly rules: RequestRules;
	readonly authenticate: Authenticate;
	readonly held: Pick<HeldOpen, "hold">;
	/** The open connection with these addresses. */
	readonly socketOf: (addresses: Connection) => Socket | undefined;
	/** Called for a connection whose client has authenticated. */
	readonly settled: (socket: Socket) => void;
	/** Called with the HTTP status that stands for a refused call. */
	readonly refused: (status: number) => void;
	readonly log: Logger;
}

/** Services that need no credentials: clients use them before they know how to authenticate. */
const publicServices = /^\/grpc\.(?:reflection\.|health\.)/;

/**
 * The callers of gRPC methods. Each call passes the same checks as an HTTP request (host, origin, forwarding,
 * authentication) before its method runs, except for reflection and health.
 */
export class Callers {
	readonly #options: CallersOptions;
	readonly #known = new WeakMap<Metadata, GrpcCaller>();
	readonly #open = new Set<AbortController>();

	constructor(options: CallersOptions) {
		this.#options = options;
	}

	/** Put it in front of all methods. */
	readonly interceptor: ServerInterceptor = ({ path }, call) => {
		if (publicServices.test(path)) return new ServerInterceptingCall(call);
		const ending = new AbortController();
		let release = (): void => undefined;
		let isOver = false;
		const over = Promise.withResolvers<void>();
		const ended = (): void => {
			if (isOver) return;
			isOver = true;
			over.resolve();
			release();
			this.#open.delete(ending);
		};
		const listener = new ServerListenerBuilder()
			.withOnReceiveMetadata((metadata, next) => {
				this.#admit(path, call, metadata)
					.then((principal) => {
						if (isOver) return;
						this.#open.add(ending);
						release = this.#options.held.hold(principal, () => ending.abort(tokenEnded()));
						if (ending.signal.aborted) throw tokenEnded();
						this.#known.set(metadata, { principal, signal: ending.signal, ended: over.promise });
						next(metadata);
					})
					.catch((reason: unknown) => {
						// This status passes no responder.
						ended();
						call.sendStatus(this.#statusOf(path, reason));
					});
			})
			.withOnCancel(ended)
			.build();
		const responder = new ResponderBuilder()
			.withStart((next) => next(listener))
			.withSendStatus((sent, next) => {
				ended();
				next(sent);
			})
			.build();
		return new ServerInterceptingCall(call, responder);
	};

	/** The caller of a method, by the metadata that the method was called with. */
	of(metadata: Metadata): GrpcCaller {
		const caller = this.#known.get(metadata);
		if (!caller) throw new ParleyError("a gRPC call has passed no authentication", { code: "internal" });
		return caller;
	}

	/** Tells all open calls to end, because the gateway stops. */
	end(): void {
		for (const ending of [...this.#open]) ending.abort(new CallEnd(status.UNAVAILABLE, "the gateway stops"));
	}

	async #admit(path: string, call: ServerInterceptingCallInterface, metadata: Metadata): Promise<Principal> {
		const { rules, authenticate, socketOf, settled } = this.#options;
		const socket = socketOf(call.getConnectionInfo());
		if (!socket) throw new CallEnd(status.UNAVAILABLE, "the connection has closed");
		const request: IncomingRequest = { url: path, rawHeaders: headersOf(call, metadata), socket };
		const wrong = checkRequest(request, rules);
		if (wrong) throw new Refused(wrong);
		const { origin, refusal: unclear } = findOrigin(request, rules.proxies);
		if (unclear) throw new Refused(unclear);
		const { principal, refusal } = await authenticate(request, origin);
		if (refusal) throw new Refused(refusal);
		settled(socket);
		return { ...principal, via: "grpc" };
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
		return { code: status.INTERNAL, details: "internal error" };
	}
}

class Refused extends Error {
	readonly refusal: Refusal;

	constructor(refusal: Refusal) {
		super(refusal.body.error);
		this.refusal = refusal;
	}
}

/** https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md, and 421 and 429 by their meaning. */
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
	return new CallEnd(status.UNAUTHENTICATED, "the token was revoked or has expired");
}

/** The headers of a call in the form of HTTP/1.1. HTTP/2 calls the host `:authority`. */
function headersOf(call: ServerInterceptingCallInterface, metadata: Metadata): string[] {
	const names = Object.keys(metadata.getMap()).filter((name) => name !== "host");
	const values = names.flatMap((name) => metadata.get(name).flatMap((value) => [name, String(value)]));
	return ["host", call.getHost(), ...values];
}
