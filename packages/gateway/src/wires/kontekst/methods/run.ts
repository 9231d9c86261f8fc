import type { handleBidiStreamingCall, ServerDuplexStream } from "@grpc/grpc-js";
import type { Runtime } from "@parley/core";
import { AgentServiceService, type RunCommand, RunEvent } from "../../../gen/kontekst.ts";
import type { GrpcService } from "../../../grpc/grpc-server.ts";
import { type GrpcStreamDeps, openStream } from "../../../grpc/open-stream.ts";
import type { ErrorRedactor } from "../../shared/error-text.ts";
import { RunStream } from "../connection.ts";

export interface AgentServiceOptions extends GrpcStreamDeps {
	readonly runtime: Runtime;
	readonly redactor: ErrorRedactor;
}

/** Definition of `Run` without a serializer, because the stream writer needs the size of encoded events. */
const definition = {
	run: { ...AgentServiceService.run, responseSerialize: (encoded: Buffer) => encoded },
};

export function agentService(options: AgentServiceOptions): GrpcService {
	const run: handleBidiStreamingCall<RunCommand, Buffer> = (call) => serveRun(call, options);
	return { name: "kontekst.AgentService", definition, implementation: { run } };
}

function serveRun(call: ServerDuplexStream<RunCommand, Buffer>, options: AgentServiceOptions): void {
	const { runtime, log, redactor } = options;
	const { writer, principal } = openStream<RunEvent>(
		{
			call,
			mayDrop: isDelta,
			encode: RunEvent.encode,
			stopped: () => stream.stopOutput(),
			lost: () => stream.close(),
		},
		options,
	);
	const stream = new RunStream({
		runtime,
		principal,
		log,
		redactor,
		send: (event) => writer.write(event),
		finished: () => writer.end(),
	});
	call.on("data", (command: RunCommand) => stream.receive(command));
	call.on("end", () => stream.close());
}

/** Whether the event is a delta. A slow client does not need deltas, because the complete reply repeats their text. */
function isDelta({ event }: RunEvent): boolean {
	return event?.$case === "token" || event?.$case === "reasoning";
}
