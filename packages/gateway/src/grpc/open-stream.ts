import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { status } from "@grpc/grpc-js";
import type { Clock, Logger } from "@parley/base";
import type { Principal } from "@parley/core";
import type { WireCounts } from "../metrics/client-metrics.ts";
import type { OutgoingAccount } from "../transport/outgoing-account.ts";
import { CallEnd, type Callers } from "./callers.ts";
import { StreamWriter, type StreamWriterOptions } from "./stream-writer.ts";

export interface GrpcStreamDeps {
	readonly callers: Callers;
	readonly clock: Clock;
	readonly log: Logger;
	/** Account of the bytes that wait for slow clients. */
	readonly account: OutgoingAccount;
	readonly counts: WireCounts;
}

interface StreamCall {
	readonly metadata: Parameters<Callers["of"]>[0];
	on(event: "cancelled", listener: () => void): unknown;
	on(event: "error", listener: (error: Error) => void): unknown;
}

interface StreamParts<Message> {
	readonly call: StreamCall & StreamWriterOptions<Message>["call"];
	/** Encodes a message with the generated codec. */
	readonly encode: (message: Message, writer: BinaryWriter) => BinaryWriter;
	readonly mayDrop: (message: Message) => boolean;
	/**
	 * Reports that the stream ends because the gateway stops or the token is no longer valid. A slow client may not
	 * have received the status yet, and can still send messages.
	 */
	readonly stopped?: () => void;
	/**
	 * Reports that the client can no longer receive: it has cancelled the call or disconnected, reads too slowly, or
	 * its token is no longer valid. Not called when the gateway stops.
	 */
	readonly lost: () => void;
}

/** Writer that all messages share. It allocates its buffer at the first use, and `finish` resets the buffer. */
const bytes = new BinaryWriter();

/**
 * Opens the writer of a stream, and returns it with the principal. The client of the stream must have authenticated.
 */
export function openStream<Message>(
	{ call, encode, mayDrop, stopped, lost }: StreamParts<Message>,
	{ callers, clock, log, account, counts }: GrpcStreamDeps,
): { readonly writer: StreamWriter<Message>; readonly principal: Principal } {
	const { principal, signal, expectEnd } = callers.of(call.metadata);
	const writer = new StreamWriter<Message>({
		call,
		mayDrop,
		clock,
		account,
		encode: (message) => {
			const { buffer, byteOffset, byteLength } = encode(message, bytes).finish();
			return Buffer.from(buffer, byteOffset, byteLength);
		},
		onDropped: () => counts.dropped(1),
		onOverflow: () => {
			counts.slowReader();
			log.warn("ending a gRPC stream of a client that reads too slowly", { principal: principal.id });
			lost();
			expectEnd();
		},
	});
	const stop = (): void => {
		if (!(signal.reason instanceof CallEnd)) return;
		stopped?.();
		writer.fail(signal.reason.status);
		if (signal.reason.status.code === status.UNAUTHENTICATED) lost();
	};
	signal.addEventListener("abort", stop, { once: true });
	call.on("cancelled", () => {
		writer.close();
		if (!signal.aborted) lost();
	});
	call.on("error", (error) => log.debug("a stream failed", { error }));
	return { writer, principal };
}
