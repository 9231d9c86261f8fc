import { createHmac } from "node:crypto";
import { type Clock, parseJson } from "@parley/base";
import type { SlackReply } from "@parley/slack";
import * as z from "zod";
import type { Simulator } from "../platform/simulator.ts";
import { type Envelope, NoRetry, type Receiver, type RetryReason } from "./delivery.ts";

const json = "application/json";
const form = "application/x-www-form-urlencoded";

export interface Signing {
	readonly signingSecret: string;
	readonly clock: Clock;
}

/**
 * Returns the headers that prove that a request comes from Slack:
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export function signed(text: string, { signingSecret, clock }: Signing): Record<string, string> {
	const timestamp = String(Math.floor(clock.now() / 1000));
	const mac = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${text}`).digest("hex");
	return { "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${mac}` };
}

/** Sends events to the app's request URL: https://docs.slack.dev/apis/events-api/using-http-request-urls */
export class HttpEvents implements Receiver {
	readonly #simulator: Simulator;
	readonly #url: string;
	readonly #changed: () => void;
	readonly statuses: number[] = [];

	constructor(simulator: Simulator, url: string, changed: () => void) {
		this.#simulator = simulator;
		this.#url = url;
		this.#changed = changed;
	}

	/**
	 * Sends a URL verification. Resolves with true if the app proves that it owns the address:
	 * https://docs.slack.dev/reference/events/url_verification
	 */
	async verify(): Promise<boolean> {
		const { ids, app } = this.#simulator.state;
		const challenge = ids.create("challenge");
		const text = JSON.stringify({ token: app.verificationToken, challenge, type: "url_verification" });
		const response = await this.#post(text, json, {});
		const responseText = await response.text();
		if (!response.ok) return false;
		const isJson = (response.headers.get("content-type") ?? "").startsWith(json);
		return isJson
			? z.object({ challenge: z.string() }).parse(parseJson(responseText)).challenge === challenge
			: responseText === challenge;
	}

	async receive({ type, body, attempt }: Envelope, reason?: RetryReason): Promise<SlackReply> {
		const [text, contentType] = written(type, body);
		// Headers of a retry: https://docs.slack.dev/apis/events-api#retries
		const retry =
			attempt > 0 ? { "x-slack-retry-num": `${attempt}`, "x-slack-retry-reason": reason ?? "" } : {};
		const response = await this.#post(text, contentType, retry);
		const responseText = await response.text();
		// Slack requires: "For each request you receive, answer with an HTTP 200 status code."
		if (response.ok) return responseText === "" ? undefined : replyOf(responseText);
		if (response.headers.get("x-slack-no-retry") === "1") throw new NoRetry();
		throw new Error(`the app answered with ${response.status}`);
	}

	async #post(text: string, contentType: string, more: Readonly<Record<string, string>>): Promise<Response> {
		const { state, signingSecret, clock } = this.#simulator;
		const headers = { "content-type": contentType, ...signed(text, { signingSecret, clock }), ...more };
		const over = new AbortController();
		const late = clock.after(state.settings.acknowledgeMs, () => over.abort());
		try {
			const response = await fetch(this.#url, { method: "POST", headers, body: text, signal: over.signal });
			this.statuses.push(response.status);
			return response;
		} finally {
			late.cancel();
			this.#changed();
		}
	}
}

/**
 * Returns a payload as text. An event is JSON, a command is a form, and an interaction is a form with JSON in
 * `payload`: https://docs.slack.dev/interactivity/handling-user-interaction#payloads
 */
function written(type: Envelope["type"], body: unknown): [text: string, contentType: string] {
	if (type === "event") return [JSON.stringify(body), json];
	if (type === "interactive")
		return [new URLSearchParams({ payload: JSON.stringify(body) }).toString(), form];
	const fields = z.record(z.string(), z.string().optional()).parse(body);
	const known = Object.entries(fields).flatMap(([name, value]) =>
		value === undefined ? [] : [[name, value] as const],
	);
	return [new URLSearchParams(Object.fromEntries(known)).toString(), form];
}

function replyOf(responseText: string): SlackReply {
	return z.record(z.string(), z.unknown()).parse(parseJson(responseText));
}
