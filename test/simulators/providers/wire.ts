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
	/** Content of the usage report that replaces the true counts. Undefined removes the report. */
	readonly usage?: (counted: Counted) => unknown;
}

export interface ProviderRequest {
	readonly headers: IncomingHttpHeaders;
	readonly url: string;
	readonly bytes: Buffer;
	/** The parsed body. A refused request may have a different shape. */
	readonly body: Readonly<Record<string, unknown>>;
	/** Resolves when the response closes, with true if the connection ended before the response was complete. */
	readonly abandoned: Promise<boolean>;
	/** Usage, as the simulator counts it. Set when a streamed response starts. */
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

/** Content from the service. Later requests must contain it unchanged. */
export interface Issued {
	/**
	 * Values by seal, for example by encrypted reasoning or by a signature. Each wire derives the value from the part
	 * that the seal belongs to.
	 */
	readonly seals: Map<string, string>;
}

export interface ProviderWire {
	readonly name: string;
	readonly base: string;
	readonly form: StreamForm;
	/** Model that a reply request names. Undefined for any other address. */
	readonly modelOf: (url: string, body: Readonly<Record<string, unknown>>) => string | undefined;
	readonly keyOf: (headers: IncomingHttpHeaders) => string | undefined;
	/** Text in the event that completes a reply. */
	readonly completion: string;
	/** Part of a request that the cache compares with earlier requests. */
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

/** Returns the stop reason of a reply as a value of the Messages API, which the tests use for all services. */
export function stopOf({ stop, content }: ProviderReply): string | null {
	if (stop !== undefined) return stop;
	return content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
}

/** Yields a fault for a tool name that is not 1 to 64 letters, digits, `_` or `-`. */
export function* nameFaults(name: unknown): Generator<string> {
	if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name))
		yield `invalid tool name ${JSON.stringify(name)}`;
}
