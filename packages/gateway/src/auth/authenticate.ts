import { type AuditEntry, operator, type Principal } from "@parley/core";
import { refusalTexts } from "../texts/http.ts";
import { isLoopback } from "../transport/address.ts";
import type { AuthMode } from "./auth-mode.ts";
import { type Keyring, readCredential, type Shown } from "./credentials.ts";
import { isForwarded } from "./forwarding.ts";
import { headerNames, headerValues, type IncomingRequest } from "./incoming-request.ts";
import type { FailedAuthLimiter } from "./limiter.ts";
import type { LocalPeers } from "./local-peer.ts";
import type { Refusal } from "./refusal.ts";

export interface AuthenticateOptions extends Keyring {
	readonly mode: AuthMode;
	/**
	 * Whether mode `local` accepts local callers without a token. False with a public URL, a trusted proxy, or a
	 * non-loopback listener, because a program of the gateway's user may then forward remote requests.
	 */
	readonly trustLocal: boolean;
	readonly localPeers: LocalPeers;
	readonly limiter: FailedAuthLimiter;
	/** Records an event that may occur often: see `Audit.sample`. */
	readonly sample: (entry: Omit<AuditEntry, "args">) => void;
}

export type AuthOutcome =
	| { readonly principal: Principal; readonly refusal?: undefined }
	| { readonly principal?: undefined; readonly refusal: Refusal };

/** Facts about a request that the caller of `Authenticate` knows. */
export interface Circumstances {
	/** Address of the client. Default: the remote address of the connection. */
	readonly peer?: string;
	/** Whether the request opens a WebSocket. A ticket is valid only for such a request. */
	readonly opensWebSocket?: boolean;
}

export type Authenticate = (request: IncomingRequest, circumstances?: Circumstances) => Promise<AuthOutcome>;

/**
 * Creates the function that authenticates requests. A wrong credential is refused, even from a local caller that
 * needs no credential.
 */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
	return async (request, { peer = request.socket.remoteAddress ?? "", opensWebSocket = false } = {}) => {
		const shown = readCredential(request, opensWebSocket, options);
		const [from = peer] = headerValues(request, "origin");
		if (shown) return judge(shown, from, options);
		if (await needsNoToken(request, options)) return { principal: operator };
		noteFailure(`none ${peerKind(request, peer)}`, options);
		return { refusal: unauthorized };
	};
}

function judge(
	{ principal, credentialClass }: Shown,
	from: string,
	options: AuthenticateOptions,
): AuthOutcome {
	if (principal) return { principal };
	const key = `${credentialClass} ${from}`;
	noteFailure(key, options);
	const lockedMs = options.limiter.fail(key);
	return { refusal: lockedMs > 0 ? tooMany(lockedMs) : unauthorized };
}

function noteFailure(object: string, { sample }: AuthenticateOptions): void {
	sample({ principal: "unknown", via: "http", action: "auth.fail", object, decision: "denied" });
}

/**
 * Returns the kind of a caller for the audit log. The log omits the address, because the number of addresses is
 * unlimited.
 */
function peerKind(request: IncomingRequest, peer: string): "browser" | "forwarded" | "loopback" | "remote" {
	if (headerNames(request).some(isBrowser)) return "browser";
	if (isForwarded(request)) return "forwarded";
	return isLoopback(peer) ? "loopback" : "remote";
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

function isBrowser(header: string): boolean {
	// `sec-fetch-mode` does not suffice, because Node's own WebSocket also sends it.
	return header === "origin" || header === "sec-fetch-site";
}

const unauthorized: Refusal = {
	status: 401,
	headers: { "www-authenticate": "Bearer" },
	body: {
		error: "unauthorized",
		hint: refusalTexts.sendToken,
	},
};

function tooMany(lockedMs: number): Refusal {
	const seconds = Math.ceil(lockedMs / 1_000);
	return {
		status: 429,
		headers: { "retry-after": String(seconds) },
		body: {
			error: refusalTexts.tooManyFailures,
			hint: refusalTexts.waitSeconds({ seconds }),
		},
	};
}
