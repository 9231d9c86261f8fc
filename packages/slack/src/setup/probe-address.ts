import { createHmac } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import type { Clock } from "@parley/base";
import { requestPath } from "../client/transport/http-transport.ts";

const timeoutMs = 5000;

/** The program that responds at the connector's address. */
export interface ProbeResult {
	/** Address in the form `HOST:PORT`. */
	readonly at: string;
	/** Kind of the responding program. `unknown`: the port is known only after the start of the connector. */
	readonly by: "connector" | "another-secret" | "another" | "nobody" | "unknown";
}

/** Signing secret and address with which the connector receives Slack's requests. */
export interface Entrance {
	readonly signingSecret: string;
	readonly listen: { readonly host: string; readonly port: number };
}

interface ProbeOptions extends Entrance {
	readonly clock: Clock;
}

/**
 * Sends Slack's URL verification with a signature to the connector's address, and returns the program that
 * responds: https://docs.slack.dev/reference/events/url_verification. Never rejects.
 */
export async function probeAddress(options: ProbeOptions): Promise<ProbeResult> {
	const { host, port } = options.listen;
	const at = `${host.includes(":") ? `[${host}]` : host}:${port}`;
	if (port === 0) return { at, by: "unknown" };
	const challenge = `parley-${options.clock.now()}`;
	try {
		const { status, body } = await post(options, JSON.stringify({ type: "url_verification", challenge }));
		if (status === 401) return { at, by: "another-secret" };
		return { at, by: status === 200 && body.includes(challenge) ? "connector" : "another" };
	} catch {
		return { at, by: "nobody" };
	}
}

async function post(
	{ signingSecret, listen, clock }: ProbeOptions,
	body: string,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
	const timestamp = String(Math.floor(clock.now() / 1000));
	const mac = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
	const sent = request({
		// Without an agent, the request uses no outbound proxy.
		host: everywhere[listen.host] ?? listen.host,
		port: listen.port,
		agent: false,
		method: "POST",
		path: requestPath,
		signal: AbortSignal.timeout(timeoutMs),
		headers: {
			"content-type": "application/json",
			"content-length": Buffer.byteLength(body),
			"x-slack-request-timestamp": timestamp,
			"x-slack-signature": `v0=${mac}`,
		},
	});
	sent.end(body);
	// The cast is safe because Node's event has this type.
	const [response] = (await once(sent, "response")) as [IncomingMessage];
	return { status: response.statusCode, body: await text(response) };
}

/** Addresses to use instead of wildcard addresses, which cannot be requested. */
const everywhere: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
