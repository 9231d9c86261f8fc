import { Metadata, type ServerDuplexStream, status } from "@grpc/grpc-js";
import type { Ids } from "@parley/base";
import type { Runtime } from "@parley/core";
import { type SessionRequest, SessionResponse } from "../../../gen/roz/v1/agent.ts";
import { type GrpcStreamDeps, openStream } from "../../../grpc/open-stream.ts";
import type { ErrorRedactor } from "../../shared/error-text.ts";
import { SessionStream } from "../connection.ts";
import { rozStatuses } from "../error-code.ts";
import type { Hosts } from "./hosts.ts";

export interface StreamSessionOptions extends GrpcStreamDeps {
	readonly runtime: Runtime;
	readonly ids: Ids;
	readonly redactor: ErrorRedactor;
	readonly hosts: Hosts;
}

export function streamSession(
	call: ServerDuplexStream<SessionRequest, Buffer>,
	options: StreamSessionOptions,
): void {
	const { runtime, ids, redactor, clock, log, hosts } = options;
	// Existing clients wait for the response headers before they send a frame.
	call.sendMetadata(new Metadata());
	const { writer, principal } = openStream<SessionResponse>(
		{
			call,
			mayDrop: isDelta,
			stopped: () => stream.abandon(),
			lost: () => stream.abandon(),
			encode: SessionResponse.encode,
		},
		options,
	);
	const [resumed] = call.metadata.get("parley-session-id").map(String);
	const [ownHostId] = call.metadata.get("parley-host-id").map(String);
	const stream = new SessionStream({
		runtime,
		principal,
		clock,
		log,
		redactor,
		resumed,
		hosts,
		ownHostId,
		newId: () => ids.uuid(),
		setPaused: (isPaused) => (isPaused ? call.pause() : call.resume()),
		send: (response) => writer.write(response),
		finished: () => writer.end(),
		refused: ({ code, message }) => writer.fail({ code: rozStatuses[code], details: message }),
	});
	call.on("data", (request: SessionRequest | Error) => {
		if (!(request instanceof Error)) {
			stream.receive(request);
			return;
		}
		writer.fail({ code: status.INTERNAL, details: "Error deserializing request" });
		stream.abandon();
	});
	call.on("end", () => stream.close());
}

/** Whether the response is a delta, which may be dropped for a slow client. */
function isDelta({ response }: SessionResponse): boolean {
	return response?.$case === "textDelta" || response?.$case === "thinkingDelta";
}
