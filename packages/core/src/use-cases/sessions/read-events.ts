import type { Sessions } from "../../conversation/sessions.ts";
import type { EventsOf, Journal, PositionedEvent } from "../../store/journal.ts";
import { authorize, isAuthorized } from "../../vocabulary/authorize.ts";
import type { Recorded } from "../../vocabulary/event.ts";
import { type Principal, visibleSessions } from "../../vocabulary/principal.ts";

export interface EventFilter {
	readonly limit: number;
	readonly sessionId?: string;
	readonly types?: readonly string[];
	/**
	 * Selects the first events of `sessionId` with a larger `seq`. Without `sessionId`, it has no effect. Default: the
	 * newest events.
	 */
	readonly afterSeq?: number;
}

/** Reads recorded events of the sessions that the principal may see. Throws `not_found` for any other session. */
export class EventHistory {
	readonly #journal: Journal;
	readonly #sessions: Sessions;

	constructor(journal: Journal, sessions: Sessions) {
		this.#journal = journal;
		this.#sessions = sessions;
	}

	/**
	 * Returns the newest messages of a session, oldest first. With `beforeSeq`, returns only messages with a smaller `seq`.
	 */
	async messages(
		principal: Principal,
		sessionId: string,
		page: { readonly limit: number; readonly beforeSeq?: number },
	): Promise<Recorded[]> {
		using _ = await this.#sessions.lease(principal, sessionId, "session.read");
		return this.#journal.recent({ ...page, sessionId, types: ["user.message", "assistant.message"] });
	}

	/**
	 * Returns the newest events. With `sessionId` and `afterSeq`, returns the first events of that session after
	 * `afterSeq`. In both cases, the oldest event is first.
	 */
	async newest(principal: Principal, filter: EventFilter): Promise<Recorded[]> {
		const { afterSeq, sessionId, limit, types } = filter;
		const visible = await this.#visible(principal, filter);
		if (afterSeq !== undefined && sessionId !== undefined) {
			return this.#journal.after(sessionId, afterSeq, limit, types);
		}
		return this.#journal.recent({ ...visible, limit });
	}

	/**
	 * Returns the first events after a position, in the order in which they were recorded. Without a `sessionId`, returns
	 * events of all sessions that the principal may see.
	 */
	async from(
		principal: Principal,
		position: number,
		filter: Omit<EventFilter, "afterSeq">,
	): Promise<PositionedEvent[]> {
		const visible = await this.#visible(principal, filter);
		return this.#journal.afterPosition(position, { ...visible, limit: filter.limit });
	}

	/** Returns the position of `event`. If `event` is absent, returns the position of the newest event of all sessions. */
	async place(
		principal: Principal,
		event?: { readonly sessionId: string; readonly seq: number },
	): Promise<number> {
		await this.#visible(principal, event ?? {});
		return event ? this.#journal.positionOf(event.sessionId, event.seq) : this.#journal.lastPosition();
	}

	async #visible(
		principal: Principal,
		{ sessionId, types }: Pick<EventFilter, "sessionId" | "types">,
	): Promise<EventsOf> {
		authorize(principal, "event.read");
		if (sessionId !== undefined) {
			(await this.#sessions.lease(principal, sessionId, "event.read"))[Symbol.dispose]();
			return { sessionId, types };
		}
		const all = isAuthorized(principal, "event.read", { owner: "" });
		return { types, of: all ? undefined : visibleSessions(principal) };
	}
}
