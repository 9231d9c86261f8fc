import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { type handleBidiStreamingCall, type ServerDuplexStream, status } from "@grpc/grpc-js";
import type { Clock, Logger, Redactor } from "@parley/base";
import type { Runtime } from "@parley/core";
import { AgentServiceService, type RunCommand, RunEvent } from "../../../gen/kontekst.ts";
import { CallEnd, type Callers } from "../../../grpc/callers.ts";
import type { GrpcService } from "../../../grpc/grpc-server.ts";
import { StreamWriter } from "../../../grpc/stream-writer.ts";
import type { WireCounts } from "../../../metrics/wire-counts.ts";
import type { OutgoingAccount } from "../../../transport/outgoing-account.ts";
import { RunStream } from "../connection.ts";

export interface AgentServiceOptions {
	readonly runtime: Runtime;
	readonly callers: Callers;
	readonly clock: Clock;
	readonly log: Logger;
	readonly redactor: Pick<Redactor, "redact">;
	/** Counts the bytes that wait for slow clients. */
	readonly account: OutgoingAccount;
	readonly counts: Pick<WireCounts, "dropped" | "slowReader">;
}

/** The generated definition, for events that are encoded before they are sent: a writer needs their size. */
const definition = {
	run: { ...AgentServiceService.run, responseSerialize: (encoded: Buffer) => encoded },
};

/** `kontekst.AgentService` with its methods. */
export function agentService(options: AgentServiceOptions): GrpcService {
	const run: handleBidiStreamingCall<RunCommand, Buffer> = (call) => serveRun(call, options);
	return { name: "kontekst.AgentService", definition, implementation: { run } };
}

function serveRun(
	call: ServerDuplexStream<RunCommand, Buffer>,
	{ runtime, callers, log, redactor, clock, account, counts }: AgentServiceOptions,
): void {
	const { principal, signal, expectEnd } = callers.of(call.metadata);
	const out = new StreamWriter<RunEvent>({
		...{ call, encode, mayDrop: isDelta, clock, account },
		onDropped: () => counts.dropped(1),
		onOverflow: () => {
			counts.slowReader();
			log.warn("ending a gRPC stream of a client that reads too slowly", { principal: principal.id });
			stream.close();
			expectEnd();
		},
	});
	const stream = new RunStream({
		...{ runtime, principal, log, redactor },
		send: (event) => out.write(event),
		finished: () => out.end(),
	});
	const stop = (): void => {
		if (!(signal.reason instanceof CallEnd)) return;
		// A client that does not read has no status yet, and can still send commands.
		stream.mute();
		out.fail(signal.reason.status);
		// A gateway that stops keeps its runs for the next start.
		if (signal.reason.status.code === status.UNAUTHENTICATED) stream.close();
	};
	signal.addEventListener("abort", stop, { once: true });
	call.on("data", (command: RunCommand) => stream.take(command));
	call.on("end", () => stream.close());
	call.on("cancelled", () => {
		out.close();
		if (!signal.aborted) stream.close();
	});
	call.on("error", (error) => log.debug("a stream failed", { error }));
}

/** One for all events: a writer allocates its space when it is first used, and `finish` resets it. */
const writer = new BinaryWriter();

/** Encodes an event once; the call sends these bytes. */
function encode(event: RunEvent): Buffer {
	const { buffer, byteOffset, byteLength } = RunEvent.encode(event, writer).finish();
	return Buffer.from(buffer, byteOffset, byteLength);
}

/** Deltas are repeated in the reply, so a slow client can do without them. */
function isDelta({ event }: RunEvent): boolean {
	return event?.$case === "token" || event?.$case === "reasoning";
}
