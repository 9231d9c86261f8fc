import type { Ticket } from "@parley/connector";

/** A `response_url` takes five answers in so long: https://docs.slack.dev/interactivity/handling-user-interaction#responses */
const answerableMs = 30 * 60_000;

/** Where somebody is answered in private. */
export interface TicketPlace {
	readonly url?: string | undefined;
	readonly channel: string;
	readonly user: string;
	/** The timestamp of the thread that they see. */
	readonly thread?: string | undefined;
}

/** `id` is that of what is answered: a trigger. */
export function ticketFor(id: string, at: number, { url, channel, user, thread }: TicketPlace): Ticket {
	const token = JSON.stringify({ url, channel, user, thread });
	return { id, token, expiresAt: at + answerableMs };
}
