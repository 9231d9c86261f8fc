import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { Watch } from "../../watch.ts";
import { type Access, frameCommand } from "./kontekst-client.ts";

/** A `Run` stream over bare HTTP/2 that never reads its events. */
export class RawRun implements AsyncDisposable {
	readonly #session: ClientHttp2Session;
	readonly #stream: ClientHttp2Stream;
	readonly #changes = new Watch();
	#isClosed = false;
	#isAnswered = false;

	constructor(url: string, { token }: Access = {}) {
		this.#session = connect(url);
		this.#session.on("error", () => undefined);
		this.#session.on("close", () => {
			this.#isClosed = true;
			this.#changes.notify();
		});
		this.#stream = this.#session.request({
			...{ ":method": "POST", ":path": "/kontekst.AgentService/Run" },
			...{ "content-type": "application/grpc", te: "trailers" },
			...(token !== undefined && { authorization: `Bearer ${token}` }),
		});
		this.#stream.on("error", () => undefined);
		this.#stream.on("response", () => {
			this.#isAnswered = true;
			this.#changes.notify();
		});
	}

	send(command: Readonly<Record<string, unknown>>): void {
		this.#stream.write(frameCommand(command));
	}

	answered(): Promise<void> {
		return this.#changes.until("the gateway answers", () => this.#isAnswered);
	}

	closed(): Promise<void> {
		return this.#changes.until("the connection ends", () => this.#isClosed);
	}

	/**
	 * Sends a PING. Resolves when the gateway has acknowledged the PING, and has therefore read all earlier data. Also
	 * resolves if the connection closes.
	 */
	async reached(): Promise<void> {
		let isReached = false;
		this.#session.ping(() => {
			isReached = true;
			this.#changes.notify();
		});
		await this.#changes.until("a ping is answered", () => isReached || this.#isClosed);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#session.destroy();
	}
}
