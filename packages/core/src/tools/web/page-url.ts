import { ParleyError } from "@parley/base";
import { addressOf, notReached, type Reach } from "../../sandbox/egress/reach.ts";
import { visible } from "../../text/visible.ts";
import { urlTexts } from "./texts.ts";

/** Maximum characters of a URL, so that an approver can read it. */
const MAX_LENGTH = 2_000;
const MAX_SHOWN = 200;

/**
 * Parses the URL of a page strictly: http or https, an allowed port, no credentials, and no forbidden address
 * in any spelling. Throws an error for the model for any other URL. Does not look up host names.
 */
export function readPageUrl(text: string, reach: Reach): URL {
	if (text.length > MAX_LENGTH) throw refused(text, urlTexts.tooLong(text.length, MAX_LENGTH));
	// URL parsers remove white space, and read a backslash as a slash. The requested URL would therefore differ from
	// the URL that people see.
	if (/[\s\p{C}\\]/u.test(text)) throw refused(text, urlTexts.spaces);
	const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
	if (authority === undefined) throw refused(text, urlTexts.noHttp);
	if (authority.includes("@")) throw refused(text, urlTexts.userName);
	const url = URL.parse(text);
	if (!url) throw refused(text, urlTexts.invalid);
	return checkedUrl(url, reach);
}

/** Returns the target of a redirect, checked like any URL. Also throws if the redirect leads from https to http. */
export function readRedirect(from: URL, location: string, reach: Reach): URL {
	const url = URL.parse(location, from.href);
	if (!url) throw refused(location, urlTexts.redirectInvalid);
	const next = readPageUrl(url.href, reach);
	if (from.protocol === "https:" && next.protocol === "http:") {
		throw refused(next.href, urlTexts.redirectWithoutHttps);
	}
	return next;
}

/** Whether the URL `other` is on the site of `one`. The host names may differ only by `www.`. */
export function isSameSite(one: URL, other: URL): boolean {
	return one.hostname.replace(/^www\./, "") === other.hostname.replace(/^www\./, "");
}

function checkedUrl(url: URL, reach: Reach): URL {
	const port = url.port === "" ? { "http:": 80, "https:": 443 }[url.protocol] : Number(url.port);
	if (port === undefined || !reach.ports.includes(port)) {
		throw refused(url.href, urlTexts.port(port, reach.ports));
	}
	// Certificates and virtual hosts ignore the dot at the end of a fully qualified name.
	const name = url.hostname.replace(/\.$/, "");
	if (name.split(".").includes("")) throw refused(url.href, urlTexts.noHost);
	url.hostname = name;
	url.hash = "";
	const address = addressOf(url);
	if (address !== undefined && !reach.allows(address)) {
		throw notReached(url);
	}
	return url;
}

function refused(text: string, reason: string): ParleyError {
	return new ParleyError(urlTexts.refused(shown(text), reason), { code: "invalid_argument" });
}

function shown(text: string): string {
	const shownText = visible(text.slice(0, MAX_SHOWN));
	return `"${shownText}${text.length > MAX_SHOWN ? "…" : ""}"`;
}
