import { addressOf } from "./address.ts";

/** Characters that a URL parser does not take as a part of the host. */
const notInNames = /[\s\p{C}:/?#@%\\[\]]/u;
/** At least two labels: a name of one label belongs to the local network, or is a top-level domain. */
const name = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/;

/**
 * Returns a host name in its normal form: lower case, punycode, without a final dot. Undefined for an address in any
 * notation, and for text that is not a full name.
 */
export function readHostName(text: string): string | undefined {
	if (notInNames.test(text)) return undefined;
	const url = URL.parse(`https://${text}`);
	const host = url?.hostname.replace(/\.$/, "");
	return url && host !== undefined && addressOf(url) === undefined && name.test(host) ? host : undefined;
}

/** Returns an entry of the list of allowed hosts in its normal form: a name, or `*.` and a name. Undefined if it is neither. */
export function readAllowedHost(text: string): string | undefined {
	const [, wildcard = "", rest = ""] = /^(\*\.)?(.*)$/s.exec(text) ?? [];
	const host = readHostName(rest);
	return host && wildcard + host;
}

/** Whether an entry allows the host. All are in their normal form. `*.a.b` does not allow `a.b`. */
export function isAllowedHost(host: string, allowed: readonly string[]): boolean {
	return allowed.some((entry) => (entry.startsWith("*.") ? host.endsWith(entry.slice(1)) : host === entry));
}
