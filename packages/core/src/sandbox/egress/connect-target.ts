import { ParleyError } from "@parley/base";
import { isAllowedHost, readHostName } from "./host-name.ts";

/** Where TLS is spoken. What is not encrypted could be read and changed on its way. */
export const TLS_PORT = 443;
const MAX_SHOWN = 100;

/**
 * The host of what a client asks to be connected to (`host:443`), where that is on the list. Throws `invalid_argument`
 * for what is no name and port, and `permission_denied` for what may not be reached.
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

/** What a client asked for, as it can stand in a log. */
export function shownTarget(text: string): string {
	return text.slice(0, MAX_SHOWN).replaceAll(/[^\x21-\x7e]/g, "\u{fffd}");
}

function refused(why: string): ParleyError {
	return new ParleyError(why, { code: "permission_denied" });
}
