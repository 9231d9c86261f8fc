import { ParleyError } from "@parley/base";
import { downloadTexts, mayPass, readBounded } from "@parley/connector";
import { fileTexts } from "../texts/file.ts";
import { demandSlack, type SlackHosts } from "./web-requests.ts";

const platform = "Slack";

export interface Download extends SlackHosts {
	readonly url: string;
	/** Bot token. With the scope `files:read`, it reads files that are shared with the bot. */
	readonly token: string;
	/** Maximum bytes. */
	readonly maximum: number;
	readonly signal: AbortSignal;
}

/**
 * Downloads a private file: https://docs.slack.dev/reference/objects/file-object#authentication. Rejects like
 * `SlackPort.download`.
 */
export async function download({ url, token, maximum, signal, apiUrl }: Download): Promise<Uint8Array> {
	demandSlack(url, { apiUrl }, downloadTexts.foreign);
	const over = new AbortController();
	try {
		const headers = { authorization: `Bearer ${token}` };
		const bounds = AbortSignal.any([signal, over.signal]);
		return await read(url, await fetch(url, { headers, redirect: "manual", signal: bounds }), maximum);
	} catch (cause) {
		if (cause instanceof ParleyError) throw cause;
		if (signal.aborted) throw ParleyError.from(signal.reason);
		throw new ParleyError(downloadTexts.unavailable({ platform }), {
			code: "unavailable",
			cause,
		});
	} finally {
		// Closes the connection of a response that was not read to its end.
		over.abort();
	}
}

async function read(url: string, { status, headers, body }: Response, maximum: number): Promise<Uint8Array> {
	const { pathname } = new URL(url);
	const isUnasked = isPage(headers) && !/\.x?html?$/i.test(pathname);
	if (leadsToLogin(url, status, headers) || (isUnasked && named.test(pathname))) throw notShown();
	if (status === 403 || status === 404 || status === 410) {
		throw new ParleyError(downloadTexts.gone({ platform }), { code: "not_found" });
	}
	if (status !== 200 || body === null) {
		const code = mayPass(status) ? "unavailable" : "failed_precondition";
		throw new ParleyError(downloadTexts.status({ status, platform }), { code });
	}
	if (Number(headers.get("content-length") ?? 0) > maximum) {
		throw new ParleyError(downloadTexts.tooLarge({ maximum }), { code: "resource_exhausted" });
	}
	const bytes = await readBounded(body, maximum, downloadTexts.name, downloadTexts.smaller);
	if (isUnasked && isLoginPage(bytes, pathname)) throw notShown();
	return bytes;
}

function notShown(): ParleyError {
	return new ParleyError(fileTexts.noAccess, {
		code: "permission_denied",
	});
}

/** Whether the response redirects to the sign-in page, for example `https://acme.slack.com/?redir=…`. */
function leadsToLogin(url: string, status: number, headers: Headers): boolean {
	const location = headers.get("location");
	if (status < 300 || status >= 400 || location === null || !URL.canParse(location, url)) return false;
	const { pathname, searchParams } = new URL(location, url);
	return searchParams.has("redir") || /^\/(?:\w+-)?signin\b/.test(pathname);
}

/** Pattern of a file name with an extension. A canvas is a page without an extension. */
const named = /\.[a-z]\w{1,4}$/i;

function isPage(headers: Headers): boolean {
	return /^text\/html\b/i.test(headers.get("content-type") ?? "");
}

/** Maximum bytes to search for signs of a sign-in page. */
const headBytes = 256 * 1024;
/** Pattern of the signs of a Slack page: the end of its title, a sign-in form or a redirect. */
const ofSlack =
	/<title>(?:[^<]*\s)?Slack\s*<\/title>|\bsignin_form\b|\bshouldRedirect\b|<(?:meta|form)\b[^<>]*[?&;]redir=|<script\b[^<>]*>[^<]*[?&;]redir=/i;
/** Pattern of the URL to open after the sign-in. Links on other pages rarely name the file itself. */
const next = /[?&;]redir=([^"'<>\s]{0,500})/gi;

/** Whether `bytes` are the sign-in page, which Slack returns with status 200 if the bot has no access to a file. */
function isLoginPage(bytes: Uint8Array, pathname: string): boolean {
	const head = new TextDecoder().decode(bytes.subarray(0, headBytes));
	if (!/^\s*<(?:!doctype|html)\b/i.test(head)) return false;
	if (ofSlack.test(head)) return true;
	// The path has the form `/files-pri/TEAM-FILE/name`. Other paths do not contain the id of the file.
	const id = /^\/[\w-]+\/\w+-(\w+)\//.exec(pathname)?.[1] ?? "";
	return head.matchAll(next).some(([, where = ""]) => where.includes(id));
}
