import { fileURLToPath } from "node:url";
import {
	type ClientDuplexStream,
	type ClientReadableStream,
	credentials,
	type GrpcObject,
	loadPackageDefinition,
	Metadata,
	type ServiceClientConstructor,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { Watch } from "../../watch.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A decoded response or team event: the name of its `oneof` field, and the value of this field. */
export interface RozFrame {
	readonly kind: string;
	readonly value: Fields;
}

/** The protocol definition, loaded with a library that the gateway's codecs do not use. */
const proto = loadSync("roz/v1/agent.proto", {
	includeDirs: [fileURLToPath(new URL("../../../proto", import.meta.url))],
	...{ longs: Number, enums: String, oneofs: true },
});
// The cast is safe because the `.proto` file declares the package and this service.
const { AgentService } = (loadPackageDefinition(proto)["roz"] as GrpcObject)["v1"] as GrpcObject & {
	readonly AgentService: ServiceClientConstructor;
};

export const sessionDefinition = definitionOf("StreamSession");

function definitionOf(name: string) {
	const definition = AgentService.service[name];
	if (!definition) throw new Error(`the service has no method ${name}`);
	return definition;
}

/** Encodes a text delta without the gRPC prefix. */
export function encodeTextDelta(messageId: string, content: string): Buffer {
	return sessionDefinition.responseSerialize({ textDelta: { messageId, content } });
}

/** Encodes a `StreamSession` request as a gRPC message with its five-byte prefix. */
export function frameRozRequest(request: Fields): Buffer {
	return framed(sessionDefinition.requestSerialize(request));
}

const teamDefinition = definitionOf("WatchTeam");

export function frameTeamRequest(taskId: string): Buffer {
	return framed(teamDefinition.requestSerialize({ taskId }));
}

export function readTeamEvents(bytes: Buffer): RozFrame[] {
	const events: RozFrame[] = [];
	for (let at = 0; at < bytes.length; ) {
		const end = at + 5 + bytes.readUInt32BE(at + 1);
		const message = Object(teamDefinition.responseDeserialize(bytes.subarray(at + 5, end)));
		events.push(frameOf(message, "event"));
		at = end;
	}
	return events;
}

function frameOf(message: Fields, field: string): RozFrame {
	const kind = String(message[field]);
	return { kind, value: Object(message[kind]) };
}

function framed(message: Buffer): Buffer {
	const head = Buffer.alloc(5);
	head.writeUInt32BE(message.length, 1);
	return Buffer.concat([head, message]);
}

export interface RozAccess {
	readonly token?: string;
	readonly headers?: Readonly<Record<string, string>>;
}

class Frames {
	readonly all: RozFrame[] = [];
	status: { readonly code: number; readonly details: string } | undefined;
	readonly #changes = new Watch();
	#read = 0;

	constructor(call: ClientReadableStream<Fields>, field: string) {
		call.on("data", (message: Fields) => {
			this.all.push(frameOf(message, field));
			this.#changes.notify();
		});
		// The `status` event reports the same error.
		call.on("error", () => undefined);
		call.on("status", (status) => {
			this.status = status;
			this.#changes.notify();
		});
	}

	/** Resolves with the next frame of this kind after the last frame that `until` or `untilOneOf` returned. */
	async until(kind: string): Promise<Fields> {
		return (await this.untilOneOf(kind)).value;
	}

	async untilOneOf(...kinds: readonly string[]): Promise<RozFrame> {
		const next = (): number => this.all.findIndex(({ kind }, at) => at >= this.#read && kinds.includes(kind));
		await this.#changes.until(`${kinds.join(" or ")} comes`, () => next() >= 0);
		const at = next();
		this.#read = at + 1;
		return this.all[at] ?? { kind: "", value: {} };
	}

	async ended(): Promise<{ readonly code: number; readonly details: string }> {
		await this.#changes.until("the stream ends", () => this.status !== undefined);
		return this.status ?? { code: -1, details: "" };
	}
}

function connect(url: string): InstanceType<ServiceClientConstructor> {
	return new AgentService(new URL(url).host, credentials.createInsecure());
}

function metadataFor({ token, headers = {} }: RozAccess): Metadata {
	const metadata = new Metadata();
	for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
	if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
	return metadata;
}

export class RozStream implements AsyncDisposable {
	readonly #client: InstanceType<ServiceClientConstructor>;
	readonly #call: ClientDuplexStream<Fields, Fields>;
	readonly #frames: Frames;
	readonly headers: Promise<unknown>;

	constructor(url: string, access: RozAccess = {}) {
		this.#client = connect(url);
		// The cast is safe because the schema declares `StreamSession` as a bidirectional stream.
		const method = this.#client["streamSession"] as (
			metadata: Metadata,
		) => ClientDuplexStream<Fields, Fields>;
		this.#call = method.call(this.#client, metadataFor(access));
		this.#frames = new Frames(this.#call, "response");
		this.headers = new Promise((resolve) => this.#call.once("metadata", resolve));
	}

	get frames(): readonly RozFrame[] {
		return this.#frames.all;
	}

	send(frame: Fields): void {
		this.#call.write(frame);
	}

	start(start: Fields = {}): Promise<Fields> {
		this.send({ start });
		return this.until("sessionStarted");
	}

	say(content: string, more: Fields = {}): void {
		this.send({ userMessage: { content, ...more } });
	}

	until(kind: string): Promise<Fields> {
		return this.#frames.until(kind);
	}

	last(): Promise<RozFrame> {
		return this.#frames.untilOneOf("turnComplete", "error");
	}

	ended(): Promise<{ readonly code: number; readonly details: string }> {
		return this.#frames.ended();
	}

	text(kind: "textDelta" | "thinkingDelta"): string {
		const deltas = this.frames.filter((frame) => frame.kind === kind);
		return deltas.map(({ value }) => String(value["content"])).join("");
	}

	halfClose(): void {
		this.#call.end();
	}

	break(): void {
		this.#call.cancel();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#call.cancel();
		await this.ended();
		this.#client.close();
	}
}

export class RozTeam implements AsyncDisposable {
	readonly #client: InstanceType<ServiceClientConstructor>;
	readonly #call: ClientReadableStream<Fields>;
	readonly #frames: Frames;
	readonly headers: Promise<unknown>;

	constructor(url: string, taskId: string, access: RozAccess = {}) {
		this.#client = connect(url);
		// The cast is safe because the schema declares `WatchTeam` as a server stream.
		const method = this.#client["watchTeam"] as (
			request: Fields,
			metadata: Metadata,
		) => ClientReadableStream<Fields>;
		this.#call = method.call(this.#client, { taskId }, metadataFor(access));
		this.#frames = new Frames(this.#call, "event");
		this.headers = new Promise((resolve) => this.#call.once("metadata", resolve));
	}

	get events(): readonly RozFrame[] {
		return this.#frames.all;
	}

	until(kind: string): Promise<Fields> {
		return this.#frames.until(kind);
	}

	ended(): Promise<{ readonly code: number; readonly details: string }> {
		return this.#frames.ended();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#call.cancel();
		await this.ended();
		this.#client.close();
	}
}

export function structOf(value: Fields): Fields {
	return { fields: Object.fromEntries(Object.entries(value).map(([name, one]) => [name, protoValue(one)])) };
}

function protoValue(value: unknown): Fields {
	if (value === null) return { nullValue: 0 };
	if (typeof value === "string") return { stringValue: value };
	if (typeof value === "number") return { numberValue: value };
	if (typeof value === "boolean") return { boolValue: value };
	if (Array.isArray(value)) return { listValue: { values: value.map(protoValue) } };
	// The cast is safe because a value parsed from JSON is an object if it is none of the above.
	return { structValue: structOf(value as Fields) };
}

/** Reads a `google.protobuf.Struct` whose values are all strings. */
export function textsIn(struct: unknown): Readonly<Record<string, string>> {
	const { fields } = Object(struct);
	const entries = Object.entries(Object(fields));
	return Object.fromEntries(entries.map(([name, value]) => [name, Object(value).stringValue]));
}
