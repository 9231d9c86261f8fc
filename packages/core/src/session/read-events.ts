import type { Recorded } from "../event.ts";
import type { Journal } from "../journal/journal.ts";

/** Which events of the record are wanted. */
export interface EventFilter {
	readonly limit: number;
	readonly sessionId?: string;
	readonly types?: readonly string[];
	/** Only of this session: those after this number, oldest first, instead of the newest. */
	readonly afterSeq?: number;
}

/** The newest messages of a session before `beforeSeq`, oldest first. */
export async function readMessages(
	journal: Journal,
	sessionId: string,
	{ limit, beforeSeq }: { readonly limit: number; readonly beforeSeq?: number },
): Promise<Recorded[]> {
	const types = ["user.message", "assistant.message"];
	const filter = { sessionIds: [sessionId], types, limit };
	return journal.recent(beforeSeq === undefined ? filter : { ...filter, beforeSeq });
}

/** Events of these sessions, or of all: the newest, or those after a number of one session; oldest first. */
export async function readEvents(
	journal: Journal,
	{ limit, types, afterSeq }: EventFilter,
	sessionIds?: readonly string[],
): Promise<Recorded[]> {
	const [only] = sessionIds ?? [];
	if (afterSeq !== undefined && only !== undefined) return journal.after(only, afterSeq, limit);
	return journal.recent({ limit, ...(types && { types }), ...(sessionIds && { sessionIds }) });
}
