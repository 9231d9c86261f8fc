import type { IncomingHttpHeaders } from "node:http";
import type { StreamForm } from "../anthropic/play-reply.ts";
import type { ReplyBlock, StatusReply, StreamedReply, WireEvent } from "../anthropic/reply.ts";

export interface Counted {
	readonly input: number;
	/** Number of input tokens that were read from the cache. */
	readonly cached: number;
	/** Tokens of the reply, including its reasoning. */
	readonly output: number;
	readonly reasoning: number;
}

export interface ProviderReply extends Omit<StreamedReply, "usage"> {
	/**
	 * Returns the usage report that replaces the true counts. If it returns undefined, the reply has no report.
	 */
	readonly usage?: (counted: Counted) => unknown;
}

export interface ProviderRequest {
	readonly headers: IncomingHttpHeaders;
	readonly url: string;
	readonly bytes: Buffer;
	/** Parsed body. Matches the API only if the request is valid. */
	readonly body: Readonly<Record<string, unknown>>;
	/** Resolves when the response closes, with true if the connection ended before the response was complete. */
	readonly abandoned: Promise<boolean>;
	/** Usage counted by the simulator. Undefined unless the answer is a streamed reply. */
	counted: Counted | undefined;
}

export type ProviderAnswer =
	| ProviderReply
	| StatusReply
	| ((request: ProviderRequest) => ProviderReply | StatusReply | Promise<ProviderReply | StatusReply>);

export interface Head {
	readonly id: string;
	readonly model: string;
	readonly counted: Counted;
}

/** Seals that the service has sent. Later requests must not change them. */
export interface Issued {
	/** Sealed parts by seal, in a form that depends on the wire. A seal is encrypted reasoning or a signature. */
	readonly seals: Map<string, string>;
}

export interface ProviderWire {
	readonly name: string;
	readonly base: string;
	readonly form: StreamForm;
	/** Returns the model of a reply request. Undefined for any other request. */
	readonly modelOf: (url: string, body: Readonly<Record<string, unknown>>) => string | undefined;
	readonly keyOf: (headers: IncomingHttpHeaders) => string | undefined;
	/** Text in the event that completes a reply. */
	readonly completion: string;
	/** Returns the part of a request that the cache compares with earlier requests. */
	readonly cachedPart: (body: Readonly<Record<string, unknown>>) => unknown;
	readonly problems: (body: Readonly<Record<string, unknown>>, issued: Issued) => string[];
	readonly events: (reply: ProviderReply, head: Head, issued: Issued) => WireEvent[];
	readonly usage: (counted: Counted) => unknown;
	readonly models: (names: readonly string[]) => unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsIn(value: unknown): Fields[] {
	return Array.isArray(value) ? value.filter(isFields) : [];
}

export function inPieces(text: string): string[] {
	const signs = [...text];
	const pieces: string[] = [];
	for (let from = 0; from < signs.length; from += 16) pieces.push(signs.slice(from, from + 16).join(""));
	return pieces;
}

export type CallBlock = Extract<ReplyBlock, { type: "tool_use" }>;

export function jsonOf({ json, input = {} }: CallBlock): string {
	return json ?? JSON.stringify(input);
}

/** Returns the stop reason of a reply as a value of the Messages API. The tests use these values for all services. */
export function stopOf({ stop, content }: ProviderReply): string | null {
	if (stop !== undefined) return stop;
	return content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
}

/** Yields a fault for a tool name that is not 1 to 64 letters, digits, `_` or `-`. */
export function* nameFaults(name: unknown): Generator<string> {
	if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name))
		yield `invalid tool name ${JSON.stringify(name)}`;
}
