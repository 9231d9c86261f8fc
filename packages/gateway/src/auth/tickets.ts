import { timingSafeEqual } from "node:crypto";
import { type Clock, type Ids, mintToken, readTokenText } from "@parley/base";
import type { Principal } from "@parley/core";

export const ticketSeconds = 30;
/** Maximum number of unused tickets for one token of a principal. A further ticket replaces the oldest of them. */
const maxTicketsOfPrincipal = 32;

interface Ticket {
	readonly hash: Buffer;
	readonly principal: Principal;
	/** Time of expiry, in the clock's monotonic milliseconds. */
	readonly until: number;
}

interface LiveTokens {
	/** Whether the token with this id is valid now. */
	counts(id: string): boolean;
}

interface TicketsOptions {
	readonly clock: Clock;
	readonly ids: Ids;
	readonly tokens: LiveTokens;
}

/**
 * One-time credentials for browsers, which cannot set an `Authorization` header when they open a WebSocket. A ticket
 * has the rights of its requester. It is valid for `ticketSeconds`, and only while the requester's token is valid.
 * Tickets are stored only in memory.
 */
export class Tickets {
	readonly #options: TicketsOptions;
	/** Unused tickets by id, in the order of their issue. */
	readonly #tickets = new Map<string, Ticket>();

	constructor(options: TicketsOptions) {
		this.#options = options;
	}

	issue(principal: Principal): string {
		const { clock, ids } = this.#options;
		this.#makeRoom(principal);
		const text = mintToken("ticket", ids);
		const { id = "", hash = Buffer.alloc(32) } = readTokenText(text) ?? {};
		this.#tickets.set(id, { hash, principal, until: clock.monotonic() + ticketSeconds * 1000 });
		return text;
	}

	/** Returns the principal of a valid ticket, or undefined. A ticket is valid only once. */
	redeem(text: string): Principal | undefined {
		const read = readTokenText(text);
		const ticket = read?.kind === "ticket" ? this.#tickets.get(read.id) : undefined;
		if (!read || !ticket || !timingSafeEqual(ticket.hash, read.hash)) return undefined;
		this.#tickets.delete(read.id);
		return this.#isValid(ticket) ? ticket.principal : undefined;
	}

	#isValid({ until, principal: { tokenId } }: Ticket): boolean {
		if (until <= this.#options.clock.monotonic()) return false;
		return tokenId === undefined || this.#options.tokens.counts(tokenId);
	}

	#makeRoom({ id, tokenId }: Principal): void {
		const own: string[] = [];
		for (const [key, ticket] of this.#tickets) {
			if (!this.#isValid(ticket)) this.#tickets.delete(key);
			else if (ticket.principal.id === id && ticket.principal.tokenId === tokenId) own.push(key);
		}
		const [oldest] = own;
		if (own.length >= maxTicketsOfPrincipal && oldest !== undefined) this.#tickets.delete(oldest);
	}
}
