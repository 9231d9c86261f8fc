import {
	type Metadata,
	ResponderBuilder,
	ServerInterceptingCall,
	type ServerInterceptor,
	ServerListenerBuilder,
	status,
} from "@grpc/grpc-js";

/** Maximum size of the header list of a call, in the octets of RFC 9113, section 6.5.2. */
const mostHeaderBytes = 16 * 1024;

/** Octets that each entry of a header list adds to its name and value: RFC 9113, section 6.5.2. */
const entryBytes = 32;

/**
 * Refuses calls whose header list is larger than `mostHeaderBytes`, with `RESOURCE_EXHAUSTED` and before any other check.
 * grpc-js has no option for it. nghttp2 limits the frames of a list and Node its entries (128), but not this size. Headers
 * that grpc-js consumes (`te`, `content-type`, `grpc-timeout` and the encodings) are not counted. `refused` is called with
 * the equivalent HTTP status.
 */
export function limitHeaders(refused: (status: number) => void): ServerInterceptor {
	return ({ path }, call) => {
		const listener = new ServerListenerBuilder()
			.withOnReceiveMetadata((metadata, next) => {
				const size = headerBytes(metadata, { ":path": path, ":authority": call.getHost() });
				if (size <= mostHeaderBytes) {
					next(metadata);
					return;
				}
				refused(431);
				const details = `header list of ${size} bytes: send at most ${mostHeaderBytes} bytes of metadata`;
				call.sendStatus({ code: status.RESOURCE_EXHAUSTED, details });
			})
			.build();
		const responder = new ResponderBuilder().withStart((next) => next(listener)).build();
		return new ServerInterceptingCall(call, responder);
	};
}

/** The size of the header list of a call, whose pseudo-header fields are not in its metadata. */
function headerBytes(metadata: Metadata, pseudo: Readonly<Record<":path" | ":authority", string>>): number {
	const named = Object.keys(metadata.getMap()).flatMap((name) =>
		metadata.get(name).map((value) => [name, value] as const),
	);
	const entries = [[":method", "POST"], [":scheme", "http"], ...Object.entries(pseudo), ...named] as const;
	return entries.reduce((sum, [name, value]) => sum + entryBytes + name.length + valueBytes(value), 0);
}

/** Values are ASCII. Those of binary headers were base64, whose padding a client may omit. */
function valueBytes(value: string | Buffer): number {
	return typeof value === "string" ? value.length : Math.ceil((value.length * 4) / 3);
}
