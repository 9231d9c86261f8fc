import { type Clock, ParleyError } from "@parley/base";
import type { Dispatcher } from "undici";
import { findAddresses, type Lookup, type Reach } from "../../sandbox/egress/reach.ts";
import { orAborted, within } from "../../sandbox/egress/time-limit.ts";
import { type MediaType, mayBeText, readMediaType } from "./decode-text.ts";
import { isSameSite, readRedirect } from "./page-url.ts";
import { acceptedEncodings, type Body, readBody } from "./read-body.ts";

const MAX_REDIRECTS = 3;
const MAX_BODY_BYTES = 5 * 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_TOTAL_MS = 20_000;
/** Per hop, from the look-up of the name to the last header. */
const MAX_HEADERS_MS = 10_000;

/** These and no others: neither the model nor a page chooses a header, and nothing is kept from page to page. */
const requestHeaders = {
	accept: "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.5",
	"accept-encoding": acceptedEncodings,
	"user-agent": "Parley (web_fetch)",
};

/** https://www.rfc-editor.org/rfc/rfc9110#section-15.4 */
const redirects = new Set([301, 302, 303, 307, 308]);

const faults: Readonly<Record<string, string>> = {
	ECONNREFUSED: "refused the connection",
	ECONNRESET: "closed the connection",
	UND_ERR_SOCKET: "closed the connection",
	UND_ERR_CONNECT_TIMEOUT: "could not be connected to in time",
	UND_ERR_HEADERS_OVERFLOW: "sent more headers than are read",
	ERR_TLS_CERT_ALTNAME_INVALID: "showed the certificate of another host",
};

export interface GetDeps {
	readonly clock: Clock;
	readonly reach: Reach;
	readonly lookup: Lookup;
}

export interface Page {
	readonly kind: "page";
	readonly url: URL;
	readonly status: number;
	readonly type: MediaType;
	readonly body: Body;
}

/** A redirect that was not followed. */
interface Elsewhere {
	readonly kind: "elsewhere";
	readonly url: URL;
	readonly status: number;
	readonly next: URL;
}

/**
 * Gets a page with GET, following redirects within its site, each checked like the first URL. Every connection goes to
 * an address that was looked up once and checked, never to a name. Throws what the model can read, or the signal's
 * reason.
 */
export function getPage(first: URL, deps: GetDeps, signal: AbortSignal): Promise<Page | Elsewhere> {
	const limit = { ms: MAX_TOTAL_MS, what: "the page", clock: deps.clock };
	return within(limit, signal, async (limited) => {
		let url = first;
		for (let followed = 0; ; followed += 1) {
			const answer = await visit(url, deps, limited);
			if (answer.kind === "page" || !isSameSite(first, answer.next)) return answer;
			if (followed === MAX_REDIRECTS) {
				throw new ParleyError(`more than ${MAX_REDIRECTS} redirects`, { code: "failed_precondition" });
			}
			url = answer.next;
		}
	});
}

async function visit(url: URL, deps: GetDeps, signal: AbortSignal): Promise<Page | Elsewhere> {
	const limit = { ms: MAX_HEADERS_MS, what: "the first part of the answer", clock: deps.clock };
	let agent: Dispatcher | undefined;
	try {
		const response = await within(limit, signal, async (limited) => {
			agent = await agentFor(await findAddresses(url, deps, limited));
			const path = url.pathname + url.search;
			const request = {
				origin: url.origin,
				path,
				method: "GET",
				headers: requestHeaders,
				signal: limited,
			} as const;
			// While it connects it does not hear the signal.
			return orAborted(agent.request(request), limited);
		});
		return await readAnswer(url, response, deps.reach);
	} catch (reason) {
		signal.throwIfAborted();
		throw reason instanceof ParleyError ? reason : unreachable(url, reason);
	} finally {
		await agent?.destroy();
	}
}

/** A client that connects to these addresses and no others, whatever the name leads to by then. */
async function agentFor(addresses: readonly string[]): Promise<Dispatcher> {
	const { Agent } = await import("undici");
	const pinned = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
	return new Agent({
		allowH2: false,
		maxHeaderSize: MAX_HEADER_BYTES,
		// The clock that was given keeps all time but that of a connection nobody waits for any more.
		headersTimeout: 0,
		bodyTimeout: 0,
		connect: {
			timeout: MAX_HEADERS_MS,
			lookup: (_name, { all }, found) => {
				const [only] = pinned;
				if (all) found(null, pinned);
				else found(null, only?.address ?? "", only?.family);
			},
		},
	});
}

async function readAnswer(
	url: URL,
	{ statusCode: status, headers, body }: Dispatcher.ResponseData,
	reach: Reach,
): Promise<Page | Elsewhere> {
	const header = (name: string): string => [headers[name] ?? ""].flat()[0] ?? "";
	const type = readMediaType(header("content-type"));
	if (redirects.has(status) && header("location") !== "") {
		letGo(body);
		return { kind: "elsewhere", url, status, next: readRedirect(url, header("location"), reach) };
	}
	if (!mayBeText(type)) {
		letGo(body);
		throw notText(url, type, header("content-length"));
	}
	const read = await readBody(body, header("content-encoding"), MAX_BODY_BYTES);
	return { kind: "page", url, status, type, body: read };
}

/** What is not a page of text: says what it is instead. `bytes` is "" where nobody knows. */
export function notText(url: URL, { essence }: MediaType, bytes: string): ParleyError {
	const size = /^\d{1,16}$/.test(bytes) ? `${bytes} bytes` : "unknown size";
	return new ParleyError(`"${url.href}" is ${essence || "something"} of ${size}: only text is fetched`, {
		code: "invalid_argument",
	});
}

function letGo(body: Dispatcher.ResponseData["body"]): void {
	// That it was not read to its end is an error to the stream, which nobody would hear of otherwise.
	body.on("error", () => undefined);
	body.destroy();
}

function unreachable(url: URL, reason: unknown): ParleyError {
	const code = reason instanceof Error && "code" in reason ? String(reason.code) : "";
	const fault = faults[code] ?? `could not be read${code === "" ? "" : ` (${code})`}`;
	return new ParleyError(`"${url.host}" ${fault}`, { code: "unavailable", cause: reason });
}
