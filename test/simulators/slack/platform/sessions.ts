import { messageId } from "./message-id.ts";
import type { ChannelRecord, SessionRecord, SessionStatus, UserRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";
import { sendEvents } from "./send-events.ts";
import type { State } from "./state.ts";
import { setStatus } from "./statuses.ts";

export interface SessionPlace {
	readonly channel: ChannelRecord;
	readonly threadTs: string;
}

const statuses: ReadonlySet<string> = new Set(["active", "processing", "suspended", "closed"]);

export function isSessionStatus(status: string): status is SessionStatus {
	return statuses.has(status);
}

/** Returns the session of a thread. Undefined if the app has not created a session for the thread. */
export function sessionAt(state: State, { channel, threadTs }: SessionPlace): SessionRecord | undefined {
	return state.sessions.get(messageId({ channel, ts: threadTs }));
}

/**
 * Sets the status of a session, and creates a missing session. The title applies only to a new session:
 * https://docs.slack.dev/reference/methods/agents.sessions.setStatus
 */
export function setSession(
	state: State,
	place: SessionPlace,
	{ status, title = "" }: { readonly status: SessionStatus; readonly title?: string | undefined },
): SessionRecord {
	const session = sessionAt(state, place) ?? { ...place, status, title };
	session.status = status;
	state.sessions.set(messageId({ channel: place.channel, ts: place.threadTs }), session);
	setStatus(state, place, status === "processing" ? "is working…" : "");
	return session;
}

/**
 * Sets the title of a thread, and creates a missing session:
 * https://docs.slack.dev/reference/methods/assistant.threads.setTitle
 */
export function titleThread(state: State, place: SessionPlace, title: string): void {
	const session = sessionAt(state, place) ?? { ...place, status: "active", title };
	session.title = title;
	state.sessions.set(messageId({ channel: place.channel, ts: place.threadTs }), session);
}

/** Renames a session: https://docs.slack.dev/reference/methods/agents.sessions.rename */
export function renameSession(state: State, place: SessionPlace, title: string): SessionRecord {
	const session = sessionAt(state, place);
	if (!session) throw new Refusal("session_not_found");
	session.title = title;
	return session;
}

/** Renames a session as a user: https://docs.slack.dev/reference/events/agent_session_title_changed */
export function retitleSession(state: State, by: UserRecord, place: SessionPlace, title: string): void {
	const before = sessionAt(state, place)?.title ?? "";
	renameSession(state, place, title);
	const subscription = "agent_session_title_changed";
	const { channel, threadTs } = place;
	const event = {
		...{ type: subscription, channel: channel.id, user: by.id, team_id: by.team.id, thread_ts: threadTs },
		...{ title, ...(before !== "" && { previous_title: before }), event_ts: state.stamps.create() },
	};
	sendEvents(state, { subscription, channel, event });
}
