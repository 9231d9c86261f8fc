import { isIP } from "node:net";
import type { Principal } from "@parley/core";
import { refusalTexts } from "../texts/http.ts";
import { isLoopback } from "../transport/address.ts";
import { type Networks, plainAddress } from "../transport/networks.ts";
import { headerNames, headerValues, type IncomingRequest } from "./incoming-request.ts";
import type { Refusal } from "./refusal.ts";

/** Client of a request, according to the connection and the trusted proxies. */
export interface Origin {
	readonly peer: string;
	/** Whether the data is encrypted on its way between the client and the gateway, or stays on this machine. */
	readonly confidential: boolean;
}

export interface Caller extends Origin {
	readonly principal: Principal;
}

export type OriginOutcome =
	| { readonly origin: Origin; readonly refusal?: undefined }
	| { readonly origin?: undefined; readonly refusal: Refusal };

/**
 * Finds the client of a request. Trusts the addresses and schemes in forwarding headers only if a trusted proxy sent
 * the request, because any client can write these headers.
 */
export function findOrigin(request: IncomingRequest, proxies: Networks | undefined): OriginOutcome {
	const { remoteAddress = "", localAddress = "", encrypted = false } = request.socket;
	const peer = plainAddress(remoteAddress);
	if (!proxies?.has(peer) || !isForwarded(request)) {
		const isHere = isLoopback(remoteAddress) && isLoopback(localAddress) && !isForwarded(request);
		return { origin: { peer, confidential: encrypted || isHere } };
	}
	const elements = headerValues(request, "forwarded").flatMap(readElements);
	const addresses = listed(request, "x-forwarded-for");
	const client = findClient(peer, addresses, proxies);
	const named = findClient(
		peer,
		elements.map((element) => element.get("for") ?? "unknown"),
		proxies,
	);
	if (addresses.length > 0 && elements.length > 0 && client !== named) return { refusal: contradiction };
	const schemes = [
		...listed(request, "x-forwarded-proto"),
		...elements.flatMap((element) => element.get("proto") ?? []),
	];
	// Some proxies send `wss`, the scheme of a WebSocket.
	const confidential = schemes.length > 0 && schemes.every((scheme) => /^(?:https|wss)$/i.test(scheme));
	return { origin: { peer: addresses.length > 0 ? client : named, confidential } };
}

/**
 * Whether a header shows that a proxy forwarded the request. Such headers are `Forwarded` (RFC 7239), `Via` (RFC
 * 9110), and headers that proxies or content delivery networks set, such as X-Forwarded-For or CF-Connecting-IP.
 */
export function isForwarded(request: IncomingRequest): boolean {
	return headerNames(request).some((name) => forwarding.test(name.replaceAll("_", "-")));
}

const forwarding =
	/^via$|forwarded|client-?ip|connecting-ip|real-ip|original-ip|originating-ip|remote-(?:ip|addr)|external-address/;

/**
 * Refusal of a request whose `Forwarded` and `X-Forwarded-For` headers name different clients. If the trusted proxy
 * sets only one of the headers, a client can forge the other header.
 */
const contradiction: Refusal = {
	status: 400,
	headers: {},
	body: {
		error: refusalTexts.forwardingHeaders,
		hint: refusalTexts.forwardingHeadersHint,
	},
};

function findClient(nearest: string, chain: readonly string[], proxies: Networks): string {
	let client = nearest;
	// Each proxy appends the address of its caller, so the chain is read from its end.
	for (const text of chain.toReversed()) {
		const address = readAddress(text);
		if (address === undefined || !proxies.has(client)) break;
		client = address;
	}
	return client;
}

function listed(request: IncomingRequest, name: string): string[] {
	return headerValues(request, name).flatMap((value) => value.split(",").map((item) => item.trim()));
}

/**
 * Returns the address in `1.2.3.4`, `1.2.3.4:5678`, `2001:db8::1` or `[2001:db8::1]:5678`. Returns undefined for
 * other texts, such as `unknown`.
 */
function readAddress(text: string): string | undefined {
	const [, bracketed, ipv4] = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(text) ?? [];
	const address = bracketed ?? ipv4 ?? text;
	return isIP(address) === 0 ? undefined : plainAddress(address);
}

/**
 * Pattern of one `name=value` pair in a `Forwarded` header. The pattern is sticky and its parts match disjoint texts,
 * so matching an untrusted header takes linear time.
 */
const forwardedPair = /[ \t]*(?:([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^;,"\s]*))[ \t]*)?([;,]|$)/gy;

/**
 * Returns the elements of a `Forwarded` header, each as a map from names to values. Values may be quoted: RFC 7239,
 * section 4.
 */
function readElements(value: string): Map<string, string>[] {
	const elements: Map<string, string>[] = [];
	let [element, end] = [new Map<string, string>(), 0];
	for (const [text, name, quoted, token = "", separator] of value.matchAll(forwardedPair)) {
		end += text.length;
		if (name !== undefined) element.set(name.toLowerCase(), quoted ?? token);
		if (separator === ";") continue;
		if (element.size > 0) elements.push(element);
		element = new Map();
	}
	// An invalid header yields one empty element, because the part that proxies appended cannot be identified.
	return end === value.length ? elements : [new Map()];
}
