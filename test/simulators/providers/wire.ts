import type { IncomingHttpHeaders } from "node:http";
import type { StreamForm } from "../anthropic/play-reply.ts";
import type { ReplyBlock, StatusReply, StreamedReply, WireEvent } from "../anthropic/reply.ts";

/** Tokens of one reply, by the simulator's count. */
export interface Counted {
	readonly input: number;
	/** Part of `input` that was read from the cache. */
	readonly cached: number;
	/** Tokens of the reply with its reasoning. */
	readonly output: number;
	readonly reasoning: number;
}

export interface ProviderReply extends Omit<StreamedReply, "usage"> {
	/** Content of the usage report instead of the true counts. Undefined removes it. */
	readonly usage?: (counted: Counted) => unknown;
}

export interface ProviderRequest {
	readonly headers: IncomingHttpHeaders;
	readonly url: string;
	readonly bytes: Buffer;
	/** The parsed bytes. A refused request may have another shape. */
	readonly body: Readonly<Record<string, unknown>>;
	/** Resolves at the end of the response. True if the client disconnected before its end. */
	readonly abandoned: Promise<boolean>;
	/** Usage by the simulator's count, after it has answered with a stream. */
	counted: Counted | undefined;
}

export type ProviderAnswer =
	| ProviderReply
	| StatusReply
	| ((request: ProviderRequest) => ProviderReply | StatusReply | Promise<ProviderReply | StatusReply>);

/** Fields of a reply that depend on the request. */
export interface Head {
	readonly id: string;
	readonly model: string;
	readonly counted: Counted;
}

/** Issued content that must return unchanged. */
export interface Issued {
	/** Sealed texts, such as encrypted reasoning or signatures, with the number of the call or text that they belong to. */
	readonly seals: Map<string, string>;
}

/** The API of one family of providers. */
export interface ProviderWire {
	readonly name: string;
	/** Address of the API below the address of the server. */
	readonly base: string;
	readonly form: StreamForm;
	/** Model of a request for a reply. Undefined for another address. */
	readonly modelOf: (url: string, body: Readonly<Record<string, unknown>>) => string | undefined;
	readonly keyOf: (headers: IncomingHttpHeaders) => string | undefined;
	/** Text of the event that completes a reply. */
	readonly completion: string;
	/** Part of a request that the cache compares. */
	readonly cachedPart: (body: Readonly<Record<string, unknown>>) => unknown;
	/** Reasons for which the service would refuse the request. */
	readonly problems: (body: Readonly<Record<string, unknown>>, issued: Issued) => string[];
	/** The events of a complete reply. */
	readonly events: (reply: ProviderReply, head: Head, issued: Issued) => WireEvent[];
	/** A usage report with these counts. */
	readonly usage: (counted: Counted) => unknown;
	readonly models: (names: readonly string[]) => unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Items of a list that are objects. */
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

/** The stop of a reply in the words of the Messages API, which the tests use for all services. */
export function stopOf({ stop, content }: ProviderReply): string | null {
	if (stop !== undefined) return stop;
	return content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
}

/** Faults of a text or of the name of a tool that every service refuses. */
export function* nameFaults(name: unknown): Generator<string> {
	if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name))
		yield `invalid tool name ${JSON.stringify(name)}`;
}
