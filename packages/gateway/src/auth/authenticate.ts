import { operator, type Principal } from "@parley/core";
import { isLoopback } from "../transport/address.ts";
import type { AuthMode } from "./auth-mode.ts";
import { isForwarded } from "./forwarding.ts";
import { headerNames, headerValues, type IncomingRequest } from "./incoming-request.ts";
import type { FailedAuthLimiter } from "./limiter.ts";
import type { LocalPeers } from "./local-peer.ts";
import type { Refusal } from "./refusal.ts";
import { type TokenRecord, verifyToken } from "./tokens.ts";

/** What a request is judged by. */
export interface AuthenticateOptions {
	readonly mode: AuthMode;
	/**
	 * False as soon as requests from elsewhere can come through a program of this user: with a public URL, a trusted proxy
	 * or a listener beyond loopback. Mode `local` then asks everybody for a token.
	 */
	readonly trustLocal: boolean;
	readonly tokens: readonly TokenRecord[];
	readonly localPeers: LocalPeers;
	readonly limiter: FailedAuthLimiter;
}

/** Exactly one of the two. */
export type AuthOutcome =
	| { readonly principal: Principal; readonly refusal?: undefined }
	| { readonly principal?: undefined; readonly refusal: Refusal };

/** `peer` is the address of the client where that is not the one at the other end of the connection. */
export type Authenticate = (request: IncomingRequest, peer?: string) => Promise<AuthOutcome>;

/** Says who sends a request. A credential that is sent must be right: a wrong one is not forgiven for being local. */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
	return async (request, peer = request.socket.remoteAddress ?? "") => {
		const credentials = headerValues(request, "authorization");
		const [from = peer] = headerValues(request, "origin");
		if (credentials.length > 0) return checkCredentials(from, credentials, options);
		if (await needsNoToken(request, options)) return { principal: operator };
		return { refusal: unauthorized };
	};
}

function checkCredentials(
	from: string,
	[credential = "", ...others]: readonly string[],
	{ tokens, limiter }: AuthenticateOptions,
): AuthOutcome {
	const [, token = ""] = /^bearer +([^ ]+)$/i.exec(credential) ?? [];
	const principal = others.length === 0 ? verifyToken(tokens, token) : undefined;
	if (principal !== undefined) return { principal };
	const kind = token.startsWith("gw_operator_") ? "operator" : "other";
	const lockedMs = limiter.fail(`${kind} ${from}`);
	return { refusal: lockedMs > 0 ? tooMany(lockedMs) : unauthorized };
}

async function needsNoToken(request: IncomingRequest, options: AuthenticateOptions): Promise<boolean> {
	const { localAddress, remoteAddress } = request.socket;
	if (!isLoopback(localAddress ?? "") || !isLoopback(remoteAddress ?? "")) return false;
	if (isForwarded(request) || headerNames(request).some(isBrowser)) return false;
	switch (options.mode) {
		case "none":
			return true;
		case "local":
			return options.trustLocal && (await options.localPeers.isLocal(request.socket));
		case "token":
			return false;
	}
}

/** Browsers send these, for whatever page is open. Sec-Fetch-Mode is no such sign: Node's own WebSocket sends it. */
function isBrowser(header: string): boolean {
	return header === "origin" || header === "sec-fetch-site";
}

const unauthorized: Refusal = {
	status: 401,
	headers: { "www-authenticate": "Bearer" },
	body: {
		error: "unauthorized",
		hint: "send the header Authorization: Bearer TOKEN; the command `parley token` prints the token",
	},
};

function tooMany(lockedMs: number): Refusal {
	const seconds = Math.ceil(lockedMs / 1_000);
	return {
		status: 429,
		headers: { "retry-after": String(seconds) },
		body: {
			error: "too many failed attempts",
			hint: `wait ${seconds} s, or send a right token: that one is not held back`,
		},
	};
}
