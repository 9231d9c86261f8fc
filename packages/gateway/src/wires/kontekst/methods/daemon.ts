import type { ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import { type Clock, type Logger, ParleyError } from "@parley/base";
import { authorize, type Principal } from "@parley/core";
import type { DaemonServiceServer, GetStatusResponse } from "../../../gen/kontekst.ts";
import type { Callers } from "../../../grpc/callers.ts";
import type { LlamaServer } from "../../../llama/llama-server.ts";
import { kontekstStatuses } from "../error-code.ts";

export interface DaemonServiceOptions {
	readonly callers: Callers;
	readonly clock: Clock;
	readonly log: Logger;
	/** Returns the host and port of the first listener. */
	readonly bind: () => string;
	readonly dataDirectory: string;
	/** Time of the start, in milliseconds since the epoch. */
	readonly startedAt: number;
	readonly llama: LlamaServer | undefined;
	/** Stops the gateway. */
	readonly shutdown: () => void;
}

export function daemonService(options: DaemonServiceOptions): DaemonServiceServer {
	const { callers } = options;
	return {
		getStatus: unary((principal) => statusFor(principal, options), options),
		shutdown: (call, callback) => {
			const answer = unary(shutdownFor, options);
			answer(call, (error, response) => {
				// The response is sent before the listener closes.
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

/**
 * Returns the status of the gateway and of the local model server. Resolves even if the model server does not respond
 * within 1.5 s. If no model server is configured, the fields about it are empty, false or 0.
 */
async function statusFor(
	principal: Principal,
	{ clock, bind, dataDirectory, startedAt, llama }: DaemonServiceOptions,
): Promise<GetStatusResponse> {
	authorize(principal, "gateway.control");
	const llamaServerHealthy = (await llama?.isHealthy()) ?? false;
	const { endpoint = "", modelDir = "", pid = 0 } = llama?.status ?? {};
	return {
		bind: bind(),
		endpoint,
		modelDir,
		llamaServerHealthy,
		llamaServerRunning: pid > 0,
		llamaServerPid: pid,
		uptimeSeconds: Math.max(0, Math.floor((clock.now() - startedAt) / 1000)),
		startedAtRfc3339: new Date(startedAt).toISOString(),
		dataDir: dataDirectory,
	};
}

function unary<Request, Response>(
	work: (principal: Principal) => Response | Promise<Response>,
	{ callers, log }: DaemonServiceOptions,
) {
	const answer = async (call: ServerUnaryCall<Request, Response>): Promise<Response> =>
		work(callers.of(call.metadata).principal);
	return (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>): void => {
		answer(call).then(
			(response) => callback(null, response),
			(reason: unknown) => {
				const { code, message } = ParleyError.from(reason);
				if (code === "internal") log.error("a gRPC method failed", { path: call.getPath(), error: reason });
				callback({ code: kontekstStatuses[code], details: code === "internal" ? "internal error" : message });
			},
		);
	};
}
