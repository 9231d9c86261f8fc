import { tokenKindOf } from "@parley/base";
import type { Principal } from "@parley/core";
import { headerValues, type IncomingRequest } from "./incoming-request.ts";
import type { Tickets } from "./tickets.ts";

/** Prefix of the WebSocket subprotocol in which a page sends its ticket: RFC 6455, section 1.9. */
const ticketPrefix = "parley.ticket.";

export interface Shown {
	readonly principal: Principal | undefined;
	/**
	 * Kind of the token, `ticket`, or `other`. Failures are counted by class and origin, or by class and address if the
	 * request has no `Origin` header.
	 */
	readonly credentialClass: string;
}

interface TokenCheck {
	verify(text: string): Principal | undefined;
}

export interface Keyring {
	readonly tokens: TokenCheck;
	readonly tickets: Tickets;
}

/**
 * Reads the credential of a request. Returns undefined if the request has no credential. Several credentials are
 * treated as a wrong credential, even if all are valid. A ticket is valid only in a request that opens a WebSocket,
 * and a token only in the `Authorization` header.
 */
export function readCredential(
	request: IncomingRequest,
	opensWebSocket: boolean,
	{ tokens, tickets }: Keyring,
): Shown | undefined {
	const headers = headerValues(request, "authorization");
	const offered = opensWebSocket ? offeredTickets(request) : [];
	const [shown, ...others] = [...headers, ...offered];
	if (shown === undefined) return undefined;
	const isTicket = headers.length === 0;
	const text = isTicket ? shown : (/^bearer +([^ ]+)$/i.exec(shown)?.[1] ?? "");
	const credentialClass = isTicket ? "ticket" : (tokenKindOf(text) ?? "other");
	if (others.length > 0) return { principal: undefined, credentialClass };
	return { principal: isTicket ? tickets.redeem(text) : tokens.verify(text), credentialClass };
}

/**
 * Returns the subprotocol for the response: the first offered subprotocol that contains a ticket. If none contains a
 * ticket, returns the first offered subprotocol. Returns false if the client offered none.
 */
export function chooseSubprotocol(offered: ReadonlySet<string>): string | false {
	const [first = false] = offered;
	return [...offered].find((name) => name.startsWith(ticketPrefix)) ?? first;
}

function offeredTickets(request: IncomingRequest): string[] {
	return headerValues(request, "sec-websocket-protocol")
		.flatMap((value) => value.split(","))
		.map((name) => name.trim())
		.filter((name) => name.startsWith(ticketPrefix))
		.map((name) => name.slice(ticketPrefix.length));
}
