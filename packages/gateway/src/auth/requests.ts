import { isIP } from "node:net";
import { definedItems } from "@parley/base";
import { refusalTexts } from "../texts/http.ts";
import { formatEndpoint, parseEndpoint } from "../transport/address.ts";
import { type Networks, plainAddress } from "../transport/networks.ts";
import { type ConnectionAddresses, headerValues, type IncomingRequest } from "./incoming-request.ts";
import type { Refusal } from "./refusal.ts";

/** Allowed hosts and origins in addition to the gateway's own addresses. */
export interface RequestRules {
	/** Allowed names in `Host`. A name without a port is allowed only with the listener's port. */
	readonly allowedHosts: readonly string[];
	/** Origin at which clients reach the gateway through a proxy. Requests to its host and from its pages are allowed. */
	readonly publicUrl?: string | undefined;
	/** Trusted proxies. In requests from them, `X-Forwarded-Host` is checked in addition to `Host`. */
	readonly proxies?: Networks;
}

/**
 * Returns the refusal of a request, or undefined if the request may be processed. Refuses requests from pages of
 * other origins, and requests with a token in the address. Also refuses requests to foreign names, which may resolve
 * to this machine (DNS rebinding).
 */
export function checkRequest(request: IncomingRequest, rules: RequestRules): Refusal | undefined {
	return checkHost(request, rules) ?? checkOrigin(request, rules) ?? checkQuery(request);
}

function checkHost(request: IncomingRequest, rules: RequestRules): Refusal | undefined {
	const { localPort: port, encrypted, remoteAddress = "" } = request.socket;
	const hosts = headerValues(request, "host");
	const forwarded = rules.proxies?.has(remoteAddress) ? headerValues(request, "x-forwarded-host") : [];
	// A target in absolute form contains a host, which would replace the Host header: RFC 9112, section 3.2.2.
	const isPath = request.url?.startsWith("/") ?? false;
	const allowed = [
		...ownHosts(request.socket).map((own) => formatEndpoint({ host: own, port: port ?? 0 })),
		...rules.allowedHosts.map((name) => normalizeHost(name, port)),
		...publicHosts(rules),
	];
	const called = [...hosts, ...forwarded.flatMap((value) => value.split(",")).map((name) => name.trim())];
	const isAllowed = called.every((name) => allowed.includes(normalizeHost(name, encrypted ? 443 : 80)));
	if (isPath && hosts.length === 1 && isAllowed) return;
	return {
		status: 421,
		headers: {},
		body: {
			error: refusalTexts.misdirected,
			hint: refusalTexts.misdirectedHint({ hosts: allowed.join(", ") }),
		},
	};
}

function publicHosts({ publicUrl }: RequestRules): string[] {
	if (publicUrl === undefined) return [];
	const { hostname, port } = new URL(publicUrl);
	// A proxy may omit the port, so 443 and 80 are also allowed.
	return [...new Set([port || "443", "443", "80"])].map((each) => `${hostname}:${each}`);
}

function checkOrigin(request: IncomingRequest, { publicUrl }: RequestRules): Refusal | undefined {
	const origins = headerValues(request, "origin");
	const { localPort: port = 0, encrypted } = request.socket;
	const scheme = encrypted ? "https" : "http";
	const own = ownHosts(request.socket).map(
		(host) => new URL(`${scheme}://${formatEndpoint({ host, port })}`).origin,
	);
	const allowed = publicUrl === undefined ? own : [...own, publicUrl];
	if (origins.length === 0) return;
	// A browser writes each origin in exactly one way: RFC 6454, section 6.2.
	if (origins.length === 1 && allowed.includes(origins[0] ?? "")) return;
	// A page with `no-referrer` sends the origin `null`, even to its own server: Fetch, "append a request Origin
	// header".
	if (origins.join() === "null" && isSameOrigin(request)) return;
	return {
		status: 403,
		headers: {},
		body: { error: refusalTexts.forbiddenOrigin, hint: refusalTexts.forbiddenOriginHint },
	};
}

function isSameOrigin(request: IncomingRequest): boolean {
	// Browsers set `Sec-Fetch-Site`, and pages cannot set it.
	return headerValues(request, "sec-fetch-site").join() === "same-origin";
}

function checkQuery({ url = "" }: IncomingRequest): Refusal | undefined {
	const [, query = ""] = url.split(/\?(.*)/s);
	const keys = [...new URLSearchParams(query).keys()].map((key) => key.toLowerCase());
	if (!keys.includes("token") && !keys.includes("access_token")) return;
	return {
		status: 400,
		headers: {},
		body: {
			error: refusalTexts.tokenInAddress,
			hint: refusalTexts.tokenInAddressHint,
		},
	};
}

function ownHosts({ localAddress }: ConnectionAddresses): string[] {
	const reached = plainAddress(localAddress ?? "");
	return [
		...new Set(definedItems(["127.0.0.1", "localhost", "::1", isIP(reached) === 0 ? undefined : reached])),
	];
}

function normalizeHost(text: string, defaultPort: number | undefined): string {
	const endpoint = parseEndpoint(text) ?? parseEndpoint(`${text}:${defaultPort}`);
	if (endpoint === undefined) return text;
	return formatEndpoint({ ...endpoint, host: normalizeAddress(endpoint.host.toLowerCase()) });
}

function normalizeAddress(host: string): string {
	// Only IPv6 addresses contain a colon. `URL` writes an IPv6 address in its short form.
	return host.includes(":") ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host;
}
