import { addressOf } from "../../tools/web/address.ts";

/** What a URL would read as something other than a part of its host. */
const notInNames = /[\s\p{C}:/?#@%\\[\]]/u;
/** Two labels or more: what has one is a name of the network around, or a whole top-level domain. */
const name = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/;

/**
 * A name of the internet as it is compared and looked up: in lower case, in punycode, without the last dot. Undefined for
 * an address, however it is written, and for what is no such name.
 */
export function readHostName(text: string): string | undefined {
	if (notInNames.test(text)) return undefined;
	const url = URL.parse(`https://${text}`);
	const host = url?.hostname.replace(/\.$/, "");
	return url && host !== undefined && addressOf(url) === undefined && name.test(host) ? host : undefined;
}

/** An entry of the list of hosts that commands may reach: a name, or `*.` and a name for all below it. */
export function readAllowedHost(text: string): string | undefined {
	const [, wildcard = "", rest = ""] = /^(\*\.)?(.*)$/s.exec(text) ?? [];
	const host = readHostName(rest);
	return host && wildcard + host;
}

/** Whether one of the entries stands for the host; all as they were read here. `*.a.b` is not `a.b` itself. */
export function isAllowedHost(host: string, allowed: readonly string[]): boolean {
	return allowed.some((entry) => (entry.startsWith("*.") ? host.endsWith(entry.slice(1)) : host === entry));
}
