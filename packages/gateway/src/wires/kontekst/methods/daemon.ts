import type { ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import { type Clock, type Logger, ParleyError } from "@parley/base";
import { authorize, type Principal } from "@parley/core";
import type { DaemonServiceServer, GetStatusResponse } from "../../../gen/kontekst.ts";
import type { Callers } from "../../../grpc/callers.ts";
import { statuses } from "../error-code.ts";

/** What `kontekst.DaemonService` tells about the gateway, and how it is stopped. */
export interface DaemonServiceOptions {
	readonly callers: Callers;
	readonly clock: Clock;
	readonly log: Logger;
	/** Host and port of the first listener. */
	readonly bind: () => string;
	readonly dataDirectory: string;
	/** Milliseconds since the epoch. */
	readonly startedAt: number;
	/** Asks the gateway to stop. */
	readonly shutdown: () => void;
}

/** The methods of `kontekst.DaemonService`. */
export function daemonService(options: DaemonServiceOptions): DaemonServiceServer {
	const { callers, log } = options;
	return {
		getStatus: unary((principal) => statusFor(principal, options), { callers, log }),
		shutdown: (call, callback) => {
			const answer = unary(shutdownFor, { callers, log });
			answer(call, (error, response) => {
				// The answer leaves before the listener closes.
				if (!error) void callers.of(call.metadata).ended.then(options.shutdown);
				callback(error, response);
			});
		},
	};
}

function shutdownFor(principal: Principal): { readonly message: string } {
	authorize(principal, "gateway.control");
	return { message: "shutting down" };
}

/** No model server of its own is configured: its fields are empty. */
function statusFor(
	principal: Principal,
	{ clock, bind, dataDirectory, startedAt }: DaemonServiceOptions,
): GetStatusResponse {
	authorize(principal, "gateway.control");
	return {
		...{ bind: bind(), endpoint: "", modelDir: "" },
		...{ llamaServerHealthy: false, llamaServerRunning: false, llamaServerPid: 0 },
		uptimeSeconds: Math.max(0, Math.floor((clock.now() - startedAt) / 1000)),
		startedAtRfc3339: new Date(startedAt).toISOString(),
		dataDir: dataDirectory,
	};
}

function unary<Request, Response>(
	work: (principal: Principal) => Response,
	{ callers, log }: Pick<DaemonServiceOptions, "callers" | "log">,
) {
	return (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>): void => {
		try {
			callback(null, work(callers.of(call.metadata).principal));
		} catch (reason) {
			const { code, message } = ParleyError.from(reason);
			if (code === "internal") log.error("a gRPC method failed", { path: call.getPath(), error: reason });
			callback({ code: statuses[code], details: code === "internal" ? "internal error" : message });
		}
	};
}
