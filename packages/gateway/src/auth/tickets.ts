import { timingSafeEqual } from "node:crypto";
import { type Clock, type Ids, mintToken, readTokenText } from "@parley/base";
import type { Principal, Tokens } from "@parley/core";

/** How long a ticket counts, in seconds. */
export const ticketSeconds = 30;
/** Tickets that one principal can have at a time; one more takes the place of the oldest. */
const mostOfOne = 32;

interface Ticket {
	readonly hash: Buffer;
	readonly principal: Principal;
	/** In the clock's monotonic milliseconds. */
	readonly until: number;
}

interface TicketsOptions {
	readonly clock: Clock;
	readonly ids: Ids;
	readonly tokens: Pick<Tokens, "counts">;
}

/**
 * One-time credentials for browsers, which cannot send a header with a WebSocket. A ticket has the rights of its requester
 * while the
 * requester's token is valid. Tickets are kept in memory only.
 */
export class Tickets {
	readonly #options: TicketsOptions;
	readonly #tickets = new Map<string, Ticket>();

	constructor(options: TicketsOptions) {
		this.#options = options;
	}

	/** The text of a ticket with these rights. */
	issue(principal: Principal): string {
		const { clock, ids } = this.#options;
		this.#makeRoom(principal);
		const text = mintToken("ticket", ids);
		const { id = "", hash = Buffer.alloc(32) } = readTokenText(text) ?? {};
		this.#tickets.set(id, { hash, principal, until: clock.monotonic() + ticketSeconds * 1000 });
		return text;
	}

	/** Principal of this ticket, which is then used. */
	redeem(text: string): Principal | undefined {
		const read = readTokenText(text);
		const ticket = read?.kind === "ticket" ? this.#tickets.get(read.id) : undefined;
		if (!read || !ticket || !timingSafeEqual(ticket.hash, read.hash)) return undefined;
		this.#tickets.delete(read.id);
		return this.#holds(ticket) ? ticket.principal : undefined;
	}

	#holds({ until, principal: { tokenId } }: Ticket): boolean {
		if (until <= this.#options.clock.monotonic()) return false;
		return tokenId === undefined || this.#options.tokens.counts(tokenId);
	}

	/** Makes room among the requester's own tickets only. */
	#makeRoom({ id, tokenId }: Principal): void {
		const own: string[] = [];
		for (const [key, ticket] of this.#tickets) {
			if (!this.#holds(ticket)) this.#tickets.delete(key);
			else if (ticket.principal.id === id && ticket.principal.tokenId === tokenId) own.push(key);
		}
		const [oldest] = own;
		if (own.length >= mostOfOne && oldest !== undefined) this.#tickets.delete(oldest);
	}
}
