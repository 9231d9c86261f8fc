import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { Marks } from "./marks.ts";

/** First byte of a message with a kontekst token or a roz text delta: field 2 with a length. */
const tokenTag = 0x12;
/** Bytes before each message: a flag and the length. */
const headerBytes = 5;

function tokens(onToken: () => void): (chunk: Buffer) => void {
	let rest: Buffer = Buffer.alloc(0);
	return (chunk) => {
		rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
		while (rest.length > headerBytes) {
			const end = headerBytes + rest.readUInt32BE(1);
			if (rest.length < end) return;
			if (rest[headerBytes] === tokenTag) onToken();
			rest = rest.subarray(end);
		}
	};
}

/** A gRPC client of minimal cost. Opens streams on one connection, and searches the received bytes for marks. */
export class GrpcClient {
	readonly #session: ClientHttp2Session;
	readonly #token: string | undefined;
	readonly #marks = new Marks();

	private constructor(session: ClientHttp2Session, token: string | undefined) {
		this.#session = session;
		this.#token = token;
		// The connection fails when the server stops.
		session.on("error", () => undefined);
	}

	static async connect(port: number, token?: string): Promise<GrpcClient> {
		const session = connect(`http://127.0.0.1:${port}`);
		await once(session, "connect");
		return new GrpcClient(session, token);
	}

	open(method: string, ...messages: readonly Buffer[]): ClientHttp2Stream {
		const stream = this.#session.request({
			":method": "POST",
			":path": method,
			"content-type": "application/grpc",
			te: "trailers",
			...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
		});
		stream.on("error", () => undefined);
		stream.on("data", (chunk: Buffer) => this.#marks.inspect(chunk));
		for (const message of messages) stream.write(message);
		return stream;
	}

	/**
	 * Resolves when the next token of the stream arrives. The text is not compared, because a word may be split into two
	 * tokens.
	 */
	token(stream: ClientHttp2Stream): Promise<void> {
		return new Promise((resolve) => {
			const listener = tokens(() => {
				stream.off("data", listener);
				resolve();
			});
			stream.on("data", listener);
		});
	}

	/** Resolves when data received after the call contains `mark`, on any stream. */
	until(mark: string): Promise<void> {
		return this.#marks.until(mark);
	}

	close(): void {
		this.#session.destroy();
	}
}
