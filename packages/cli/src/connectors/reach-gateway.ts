import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, delay, ParleyError, parseJson } from "@parley/base";
import { replacePrivateFile } from "@parley/gateway/data";
import { type Client, describeFailure, refusalOf } from "@parley/protocol";
import { getFromGateway, type HttpAddress } from "../client/gateway-http.ts";
import { connectorRunTexts } from "../texts/connectors/run.ts";

const firstWaitMs = 1_000;
const longestWaitMs = 15_000;
/** Maximum milliseconds for the response to a health request. */
const healthMs = 3_000;

/**
 * Codes of errors after which a later connection may succeed, because a gateway has started or the network is
 * available again.
 */
const passing = [
	"ECONNREFUSED",
	"ECONNRESET",
	"EPIPE",
	"ETIMEDOUT",
	"EHOSTUNREACH",
	"EHOSTDOWN",
	"ENETUNREACH",
	"ENETDOWN",
	"EAI_AGAIN",
	"ENOTFOUND",
];

type CheckedAddress = HttpAddress & {
	/** Whether an operator named the address (`--url`, PARLEY_URL). A proxy may then listen there. */
	readonly isNamed: boolean;
};

interface Waiting {
	readonly clock: Clock;
	/** Resolves with the reason when the connector must stop. */
	readonly stopRequest: Promise<string>;
	/** Receives the reason after each failed attempt. */
	readonly onWait: (why: string) => Promise<void>;
}

/**
 * Calls `reach` until it succeeds, and resolves with its result. The delay between two attempts grows from 1 s to 15
 * s. If `stopRequest` resolves before `reach` succeeds, resolves with the reason to stop. Rejects if `reach` rejects
 * with an error other than `unavailable`.
 */
export async function reachGateway<T>(
	reach: () => Promise<T>,
	{ clock, stopRequest, onWait }: Waiting,
): Promise<{ readonly reached: T } | { readonly ended: string }> {
	const ending = new AbortController();
	const end = stopRequest.then((ended) => {
		ending.abort();
		return { ended };
	});
	const attempt = async (): Promise<{ readonly reached: T } | undefined> => {
		try {
			return { reached: await reach() };
		} catch (reason) {
			if (!(reason instanceof ParleyError) || reason.code !== "unavailable") throw reason;
			await onWait(reason.message);
			return undefined;
		}
	};
	for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
		const result = await Promise.race([attempt(), end]);
		if (result) return result;
		const ended = await Promise.race([delay(clock, waitMs, ending.signal).then(() => undefined), end]);
		if (ended) return ended;
	}
}

/**
 * Resolves if a gateway answers and is ready. Rejects with `unavailable` if a later attempt may succeed: no
 * connection, a timeout, a stopping gateway, or the response of a proxy. Rejects with another error code if a person
 * must act: the gateway refuses this client, TLS fails, or another program answers.
 */
export async function checkReady(
	address: CheckedAddress,
	signal = AbortSignal.timeout(healthMs),
): Promise<void> {
	const { url, isNamed } = address;
	let answer: Awaited<ReturnType<typeof getFromGateway>>;
	try {
		answer = await getFromGateway(address, "/api/health", signal);
	} catch (cause) {
		throw failureOf(cause, url, signal);
	}
	const { status, text } = answer;
	const health = healthIn(text);
	if ((status === 200 || status === 503) && (health === "ok" || health === "degraded")) return;
	if (health === "draining")
		throw new ParleyError(connectorRunTexts.stopping({ url }), { code: "unavailable" });
	if (isOfProxy(status, isNamed)) throw answeredByProxy(url, status);
	throw refusalOf(status, new URL(url)) ?? anotherProgram(url, `HTTP ${status}`);
}

/**
 * Whether the status may come from a proxy. Proxies that discover gateways (Traefik, ingress controllers,
 * tunnels) respond with 404 if the gateway is unavailable. At the address of a data directory, a 404 comes from
 * another program, because the gateway listened there directly.
 */
function isOfProxy(status: number, isNamed: boolean): boolean {
	return (status >= 502 && status <= 504) || (isNamed && (status === 404 || status === 429 || status >= 500));
}

function answeredByProxy(url: string, status: number): ParleyError {
	const message = connectorRunTexts.answeredByProxy({ url, status });
	return new ParleyError(message, { code: "unavailable" });
}

function failureOf(cause: unknown, url: string, signal: AbortSignal): ParleyError {
	const error: NodeJS.ErrnoException = cause instanceof Error ? cause : new Error(String(cause));
	const { code = "" } = error;
	if (signal.aborted || passing.includes(code)) {
		const message = connectorRunTexts.noGateway({ url });
		return new ParleyError(message, { code: "unavailable", cause });
	}
	// Error codes of Node's HTTP parser: https://nodejs.org/api/errors.html
	if (code.startsWith("HPE_")) return anotherProgram(url, error.message, cause);
	return new ParleyError(describeFailure(error, new URL(url)), { code: "failed_precondition", cause });
}

function anotherProgram(url: string, answer: string, cause?: unknown): ParleyError {
	const message = connectorRunTexts.otherProgram({ url, answer });
	return new ParleyError(message, { code: "failed_precondition", cause });
}

/** Returns the `status` of the response, or undefined if the response is not JSON or has no `status`. */
function healthIn(text: string): unknown {
	try {
		const { status }: { status?: unknown } = Object(parseJson(text));
		return status;
	} catch {
		return undefined;
	}
}

interface TokenFile {
	/** Name of the chat platform. The name of the token begins with the name of the platform. */
	readonly platform: string;
	readonly data: string;
}

/** Platform and data directory of a connector, and a connection of the operator to the gateway. */
export interface TokenQuestion extends TokenFile {
	readonly gateway: Pick<Client, "request">;
}

/**
 * Returns the token of a connector on this machine. The data directory stores it, readable only by this user.
 * Creates a token if none is stored, or if the gateway does not know the stored token. Rejects with
 * `failed_precondition` if the token was revoked or has expired, because only an operator may replace such a
 * token.
 */
export async function connectorToken({ platform, data, gateway }: TokenQuestion): Promise<string> {
	const file = tokenFileOf({ platform, data });
	const stored = await readIfThere(file);
	const { tokens } = await gateway.request("list_tokens", {});
	const [, , id = ""] = stored?.split("_") ?? [];
	const known = tokens.find((token) => token.id === id);
	if (stored !== undefined && known?.status === "active") return stored;
	if (known !== undefined) {
		const message = connectorRunTexts.tokenEnded({ token: known.name, platform, state: known.status, file });
		throw new ParleyError(message, { code: "failed_precondition" });
	}
	const created = await gateway.request("create_token", {
		kind: "connector",
		platform,
		name: freeName(platform, tokens),
	});
	await replacePrivateFile(file, `${created.token}\n`);
	return created.token;
}

/** Returns the error for a connector token that the gateway no longer accepts. */
export function revokedToken(
	{ platform, data, given }: TokenFile & { readonly given: string | undefined },
	cause: Error,
): ParleyError {
	const fix = given?.startsWith("gw_connector_")
		? connectorRunTexts.createTokenFix({ platform })
		: connectorRunTexts.removeTokenFix({ file: tokenFileOf({ platform, data }) });
	const message = connectorRunTexts.tokenRevoked({ platform, fix });
	return new ParleyError(message, { code: "unauthenticated", cause });
}

function tokenFileOf({ platform, data }: TokenFile): string {
	return join(data, "tokens", `connector-${platform}`);
}

function freeName(platform: string, tokens: readonly { readonly name: string }[]): string {
	const used = new Set(tokens.map(({ name }) => name));
	for (let number = 1; ; number++) {
		const name = number === 1 ? platform : `${platform}-${number}`;
		if (!used.has(name)) return name;
	}
}

async function readIfThere(file: string): Promise<string | undefined> {
	try {
		return (await readFile(file, "utf8")).trim();
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
		throw error;
	}
}
