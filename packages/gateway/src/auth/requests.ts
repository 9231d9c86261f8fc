import { isIPv4, isIPv6 } from "node:net";
import { formatEndpoint, parseEndpoint } from "../transport/address.ts";
import { type Connection, headerValues, type IncomingRequest } from "./incoming-request.ts";
import type { Refusal } from "./refusal.ts";

/** What is allowed besides the gateway's own addresses. */
export interface RequestRules {
	/** Names, each with or without a port, that a `Host` header may hold; without one the listener's port is meant. */
	readonly allowedHosts: readonly string[];
}

/**
 * Whether a request may be looked at, on any route and before any upgrade: `undefined`, or why not. Keeps out web pages
 * of other origins, names that somebody made to point here (DNS rebinding), and credentials in an address.
 */
export function checkRequest(request: IncomingRequest, rules: RequestRules): Refusal | undefined {
	return checkHost(request, rules) ?? checkOrigin(request) ?? checkQuery(request);
}

function checkHost(request: IncomingRequest, { allowedHosts }: RequestRules): Refusal | undefined {
	const port = request.socket.localPort;
	const [host, ...others] = headerValues(request, "host");
	// A target that is not a path names an authority of its own, which would stand above Host: RFC 9112, section 3.2.2.
	const isPath = request.url?.startsWith("/") ?? false;
	const allowed = [
		...ownHosts(request.socket).map((own) => formatEndpoint({ host: own, port: port ?? 0 })),
		...allowedHosts.map((name) => normalizeHost(name, port)),
	];
	if (isPath && host !== undefined && others.length === 0 && allowed.includes(normalizeHost(host, 80)))
		return;
	return {
		status: 421,
		headers: {},
		body: {
			error: "misdirected request",
			hint: `this gateway answers to ${allowed.join(", ")}; other names are added with allowedHosts in its configuration`,
		},
	};
}

/** Exact text, because a browser writes an origin in one way only: RFC 6454, section 6.2. */
function checkOrigin(request: IncomingRequest): Refusal | undefined {
	const origins = headerValues(request, "origin");
	const port = request.socket.localPort ?? 0;
	const own = ownHosts(request.socket).map(
		(host) => new URL(`http://${formatEndpoint({ host, port })}`).origin,
	);
	if (origins.length === 0) return;
	if (origins.length === 1 && own.includes(origins[0] ?? "")) return;
	return {
		status: 403,
		headers: {},
		body: { error: "forbidden origin", hint: "only pages of the gateway itself may call it from a browser" },
	};
}

function checkQuery({ url = "" }: IncomingRequest): Refusal | undefined {
	const [, query = ""] = url.split(/\?(.*)/s);
	const keys = [...new URLSearchParams(query).keys()].map((key) => key.toLowerCase());
	if (!keys.includes("token") && !keys.includes("access_token")) return;
	return {
		status: 400,
		headers: {},
		body: {
			error: "token in the address",
			hint: "addresses end up in logs and histories; send the header Authorization: Bearer TOKEN",
		},
	};
}

/** The loopback names, and the very address that the client has reached. */
function ownHosts({ localAddress }: Connection): string[] {
	const names = ["127.0.0.1", "localhost", "::1"];
	if (localAddress !== undefined && isIPv4(localAddress)) names.push(localAddress);
	return [...new Set(names)];
}

/** One spelling per host and port, the port always written out; what is no host at all stays as it is. */
function normalizeHost(text: string, defaultPort: number | undefined): string {
	const endpoint = parseEndpoint(text) ?? parseEndpoint(`${text}:${defaultPort}`);
	if (endpoint === undefined) return text;
	return formatEndpoint({ ...endpoint, host: normalizeAddress(endpoint.host.toLowerCase()) });
}

/** The short form of an IPv6 address, as the URL standard writes it. */
function normalizeAddress(host: string): string {
	return isIPv6(host) ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host;
}
