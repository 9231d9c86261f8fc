import { ParleyError } from "@parley/base";
import { readBounded } from "@parley/connector";
import { demandSlack, type SlackHosts } from "./web-requests.ts";

export interface Download extends SlackHosts {
	readonly url: string;
	/** The bot's, which reads what people have shared with it: scope `files:read`. */
	readonly token: string;
	/** In bytes. */
	readonly most: number;
	readonly signal: AbortSignal;
}

/** Reads a private file: https://docs.slack.dev/reference/objects/file-object#authentication. Rejects as `SlackPort.download`. */
export async function download({ url, token, most, signal, apiUrl }: Download): Promise<Uint8Array> {
	demandSlack(url, { apiUrl });
	const over = new AbortController();
	try {
		const headers = { authorization: `Bearer ${token}` };
		const bounds = AbortSignal.any([signal, over.signal]);
		return await read(url, await fetch(url, { headers, redirect: "manual", signal: bounds }), most);
	} catch (cause) {
		if (cause instanceof ParleyError) throw cause;
		if (signal.aborted) throw ParleyError.from(signal.reason);
		throw new ParleyError("the file cannot be read from Slack: try again", { code: "unavailable", cause });
	} finally {
		// What is left of an answer that is not wanted must not keep its connection.
		over.abort();
	}
}

async function read(
	url: string,
	{ status, headers, body }: Pick<Response, "status" | "headers" | "body">,
	most: number,
): Promise<Uint8Array> {
	if (leadsToLogin(url, status, headers) || isLoginPage(url, headers)) {
		throw new ParleyError('Slack does not show me that file: give the app the scope "files:read"', {
			code: "permission_denied",
		});
	}
	if (status === 403 || status === 404 || status === 410) {
		throw new ParleyError("the file is not at Slack any more: attach it again", { code: "not_found" });
	}
	if (status !== 200 || body === null) {
		throw new ParleyError(`Slack answered ${status} instead of the file: try again`, { code: "unavailable" });
	}
	if (Number(headers.get("content-length") ?? 0) > most) {
		throw new ParleyError(`the file is longer than ${most} bytes`, { code: "resource_exhausted" });
	}
	return readBounded(body, most, "the file");
}

/** Or is led to where people sign in: `https://acme.slack.com/?redir=…`. */
function leadsToLogin(url: string, status: number, headers: Headers): boolean {
	const location = headers.get("location");
	if (status < 300 || status >= 400 || location === null || !URL.canParse(location, url)) return false;
	const { pathname, searchParams } = new URL(location, url);
	return searchParams.has("redir") || /^\/(?:\w+-)?signin\b/.test(pathname);
}

/** Who may not read a file gets the page on which people sign in, and a status of 200. */
function isLoginPage(url: string, headers: Headers): boolean {
	const isPage = /^text\/html\b/i.test(headers.get("content-type") ?? "");
	return isPage && !/\.x?html?$/i.test(new URL(url).pathname);
}
