import { AgentServiceService } from "../../gen/roz/v1/agent.ts";
import type { GrpcService } from "../../grpc/grpc-server.ts";
import { type StreamSessionOptions, streamSession } from "./methods/stream-session.ts";
import { watchTeam } from "./methods/watch-team.ts";

/** The generated definition, for responses that are encoded before they are sent: a writer needs their size. */
const definition = {
	streamSession: { ...AgentServiceService.streamSession, responseSerialize: (encoded: Buffer) => encoded },
	watchTeam: { ...AgentServiceService.watchTeam, responseSerialize: (encoded: Buffer) => encoded },
};

/** The service of the roz protocol. */
export function rozServices(options: StreamSessionOptions): readonly GrpcService[] {
	const implementation = {
		streamSession: (call: Parameters<typeof streamSession>[0]) => streamSession(call, options),
		watchTeam: (call: Parameters<typeof watchTeam>[0]) => watchTeam(call, options),
	};
	return [{ name: "roz.v1.AgentService", definition, implementation }];
}
