import { ParleyError } from "@parley/base";
import { addressOf } from "./reach.ts";
import { egressTexts } from "./texts.ts";

/** Pattern of a refused character: a URL parser would not preserve the character in a host name. */
const notInNames = /[\s\p{C}:/?#@%\\[\]]/u;
/**
 * Pattern of a name with at least two labels. A name with one label is a host of the local network or a top-level
 * domain.
 */
const name = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/;

/**
 * Returns a host name in its normal form: lower case, punycode, without a final dot. Returns undefined if the text is
 * an address in any notation, or not a name with at least two labels.
 */
export function readHostName(text: string): string | undefined {
	if (notInNames.test(text)) return undefined;
	const url = URL.parse(`https://${text}`);
	const host = url?.hostname.replace(/\.$/, "");
	return url && host !== undefined && addressOf(url) === undefined && name.test(host) ? host : undefined;
}

/**
 * Returns an entry of the allowed hosts in normal form: a name, or `*.` and a name. Returns undefined if the text is
 * neither.
 */
export function readAllowedHost(text: string): string | undefined {
	const [, wildcard = "", rest = ""] = /^(\*\.)?(.*)$/s.exec(text) ?? [];
	const host = readHostName(rest);
	return host && wildcard + host;
}

/**
 * Whether an entry in `allowed` allows the host. The host and the entries must be in normal form. `*.a.b` does not
 * allow `a.b`.
 */
export function isAllowedHost(host: string, allowed: readonly string[]): boolean {
	return allowed.some((entry) => (entry.startsWith("*.") ? host.endsWith(entry.slice(1)) : host === entry));
}

/** The only allowed port. Without TLS, an attacker on the network could read and change data. */
export const TLS_PORT = 443;
const MAX_SHOWN = 100;

/**
 * Returns the host in `authority`, which must be `HOST:443` with an allowed host. Throws `invalid_argument` if
 * `authority` is not a host and a port. Throws `permission_denied` if the port is not 443, or if the host is an address
 * or not allowed.
 */
export function readTarget(authority: string, allowed: readonly string[]): string {
	const [, text = "", port = ""] = /^([^:]+|\[.*\]):(\d{1,5})$/s.exec(authority) ?? [];
	if (text === "") throw new ParleyError(egressTexts.noHost, { code: "invalid_argument" });
	if (Number(port) !== TLS_PORT) throw refused(egressTexts.port(port, TLS_PORT));
	const host = readHostName(text);
	if (host === undefined) throw refused(egressTexts.notFullName);
	if (!isAllowedHost(host, allowed)) throw refused(egressTexts.notOnList);
	return host;
}

/** Returns the requested target for a log: shortened, and with U+FFFD for each character other than visible ASCII. */
export function shownTarget(text: string): string {
	return text.slice(0, MAX_SHOWN).replaceAll(/[^\x21-\x7e]/g, "\u{fffd}");
}

function refused(reason: string): ParleyError {
	return new ParleyError(reason, { code: "permission_denied" });
}
