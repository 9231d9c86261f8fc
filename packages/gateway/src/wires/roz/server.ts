import { AgentServiceService, type SessionRequest } from "../../gen/roz/v1/agent.ts";
import type { GrpcService } from "../../grpc/grpc-server.ts";
import { Hosts } from "./methods/hosts.ts";
import { type StreamSessionOptions, streamSession } from "./methods/stream-session.ts";
import { watchTeam } from "./methods/watch-team.ts";

/**
 * Definition of `StreamSession` without a serializer, because the stream writer needs the size of encoded responses.
 */
const definition = {
	streamSession: {
		...AgentServiceService.streamSession,
		responseSerialize: (encoded: Buffer) => encoded,
		requestDeserialize: decodeRequest,
	},
	watchTeam: { ...AgentServiceService.watchTeam, responseSerialize: (encoded: Buffer) => encoded },
};

/** Returns the decoded request, or an error for malformed bytes. */
function decodeRequest(bytes: Buffer): SessionRequest | Error {
	try {
		return AgentServiceService.streamSession.requestDeserialize(bytes);
	} catch (reason) {
		// If a decoder throws while responses are written, grpc-js leaves the call without a status:
		// https://github.com/grpc/grpc-node/blob/master/packages/grpc-js/src/server-interceptors.ts
		return new Error("malformed request", { cause: reason });
	}
}

export function rozServices(parts: Omit<StreamSessionOptions, "hosts">): readonly GrpcService[] {
	const options = { ...parts, hosts: new Hosts() };
	const implementation = {
		streamSession: (call: Parameters<typeof streamSession>[0]) => streamSession(call, options),
		watchTeam: (call: Parameters<typeof watchTeam>[0]) => watchTeam(call, options),
	};
	return [{ name: "roz.v1.AgentService", definition, implementation }];
}
