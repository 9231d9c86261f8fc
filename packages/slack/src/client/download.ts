import { ParleyError } from "@parley/base";
import { mayPass, readBounded } from "@parley/connector";
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
		throw new ParleyError("the file cannot be read from Slack: attach it again", {
			code: "unavailable",
			cause,
		});
	} finally {
		// What is left of an answer that is not wanted must not keep its connection.
		over.abort();
	}
}

async function read(url: string, { status, headers, body }: Response, most: number): Promise<Uint8Array> {
	const { pathname } = new URL(url);
	const isUnasked = isPage(headers) && !/\.x?html?$/i.test(pathname);
	if (leadsToLogin(url, status, headers) || (isUnasked && named.test(pathname))) throw notShown();
	if (status === 403 || status === 404 || status === 410) {
		throw new ParleyError("the file is not at Slack any more: attach it again", { code: "not_found" });
	}
	if (status !== 200 || body === null) {
		const code = mayPass(status) ? "unavailable" : "failed_precondition";
		throw new ParleyError(`Slack answered ${status} instead of the file: attach it again`, { code });
	}
	if (Number(headers.get("content-length") ?? 0) > most) {
		throw new ParleyError(`the file is longer than ${most} bytes`, { code: "resource_exhausted" });
	}
	const bytes = await readBounded(body, most, "the file");
	if (isUnasked && isLoginPage(bytes, pathname)) throw notShown();
	return bytes;
}

function notShown(): ParleyError {
	return new ParleyError('Slack does not show me that file: give the app the scope "files:read"', {
		code: "permission_denied",
	});
}

/** Or is led to where people sign in: `https://acme.slack.com/?redir=…`. */
function leadsToLogin(url: string, status: number, headers: Headers): boolean {
	const location = headers.get("location");
	if (status < 300 || status >= 400 || location === null || !URL.canParse(location, url)) return false;
	const { pathname, searchParams } = new URL(location, url);
	return searchParams.has("redir") || /^\/(?:\w+-)?signin\b/.test(pathname);
}

/** The name of a file says what it is; that of a canvas, which is a page itself, says nothing. */
const named = /\.[a-z]\w{1,4}$/i;

function isPage(headers: Headers): boolean {
	return /^text\/html\b/i.test(headers.get("content-type") ?? "");
}

/** So far into it is looked. */
const headBytes = 256 * 1024;
/** A page of Slack's own has its name at the end of its title, and one to sign in on a form for that or goes on by itself. */
const ofSlack =
	/<title>(?:[^<]*\s)?Slack\s*<\/title>|\bsignin_form\b|\bshouldRedirect\b|<(?:meta|form)\b[^<>]*[?&;]redir=|<script\b[^<>]*>[^<]*[?&;]redir=/i;
/** Where to go then. People write such links too, but hardly one that leads back to the file that they stand in. */
const next = /[?&;]redir=([^"'<>\s]{0,500})/gi;

/** Who may not read a file gets the page on which people sign in, and a status of 200. */
function isLoginPage(bytes: Uint8Array, pathname: string): boolean {
	const head = new TextDecoder().decode(bytes.subarray(0, headBytes));
	if (!/^\s*<(?:!doctype|html)\b/i.test(head)) return false;
	if (ofSlack.test(head)) return true;
	// `/files-pri/TEAM-FILE/name`; of another path nothing tells which file it is.
	const id = /^\/[\w-]+\/\w+-(\w+)\//.exec(pathname)?.[1] ?? "";
	return head.matchAll(next).some(([, where = ""]) => where.includes(id));
}
