import { DaemonServiceService } from "../../gen/kontekst.ts";
import type { GrpcService } from "../../grpc/grpc-server.ts";
import { type DaemonServiceOptions, daemonService } from "./methods/daemon.ts";
import { type AgentServiceOptions, agentService } from "./methods/run.ts";

export function kontekstServices(
	options: AgentServiceOptions & DaemonServiceOptions,
): readonly GrpcService[] {
	return [
		agentService(options),
		{
			name: "kontekst.DaemonService",
			definition: DaemonServiceService,
			implementation: daemonService(options),
		},
	];
}
