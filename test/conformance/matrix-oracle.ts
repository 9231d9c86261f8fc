/**
 * Callers that need a token:
 * - `token`: all callers.
 * - `none`: callers from other machines, and loopback callers whose request shows a browser or a proxy.
 */
export type AuthMode = "token" | "none";

export interface Probe {
	readonly path: string;
	readonly upgrade: boolean;
	readonly hosts: readonly string[];
	/** Whether the request line contains the absolute URL instead of a path. */
	readonly absolute: boolean;
	readonly origins: readonly string[];
	readonly credentials: readonly string[];
	/** Credential in the query string, or "" without one. */
	readonly query: string;
	readonly others: readonly string[];
}

export interface GatewaySettings {
	readonly mode: AuthMode;
	readonly port: number;
	readonly token: string;
	/** The additional host name that the operator has configured. */
	readonly name: string;
}

/** Status by path for an authenticated caller. */
const served: Readonly<Record<string, number>> = {
	"/api/health": 200,
	"/api/health?verbose": 200,
	"/api/ws": 426,
	"/api/events": 200,
	"/api/sessions": 200,
	"/api/tasks": 200,
	"/api/files": 405,
	"/api/files/file_00000000000000000000000000": 404,
	"/metrics": 200,
	"/nowhere": 404,
};

export const paths = Object.keys(served);

/**
 * Returns the expected status according to the security document, independent of the implementation. The checks are
 * ordered: host names, origins, credentials in the query, then authentication. `/api/health` needs no authentication.
 * 401 also represents the 429 after ten failures.
 */
export function expectedStatus(probe: Probe, settings: GatewaySettings): number {
	if (!isNamedRight(probe, settings)) return 421;
	if (probe.origins.length > 0 && !isOwnOrigin(probe.origins, settings)) return 403;
	if (probe.query !== "") return 400;
	if (probe.path === "/api/health") return 200;
	if (!isKnown(probe, settings)) return 401;
	if (probe.upgrade) return 101;
	return served[probe.path] ?? 404;
}

function isNamedRight({ hosts, absolute }: Probe, { port, name }: GatewaySettings): boolean {
	const [host, ...others] = hosts;
	if (absolute || host === undefined || others.length > 0) return false;
	const right = ["127.0.0.1", "localhost", "[::1]", "[0:0:0:0:0:0:0:1]", name];
	return right.some((each) => `${each}:${port}` === host.toLowerCase());
}

function isOwnOrigin([origin, ...others]: readonly string[], { port }: GatewaySettings): boolean {
	const own = ["127.0.0.1", "localhost", "[::1]"].map((host) => `http://${host}:${port}`);
	return others.length === 0 && own.includes(origin ?? "");
}

function isKnown({ credentials, origins, others }: Probe, { mode, token }: GatewaySettings): boolean {
	const [credential, ...more] = credentials;
	if (credential !== undefined) {
		const [scheme = "", shown] = credential.split(" ");
		return more.length === 0 && scheme.toLowerCase() === "bearer" && shown === token;
	}
	const passedOnOrBrowser = others.some((header) => !/^sec-fetch-mode:/i.test(header));
	return mode === "none" && origins.length === 0 && !passedOnOrBrowser;
}
