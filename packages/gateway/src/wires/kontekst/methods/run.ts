import { type ServerDuplexStream, status } from "@grpc/grpc-js";
import type { Logger, Redactor } from "@parley/base";
import type { Runtime } from "@parley/core";
import type { AgentServiceServer, RunCommand, RunEvent } from "../../../gen/kontekst.ts";
import { CallEnd, type Callers } from "../../../grpc/callers.ts";
import { StreamWriter } from "../../../grpc/stream-writer.ts";
import { RunStream } from "../connection.ts";

export interface AgentServiceOptions {
	readonly runtime: Runtime;
	readonly callers: Callers;
	readonly log: Logger;
	readonly redactor: Pick<Redactor, "redact">;
}

/** The methods of `kontekst.AgentService`. */
export function agentService(options: AgentServiceOptions): AgentServiceServer {
	return { run: (call) => serveRun(call, options) };
}

function serveRun(
	call: ServerDuplexStream<RunCommand, RunEvent>,
	{ runtime, callers, log, redactor }: AgentServiceOptions,
): void {
	const { principal, signal } = callers.of(call.metadata);
	const writer = new StreamWriter<RunEvent>(call, isDelta, () => stream.close());
	const stream = new RunStream({
		...{ runtime, principal, log, redactor },
		send: (event) => writer.write(event),
		finished: () => writer.end(),
	});
	const stop = (): void => {
		if (!(signal.reason instanceof CallEnd)) return;
		writer.fail(signal.reason.status);
		// A gateway that stops keeps its runs for the next start.
		if (signal.reason.status.code === status.UNAUTHENTICATED) stream.close();
	};
	signal.addEventListener("abort", stop, { once: true });
	call.on("data", (command: RunCommand) => stream.take(command));
	call.on("end", () => stream.close());
	call.on("cancelled", () => {
		if (!signal.aborted) stream.close();
	});
	call.on("error", (error) => log.debug("a stream failed", { error }));
}

/** Deltas are repeated in the reply, so a slow client can do without them. */
function isDelta({ event }: RunEvent): boolean {
	return event?.$case === "token" || event?.$case === "reasoning";
}
