import { isIP } from "node:net";
import type { Principal } from "@parley/core";
import { refusalTexts } from "../texts/http.ts";
import { isLoopback } from "../transport/address.ts";
import { type Networks, plainAddress } from "../transport/networks.ts";
import { headerNames, headerValues, type IncomingRequest } from "./incoming-request.ts";
import type { Refusal } from "./refusal.ts";

/** Client of a request, according to the connection and the trusted proxies. */
export interface Origin {
	/** The client's IP address. */
	readonly peer: string;
	/** Whether the data is encrypted between the client and the gateway. */
	readonly confidential: boolean;
}

/** The same for an authenticated client. */
export interface Caller extends Origin {
	readonly principal: Principal;
}

/** Exactly one of the two. */
export type OriginOutcome =
	| { readonly origin: Origin; readonly refusal?: undefined }
	| { readonly origin?: undefined; readonly refusal: Refusal };

/** Forwarding headers are used only from a trusted proxy, because any client can write them. */
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
	// Some proxies name the scheme of a WebSocket.
	const confidential = schemes.length > 0 && schemes.every((scheme) => /^(?:https|wss)$/i.test(scheme));
	return { origin: { peer: addresses.length > 0 ? client : named, confidential } };
}

/**
 * Whether a proxy forwarded the request, so that its first sender is unknown. Reads `Forwarded` (RFC 7239), `Via` (RFC
 * 9110), and the headers of proxies and content networks: X-Forwarded-For, CF-Connecting-IP, True-Client-IP and so on.
 */
export function isForwarded(request: IncomingRequest): boolean {
	return headerNames(request).some((name) => forwarding.test(name.replaceAll("_", "-")));
}

const forwarding =
	/^via$|forwarded|client-?ip|connecting-ip|real-ip|original-ip|originating-ip|remote-(?:ip|addr)|external-address/;

/** A client can send one of the headers through a proxy that sets only the other. */
const contradiction: Refusal = {
	status: 400,
	headers: {},
	body: {
		error: refusalTexts.forwardingHeaders,
		hint: refusalTexts.forwardingHeadersHint,
	},
};

/** Each proxy adds the address of its caller at the end. The last address that is not a trusted proxy is the client's. */
function findClient(nearest: string, chain: readonly string[], proxies: Networks): string {
	let client = nearest;
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

/** `1.2.3.4`, `1.2.3.4:5678`, `2001:db8::1` or `[2001:db8::1]:5678`; undefined for `unknown` and names. */
function readAddress(text: string): string | undefined {
	const [, bracketed, ipv4] = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(text) ?? [];
	const address = bracketed ?? ipv4 ?? text;
	return isIP(address) === 0 ? undefined : plainAddress(address);
}

/** Linear, because strangers write these headers: it is sticky, and no text can be matched by two of its parts. */
const forwardedPair = /[ \t]*(?:([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^;,"\s]*))[ \t]*)?([;,]|$)/gy;

/**
 * Elements of `Forwarded`, whose values may be quoted: RFC 7239, section 4. An invalid text is one empty element, because
 * the part of the proxies cannot be found in it.
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
	return end === value.length ? elements : [new Map()];
}
