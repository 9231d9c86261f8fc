import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, type ErrorCode, type Logger, ParleyError } from "@parley/base";
import { actingId, type Runtime } from "@parley/core";
import type { Origin } from "../auth/forwarding.ts";
import type { FailedAuthLimiter } from "../auth/limiter.ts";
import { pageHeaders, wordsPage } from "../pages/html-page.ts";
import { passwordPageTexts } from "../texts/pages/password.ts";
import { type FormFacts, formPage } from "./page-html.ts";
import { type SecretPage, type SecretPages, secretPath } from "./secret-pages.ts";

export interface SecretPageRoute {
	readonly pages: SecretPages;
	readonly runtime: Runtime;
	/** Limiter that counts invalid addresses by client. */
	readonly limiter: FailedAuthLimiter;
	readonly clock: Clock;
	readonly log: Logger;
}

interface PageRequest {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly url: URL;
	readonly origin: Origin;
}

interface Reply {
	readonly status: number;
	readonly html: string;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Whether a path belongs to a password page, which needs no other credentials. */
export function isSecretPage({ pathname }: { readonly pathname: string }): boolean {
	return pathname.startsWith(secretPath);
}

/** Whether a request posts to a password page. Only `answerSecretPage` may read the body of such a request. */
export function carriesForm({ method, url = "" }: IncomingMessage): boolean {
	return method === "POST" && isSecretPage(URL.parse(`http://gateway${url}`) ?? { pathname: "" });
}

/** Serves a password page. Answers `GET` with the form while the page is open, and accepts one answer by `POST`. */
export async function answerSecretPage(page: PageRequest, route: SecretPageRoute): Promise<void> {
	const { request, response } = page;
	const { status, html, headers } = await replyTo(page, route);
	response.writeHead(status, {
		...pageHeaders,
		...headers,
		connection: "close",
		"content-length": Buffer.byteLength(html),
	});
	response.end(request.method === "HEAD" ? undefined : html);
}

async function replyTo({ request, url, origin }: PageRequest, route: SecretPageRoute): Promise<Reply> {
	const { pages, limiter, clock } = route;
	const form = request.method === "POST" ? await readForm(request, clock) : undefined;
	const refused = refusalOf(request, origin);
	if (refused) return refused;
	const id = url.pathname.slice(secretPath.length);
	const found = pages.find(id);
	if (found.state === "unknown") return unknown(limiter.fail(origin.peer));
	if (found.state !== "open") return over(found.state);
	try {
		if (form === undefined) return { status: 200, html: formPage(await factsOf(found.page, route)) };
		return await acceptAnswer(id, found.page, form, route);
	} catch (reason) {
		const title = form === undefined ? passwordPageTexts.notShown : passwordPageTexts.notAccepted;
		return failure(reason, title, route);
	}
}

function refusalOf({ method = "", headers }: IncomingMessage, { confidential }: Origin): Reply | undefined {
	if (!["GET", "HEAD", "POST"].includes(method)) {
		const html = wordsPage(passwordPageTexts.otherMethod, passwordPageTexts.openInBrowser);
		return { status: 405, html, headers: { allow: "GET, HEAD, POST" } };
	}
	const { "sec-fetch-dest": dest = "document", "sec-fetch-site": site = "same-origin" } = headers;
	// A link to the page may be on any site, but the form must come from this origin. Other uses, such as a frame, are
	// refused.
	if (dest !== "document" || (method === "POST" && site !== "same-origin")) {
		const words = passwordPageTexts.openInTab;
		return { status: 403, html: wordsPage(passwordPageTexts.otherPage, words) };
	}
	if (confidential) return undefined;
	const words = passwordPageTexts.needsHttps;
	return { status: 403, html: wordsPage(passwordPageTexts.unencrypted, words) };
}

async function acceptAnswer(
	id: string,
	page: SecretPage,
	form: Exclude<Awaited<ReturnType<typeof readForm>>, undefined>,
	route: SecretPageRoute,
): Promise<Reply> {
	const { pages, runtime, log } = route;
	if (typeof form === "number") {
		return {
			status: form,
			html: wordsPage(passwordPageTexts.formUnreadable, passwordPageTexts.useForm),
		};
	}
	const facts = await factsOf(page, route);
	if (!pages.reserve(id)) return over("used");
	let counts = false;
	try {
		const { holder, question } = facts;
		const request = { principal: holder, key: undefined, method: "prompt_response", params: {} };
		counts = await runtime.answer(request, page.token, { value: form.get("value"), confidential: true });
		log.info("a password was entered on its page", {
			sessionId: question.sessionId,
			principal: actingId(holder),
		});
	} catch (reason) {
		const { code, message } = ParleyError.from(reason);
		pages.release(id);
		if (code !== "invalid_argument") throw reason;
		return { status: 400, html: formPage({ ...facts, problem: message }) };
	}
	if (!counts) return over("answered");
	const words = passwordPageTexts.received;
	return { status: 200, html: wordsPage(passwordPageTexts.thankYou, words) };
}

/** Returns the facts that the form shows. Rejects unless the page's holder may see and answer the question now. */
async function factsOf({ holder, token, expiresAt }: SecretPage, route: SecretPageRoute): Promise<FormFacts> {
	const { runtime, pages } = route;
	const now = await runtime.trust.people.asOfNow(holder);
	return { question: await runtime.prompts.secret(now, token), holder: now, host: pages.host, expiresAt };
}

const closedTexts = {
	used: passwordPageTexts.used,
	expired: passwordPageTexts.expired,
	answered: passwordPageTexts.answered,
} as const;

function over(reason: keyof typeof closedTexts): Reply {
	const next = reason === "answered" ? "" : ` ${passwordPageTexts.requestAnother}`;
	return { status: 410, html: wordsPage(passwordPageTexts.closed, `${closedTexts[reason]}${next}`) };
}

function unknown(lockedMs: number): Reply {
	if (lockedMs > 0) {
		const html = wordsPage(passwordPageTexts.tooManyAttempts, passwordPageTexts.waitMinutes);
		return { status: 429, html, headers: { "retry-after": String(Math.ceil(lockedMs / 1000)) } };
	}
	const words = passwordPageTexts.unknownLink;
	return { status: 404, html: wordsPage(passwordPageTexts.notFound, words) };
}

const statuses: Partial<Record<ErrorCode, number>> = { permission_denied: 403, unavailable: 503 };

function failure(reason: unknown, title: string, { log }: SecretPageRoute): Reply {
	const { code } = ParleyError.from(reason);
	if (code === "failed_precondition" || code === "not_found") return over("answered");
	const status = statuses[code] ?? 500;
	if (status === 500) log.error("a page for a password failed", { error: reason });
	const words = {
		403: passwordPageTexts.notAllowed,
		503: passwordPageTexts.busy,
	}[status];
	return { status, html: wordsPage(title, words ?? passwordPageTexts.seeLog) };
}

/**
 * Maximum number of bytes of an answer. The longest password has 4096 characters, and a form encodes each character
 * in at most nine bytes.
 */
const maxBytes = 64 * 1024;
const patienceMs = 30_000;

async function readForm(request: IncomingMessage, clock: Clock): Promise<URLSearchParams | 400 | 413 | 415> {
	const [type = ""] = (request.headers["content-type"] ?? "").split(";");
	const chunks: Buffer[] = [];
	let bytes = 0;
	const timer = clock.after(patienceMs, () => request.destroy());
	try {
		// The body is read to its end, even if it is too large. If the connection were closed earlier, the response
		// could be lost.
		for await (const chunk of request) {
			bytes += chunk.length;
			if (bytes <= maxBytes) chunks.push(chunk);
		}
	} finally {
		timer.cancel();
	}
	if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") return 415;
	if (bytes > maxBytes) return 413;
	const body = Buffer.concat(chunks);
	return isUtf8(body) ? new URLSearchParams(body.toString("utf8")) : 400;
}
