import { fileURLToPath } from "node:url";
import {
	type ClientDuplexStream,
	credentials,
	type GrpcObject,
	loadPackageDefinition,
	Metadata,
	type ServiceClientConstructor,
	type ServiceError,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { Watch } from "../../watch.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A decoded event: the name of its `oneof` field, and the value of this field. */
export interface KontekstEvent {
	readonly kind: string;
	readonly value: Fields;
}

export interface ProposedCall {
	readonly callId: string;
	readonly name: string;
	readonly argumentsJson: string;
	readonly preview: string;
}

/** The protocol definition, loaded with a library that the gateway's codecs do not use. */
const proto = loadSync(fileURLToPath(new URL("../../../proto/kontekst.proto", import.meta.url)), {
	...{ longs: Number, defaults: true, oneofs: true },
});
// The cast is safe because the package contains only services under these names.
const { AgentService, DaemonService } = loadPackageDefinition(proto)["kontekst"] as GrpcObject & {
	readonly AgentService: ServiceClientConstructor;
	readonly DaemonService: ServiceClientConstructor;
};

export interface Access {
	readonly token?: string;
	readonly headers?: Readonly<Record<string, string>>;
	/**
	 * The trusted certificate in PEM format, and the authority (`HOST:PORT`) of the calls. Without `tls`, the connection
	 * is unencrypted.
	 */
	readonly tls?: { readonly certificate: string; readonly authority: string };
}

function metadataFor({ token, headers = {} }: Access): Metadata {
	const metadata = new Metadata();
	for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
	if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
	return metadata;
}

function connect(
	service: ServiceClientConstructor,
	url: string,
	{ tls }: Access,
): InstanceType<ServiceClientConstructor> {
	const { host } = new URL(url);
	if (!tls) return new service(host, credentials.createInsecure());
	return new service(host, credentials.createSsl(Buffer.from(tls.certificate)), {
		"grpc.ssl_target_name_override": tls.authority.replace(/:\d+$/, ""),
		"grpc.default_authority": tls.authority,
	});
}

export const runDefinition = definitionOf("Run");

function definitionOf(name: string) {
	const definition = AgentService.service[name];
	if (!definition) throw new Error(`the service has no method ${name}`);
	return definition;
}

export function encodeToken(text: string): Buffer {
	return runDefinition.responseSerialize({ token: { text } });
}

export function encodeCommand(command: Fields): Buffer {
	return runDefinition.requestSerialize(command);
}

/** Encodes a command as a gRPC message with its five-byte prefix. */
export function frameCommand(command: Fields): Buffer {
	const message = encodeCommand(command);
	const frame = Buffer.alloc(5 + message.length);
	frame.writeUInt32BE(message.length, 1);
	message.copy(frame, 5);
	return frame;
}

export class KontekstStream implements AsyncDisposable {
	readonly events: KontekstEvent[] = [];
	/** Status of the stream, or undefined while it is open. */
	status: { readonly code: number; readonly details: string } | undefined;
	readonly #client: InstanceType<ServiceClientConstructor>;
	readonly #call: ClientDuplexStream<Fields, Fields>;
	readonly #changes = new Watch();
	#read = 0;

	constructor(url: string, access: Access = {}) {
		this.#client = connect(AgentService, url, access);
		// The cast is safe because the schema declares `Run` as a bidirectional stream.
		const run = this.#client["run"] as (metadata: Metadata) => ClientDuplexStream<Fields, Fields>;
		this.#call = run.call(this.#client, metadataFor(access));
		this.#call.on("data", (message: Fields) => {
			const kind = String(message["event"]);
			this.events.push({ kind, value: Object(message[kind]) });
			this.#changes.notify();
		});
		// The `status` event reports the same error.
		this.#call.on("error", () => undefined);
		this.#call.on("status", (status) => {
			this.status = status;
			this.#changes.notify();
		});
	}

	send(command: Fields): void {
		this.#call.write(command);
	}

	start(start: Fields): void {
		this.send({ start });
	}

	approve(callId: string): void {
		this.send({ approveTool: { callId } });
	}

	deny(callId: string, reason = ""): void {
		this.send({ denyTool: { callId, reason } });
	}

	/** Resolves with the next event of this kind after the last event that `until` or `next` returned. */
	async until(kind: string): Promise<Fields> {
		const next = (): number => this.events.findIndex((event, at) => at >= this.#read && event.kind === kind);
		await this.#changes.until(`${kind} arrives`, () => next() >= 0);
		const at = next();
		this.#read = at + 1;
		return this.events[at]?.value ?? {};
	}

	/** Resolves with the `started` event, even if `until` has already returned it. */
	async started(): Promise<Fields> {
		const find = () => this.events.find(({ kind }) => kind === "started");
		await this.#changes.until("the run starts", () => find() !== undefined);
		return find()?.value ?? {};
	}

	async last(): Promise<KontekstEvent> {
		const find = () => this.events.find(({ kind }) => ["completed", "cancelled", "failed"].includes(kind));
		await this.#changes.until("the run ends", () => find() !== undefined);
		return find() ?? { kind: "", value: {} };
	}

	async proposed(): Promise<readonly ProposedCall[]> {
		// The cast is safe because the schema gives this field this type.
		return (await this.until("toolsProposed"))["calls"] as readonly ProposedCall[];
	}

	async ended(): Promise<{ readonly code: number; readonly details: string }> {
		await this.#changes.until("the stream ends", () => this.status !== undefined);
		return this.status ?? { code: -1, details: "" };
	}

	/** Returns the kinds of all received events. A series of `token` or of `reasoning` events is one item. */
	kinds(): string[] {
		const isDelta = (kind: string): boolean => kind === "token" || kind === "reasoning";
		const kinds = this.events.map(({ kind }) => kind);
		return kinds.filter((kind, at) => !isDelta(kind) || kind !== kinds[at - 1]);
	}

	halfClose(): void {
		this.#call.end();
	}

	breakOff(): void {
		this.#call.cancel();
	}

	async next(): Promise<KontekstEvent | undefined> {
		await this.#changes.until(
			"an event comes, or the end",
			() => this.events.length > this.#read || this.status !== undefined,
		);
		this.#read += 1;
		return this.events[this.#read - 1];
	}

	disconnect(): void {
		this.#call.cancel();
		this.#client.close();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#call.cancel();
		this.#client.close();
	}
}

export async function askDaemon(
	url: string,
	method: "getStatus" | "shutdown",
	access: Access = {},
): Promise<Fields> {
	const client = connect(DaemonService, url, access);
	// The cast is safe because the schema declares both methods as unary.
	const call = client[method] as (
		request: Fields,
		metadata: Metadata,
		answered: (error: ServiceError | null, answer: Fields) => void,
	) => void;
	try {
		return await new Promise((resolve, reject) => {
			call.call(client, {}, metadataFor(access), (error, answer) =>
				error ? reject(error) : resolve(answer),
			);
		});
	} finally {
		client.close();
	}
}
