import { ParleyError } from "@parley/base";
import { isAllowedHost, readHostName } from "./host-name.ts";

/** The only allowed port: data without TLS could be read and changed on its way. */
export const TLS_PORT = 443;
const MAX_SHOWN = 100;

/**
 * Returns the host of a requested target (`host:443`) that is on the list. Throws `invalid_argument` if the target is not
 * a name and a port, and `permission_denied` if it is not allowed.
 */
export function readTarget(authority: string, allowed: readonly string[]): string {
	const [, text = "", port = ""] = /^([^:]+|\[.*\]):(\d{1,5})$/s.exec(authority) ?? [];
	if (text === "") throw new ParleyError("asks for no host and port", { code: "invalid_argument" });
	if (Number(port) !== TLS_PORT) throw refused(`port ${port} is not reached, only ${TLS_PORT}`);
	const host = readHostName(text);
	if (host === undefined) throw refused("only full names of the internet are reached, no addresses");
	if (!isAllowedHost(host, allowed)) throw refused("it is not on the list of hosts that commands may reach");
	return host;
}

/** The requested target for a log: one line, cut. */
export function shownTarget(text: string): string {
	return text.slice(0, MAX_SHOWN).replaceAll(/[^\x21-\x7e]/g, "\u{fffd}");
}

function refused(why: string): ParleyError {
	return new ParleyError(why, { code: "permission_denied" });
}
