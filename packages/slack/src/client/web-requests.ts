import { ParleyError, parseJson } from "@parley/base";
import { downloadTexts, readBounded } from "@parley/connector";
import * as z from "zod";
import { deliveryTexts } from "../texts/delivery.ts";
import type { SlackAnswer } from "../vocabulary/slack-port.ts";

const timeoutMs = 15_000;
/** Maximum milliseconds of an upload, which may use a slow connection. */
const uploadTimeoutMs = 120_000;
const maxAnswer = 64 * 1024;
/** Maximum characters of an error code, because a proxy may respond with a page instead. */
const maxWords = 100;
/** Milliseconds to wait if `Retry-After` contains no number of seconds. */
const someTimeMs = 30_000;

const Refusal = z.object({ ok: z.literal(false), error: z.string() });

/** Options of a request. Slack's hosts and the origin of `apiUrl` are allowed. */
export interface SlackHosts {
	/** The setting `slack.apiUrl`. */
	readonly apiUrl: string | undefined;
	readonly signal?: AbortSignal;
}

/** Posts JSON to a `response_url`: https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
export async function respond(
	url: string,
	body: Readonly<Record<string, unknown>>,
	hosts: SlackHosts,
): Promise<SlackAnswer> {
	const headers = { "content-type": "application/json; charset=utf-8" };
	return post(url, { headers, body: JSON.stringify(body), timeoutMs }, hosts);
}

/** Uploads bytes to the URL from `files.getUploadURLExternal`. */
export async function upload(url: string, bytes: Uint8Array, hosts: SlackHosts): Promise<SlackAnswer> {
	const headers = { "content-type": "application/octet-stream" };
	return post(url, { headers, body: new Uint8Array(bytes), timeoutMs: uploadTimeoutMs }, hosts);
}

async function post(
	url: string,
	sent: {
		readonly headers: Readonly<Record<string, string>>;
		readonly body: string | Uint8Array<ArrayBuffer>;
		readonly timeoutMs: number;
	},
	hosts: SlackHosts,
): Promise<SlackAnswer> {
	const { headers, body } = sent;
	demandSlack(url, hosts, deliveryTexts.foreignAddress);
	const late = AbortSignal.timeout(sent.timeoutMs);
	const signal = hosts.signal ? AbortSignal.any([late, hosts.signal]) : late;
	const request = { method: "POST", headers, body, redirect: "manual", signal } as const;
	const response = await fetch(url, request).catch((cause: unknown) => {
		throw new ParleyError(`Slack did not answer a request to ${new URL(url).host}`, {
			code: "unavailable",
			cause,
		});
	});
	const detail =
		response.body === null ? "" : String(await readBounded(response.body, maxAnswer, "Slack's response"));
	if (response.status === 429) {
		return { type: "rate-limited", retryAfterMs: retryAfterMs(response.headers.get("retry-after")) };
	}
	if (response.status >= 500) {
		throw new ParleyError(`Slack answered status ${response.status} to a request to ${new URL(url).host}`, {
			code: "unavailable",
		});
	}
	const error = refusalIn(detail);
	if (response.status < 300 && error === undefined) return { type: "ok", body: {} };
	// A proxy may refuse a large body with its own page.
	if (response.status === 413) return { type: "refused", error: "status_413", body: {} };
	const words = (error ?? detail).trim().slice(0, maxWords);
	return { type: "refused", error: words || `status_${response.status}`, body: {} };
}

function retryAfterMs(given: string | null): number {
	// A proxy may send a date, or no header.
	return given !== null && /^\d{1,5}$/.test(given.trim()) ? Number(given) * 1000 : someTimeMs;
}

/** Returns the error code of a refusal in JSON, or undefined for any other text, for example for a success. */
function refusalIn(detail: string): string | undefined {
	try {
		return Refusal.safeParse(parseJson(detail)).data?.error;
	} catch {
		return undefined;
	}
}

/**
 * Throws `permission_denied` if a URL belongs neither to Slack nor to the origin of `apiUrl`, because untrusted
 * data must not cause requests to other hosts.
 */
export function demandSlack(
	url: string,
	{ apiUrl }: SlackHosts,
	refusal: (about: { readonly origin: string; readonly platform: string }) => string,
): void {
	const parsed = URL.canParse(url) ? new URL(url) : undefined;
	const isSlack = parsed?.protocol === "https:" && /(?:^|\.)slack(?:-files)?\.com$/.test(parsed.hostname);
	const standsFor = apiUrl !== undefined && parsed?.origin === new URL(apiUrl).origin;
	if (isSlack || standsFor) return;
	const origin = parsed?.origin ?? downloadTexts.invalidAddress;
	throw new ParleyError(refusal({ origin, platform: "Slack" }), { code: "permission_denied" });
}
